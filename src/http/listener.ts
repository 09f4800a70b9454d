// The server of a plane: its time limits, the refusal of malformed requests, and its end, which resets no connection. The data
// plane and the control plane have different handlers and different bodies of refusals; everything about HTTP is the same.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { type Problem, problems, type Reply } from '../kernel/http.ts'
import type { Delivery, Simulation } from '../plan/settings.ts'
import { faultOfParser } from './request.ts'
import type { Security } from './tls.ts'
import { acceptWaiting, untilQuiet } from './until-quiet.ts'
import { LingeringResponse, unfinishedOn, writeRaw, writeReply } from './wire.ts'

/** Answers a request. Its result is ignored. */
export type RequestListener = (req: IncomingMessage, res: ServerResponse) => unknown

type ListenLimits = Simulation['limits']

/** A socket of TLS says so until its handshake has succeeded; its type does not have it. */
type Unsecured = Socket & { readonly secureConnecting?: boolean }

/** The requests and refusals of a listener. */
export interface Plane {
  readonly handle: RequestListener
  /** A refusal in the plane's own shape. */
  refuse(problem: Problem, detail: string): Promise<Reply>
  limits(): ListenLimits
  delivery(): Delivery
  /** Whether clients are asked for certificates, if these are configured. */
  readonly asksClients: boolean
}

/** How often the open connections are looked at while the server closes, in milliseconds. */
const SWEEP = 50

/** The server of a plane. */
export class Listener {
  readonly #plane: Plane
  readonly #server: Server<typeof IncomingMessage, typeof LingeringResponse>
  readonly #sockets = new Set<Socket>()
  /** The TLS socket of each connection, from which HTTP reads. */
  readonly #secureSockets = new Set<Socket>()
  /** The response of each connection that was made its last. */
  readonly #lastResponses = new WeakMap<Socket, ServerResponse>()
  /** Whether its connections come from another process, which has the port: see `take`. */
  #isTaking = false
  #isWaning = false
  /** When a reply was last made the last of its connection, by the clock of `performance`. */
  #madeLastAt = Number.NEGATIVE_INFINITY

  /** @param security unset: plain http */
  constructor(plane: Plane, security?: Security) {
    this.#plane = plane
    const { headers, request, idle } = plane.limits()
    const options = {
      ServerResponse: LingeringResponse,
      maxHeaderSize: headers,
      requestTimeout: request,
      headersTimeout: request,
      keepAliveTimeout: idle,
      connectionsCheckingInterval: Math.min(1000, request),
      // Refused by `findMessageFault`, in the plane's own shape.
      requireHostHeader: false,
      noDelay: true,
    }
    this.#server = security?.createServer(options, plane.asksClients) ?? createServer(options)
    this.#server.on('connection', trackIn(this.#sockets))
    this.#server.on('secureConnection', trackIn(this.#secureSockets))
    this.#server.on('request', plane.handle)
    // Answering 100 is left to the reader of the body.
    this.#server.on('checkContinue', plane.handle)
    this.#refuseUnusual()
  }

  /** Refuses requests that Node reports by an event of their own. */
  #refuseUnusual(): void {
    const plane = this.#plane
    const refuseUnread = (socket: Socket, problem: Problem, detail: string) =>
      writeRaw(socket, () => plane.refuse(problem, detail), plane.delivery())
    this.#server.on('checkExpectation', (req, res) => {
      const write = (reply: Reply) => {
        // The client may send the body or not: where the next request begins is not known.
        res.shouldKeepAlive = false
        writeReply({ req, res }, reply, plane.delivery())
      }
      const refusal = plane.refuse(problems.expectation_failed, 'Expect must be 100-continue')
      refusal.then(write).catch(() => res.destroy())
    })
    this.#server.on('connect', (_, socket) => {
      // Node hands the connection over and no longer reads from it.
      socket.resume()
      refuseUnread(socket as Socket, problems.not_simulated, 'CONNECT is not supported')
    })
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // Before the handshake has succeeded, no reply can be sent.
      const unsecured = (socket as Unsecured).secureConnecting === true
      if (error.code === 'ECONNRESET' || unsecured) socket.destroy()
      else refuseUnread(socket as Socket, ...faultOfParser(error))
    })
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** How many connections are being given a reply. */
  get busyCount(): number {
    return this.#allSockets().filter(socket => unfinishedOn(socket).length > 0).length
  }

  /** Rejects where the port cannot be had. */
  async listen(port: number, host: string): Promise<void> {
    await once(this.#server.listen(port, host), 'listening')
  }

  /** Serves a connection that another process has accepted. */
  take(socket: Socket): void {
    // Node watches the time limits of connections from then on.
    if (!this.#isTaking) this.#server.emit('listening')
    this.#isTaking = true
    this.#server.emit('connection', socket)
  }

  /** Takes the limits of another plan, from the next connection on; an idle one keeps those it was opened with. */
  apply({ headers, request, idle }: ListenLimits): void {
    this.#server.requestTimeout = this.#server.headersTimeout = request
    this.#server.keepAliveTimeout = idle
    // Node reads it for every connection, though its types do not have it.
    Object.assign(this.#server, { maxHeaderSize: headers })
  }

  #allSockets(): Socket[] {
    return [...this.#secureSockets, ...this.#sockets]
  }

  /** From now on every reply is the last of its connection; new connections are still served. */
  wane(): void {
    if (this.#isWaning) return
    this.#isWaning = true
    for (const socket of this.#allSockets()) this.#makeLast(socket, unfinishedOn(socket).at(-1))
    const arrived = (req: IncomingMessage, res: ServerResponse) => this.#makeLast(req.socket, res)
    this.#server.prependListener('request', arrived)
    this.#server.prependListener('checkContinue', arrived)
  }

  /** Has a response close its connection; of pipelined ones, only the last may. */
  #makeLast(socket: Socket, response: ServerResponse | undefined): void {
    if (response === undefined) return
    this.#madeLastAt = performance.now()
    const before = this.#lastResponses.get(socket)
    if (before?.headersSent === false) before.shouldKeepAlive = true
    this.#lastResponses.set(socket, response)
    response.shouldKeepAlive = false
  }

  /**
   * Accepts no more connections, closes the idle ones, waits for the rest, at most `grace` milliseconds, and destroys
   * those that are left.
   *
   * @param portIsClosed resolves when the process that has the port has closed it, while this one gives no replies
   * @returns how many connections were cut
   */
  async close(grace: number, portIsClosed?: () => Promise<void>): Promise<number> {
    if (!this.#server.listening && !this.#isTaking) return 0
    this.wane()
    const release = await this.#holdUntilAccepted(portIsClosed)
    const closed = this.#whenClosed()
    release()
    let cut = 0
    const cutting = setTimeout(() => {
      cut = this.#sockets.size
      for (const socket of this.#sockets) socket.destroy()
    }, grace)
    const stopSweeping = this.#sweep()
    await closed
    stopSweeping()
    clearTimeout(cutting)
    return cut
  }

  /** Closes idle connections again and again, until the returned function is called. */
  #sweep(): () => void {
    let bytesBefore = -1
    const timer = setInterval(() => {
      let bytes = 0
      for (const { bytesRead } of this.#sockets) bytes += bytesRead
      const isQuiet = bytes === bytesBefore
      bytesBefore = bytes
      // Something arrived since the last check: a request may be on its way to an idle connection.
      if (!isQuiet) return
      this.#server.closeIdleConnections()
      // Node treats a connection without a request as busy.
      for (const socket of this.#allSockets()) if (socket.bytesRead === 0) socket.destroy()
    }, SWEEP)
    return () => clearInterval(timer)
  }

  /** Accepts no more connections. Resolves when there is none. */
  #whenClosed(): Promise<void> {
    return new Promise(resolve => {
      const sockets = this.#sockets
      const end = () => void (sockets.size === 0 && resolve())
      if (this.#isTaking) {
        for (const socket of sockets) socket.once('close', end)
        end()
      }
      // The method of `http.Server` would close idle connections at once, some of which have a request on its way.
      else NetServer.prototype.close.call(this.#server, () => resolve())
    })
  }

  /**
   * Accepts the connections that wait in line: closing the port resets those that are left there. Meanwhile requests are
   * held back, because a client that gets its reply connects again. The returned function passes them on.
   */
  async #holdUntilAccepted(portIsClosed?: () => Promise<void>): Promise<() => void> {
    // All clients are idle, or have a connection that stays open until its reply.
    if (portIsClosed === undefined && performance.now() - this.#madeLastAt > SWEEP) {
      await acceptWaiting()
      return () => {}
    }
    const release = this.#holdRequests()
    if (portIsClosed !== undefined) {
      await portIsClosed()
      return release
    }
    let connections = 0
    const count = () => void connections++
    this.#server.on('connection', count)
    await untilQuiet(() => connections)
    this.#server.off('connection', count)
    return release
  }

  #holdRequests(): () => void {
    const server: Server = this.#server
    const held: (() => void)[] = []
    const restore = ['request', 'checkContinue'].map(event => {
      const listeners = server.listeners(event) as ((...args: unknown[]) => void)[]
      server.removeAllListeners(event)
      server.on(event, (...args) => void held.push(() => server.emit(event, ...args)))
      return () => {
        server.removeAllListeners(event)
        for (const listener of listeners) server.on(event, listener)
      }
    })
    return () => {
      for (const run of [...restore, ...held]) run()
    }
  }
}

const trackIn = (sockets: Set<Socket>) => (socket: Socket) => {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
}
