// The server of a plane: its time limits, the refusal of malformed requests, and its end, which resets no connection. The data
// plane and the control plane have different handlers and different bodies of refusals; everything about HTTP is the same.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { type Problem, problems, type Reply } from '../kernel/http.ts'
import type { Delivery, Simulation } from '../plan/settings.ts'
import { breathe } from '../world/real-time.ts'
import { faultOfParser } from './request.ts'
import type { Security } from './tls.ts'
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

/** @param security unset: plain http */
export function createListener(plane: Plane, security?: Security) {
  const sockets = new Set<Socket>()
  /** The TLS socket of a connection, from which HTTP reads. */
  const secure = new Set<Socket>()
  /** The response of each connection that was made its last. */
  const lastResponses = new WeakMap<Socket, ServerResponse>()
  /** Whether its connections come from another process, which has the port: see `take`. */
  let isTaking = false
  let isWaning = false
  /** When a reply was last made the last of its connection, by the clock of `performance`. */
  let madeLastAt = Number.NEGATIVE_INFINITY

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
  const server = security?.createServer(options, plane.asksClients) ?? createServer(options)
  const follow = (sockets: Set<Socket>) => (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('connection', follow(sockets))
  server.on('secureConnection', follow(secure))
  server.on('request', plane.handle)
  // Answering 100 is left to the reader of the body.
  server.on('checkContinue', plane.handle)
  server.on('checkExpectation', (req, res) => {
    const write = (reply: Reply) => {
      // The client may send the body or not: where the next request begins is not known.
      res.shouldKeepAlive = false
      writeReply({ req, res }, reply, plane.delivery())
    }
    const refusal = plane.refuse(problems.expectation_failed, 'Expect must be 100-continue')
    refusal.then(write).catch(() => res.destroy())
  })
  const refuseUnread = (socket: Socket, problem: Problem, detail: string) =>
    writeRaw(socket, () => plane.refuse(problem, detail), plane.delivery())
  server.on('connect', (_, socket) => {
    // Node hands the connection over and no longer reads from it.
    socket.resume()
    refuseUnread(socket as Socket, problems.not_simulated, 'CONNECT is not supported')
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Before the handshake has succeeded, no reply can be sent.
    const unsecured = (socket as Unsecured).secureConnecting === true
    if (error.code === 'ECONNRESET' || unsecured) socket.destroy()
    else refuseUnread(socket as Socket, ...faultOfParser(error))
  })

  /** Rejects where the port cannot be had. */
  async function listen(port: number, host: string): Promise<void> {
    await once(server.listen(port, host), 'listening')
  }

  /** Serves a connection that another process has accepted. */
  function take(socket: Socket): void {
    // Node watches the time limits of connections from then on.
    if (!isTaking) server.emit('listening')
    isTaking = true
    server.emit('connection', socket)
  }

  /** Takes the limits of another plan, from the next connection on; an idle one keeps those it was opened with. */
  function apply({ headers, request, idle }: ListenLimits): void {
    server.requestTimeout = server.headersTimeout = request
    server.keepAliveTimeout = idle
    // Node reads it for every connection, though its types do not have it.
    Object.assign(server, { maxHeaderSize: headers })
  }

  function allSockets(): Socket[] {
    return [...secure, ...sockets]
  }

  /** From now on every reply is the last of its connection; new connections are still served. */
  function wane(): void {
    if (isWaning) return
    isWaning = true
    for (const socket of allSockets()) makeLast(socket, unfinishedOn(socket).at(-1))
    const arrived = (req: IncomingMessage, res: ServerResponse) => makeLast(req.socket, res)
    server.prependListener('request', arrived)
    server.prependListener('checkContinue', arrived)
  }

  /** Has a response close its connection; of pipelined ones, only the last may. */
  function makeLast(socket: Socket, response: ServerResponse | undefined): void {
    if (response === undefined) return
    madeLastAt = performance.now()
    const before = lastResponses.get(socket)
    if (before?.headersSent === false) before.shouldKeepAlive = true
    lastResponses.set(socket, response)
    response.shouldKeepAlive = false
  }

  /**
   * Accepts no more connections, closes the idle ones, waits for the rest, at most `grace` milliseconds, and destroys
   * those that are left.
   *
   * @param portIsClosed resolves when the process that has the port has closed it, while this one gives no replies
   * @returns how many connections were cut
   */
  async function close(grace: number, portIsClosed?: () => Promise<void>): Promise<number> {
    if (!server.listening && !isTaking) return 0
    wane()
    const release = await holdUntilAccepted(portIsClosed)
    const closed = whenClosed()
    release()
    let cut = 0
    const cutting = setTimeout(() => {
      cut = sockets.size
      for (const socket of sockets) socket.destroy()
    }, grace)
    let read = -1
    const sweeping = setInterval(() => {
      const before = read
      read = 0
      for (const { bytesRead } of sockets) read += bytesRead
      // Nothing arrived since the last check, so no request is on its way to an idle connection.
      if (read !== before) return
      server.closeIdleConnections()
      // Node treats a connection without a request as busy.
      for (const socket of allSockets()) if (socket.bytesRead === 0) socket.destroy()
    }, SWEEP)
    await closed
    clearInterval(sweeping)
    clearTimeout(cutting)
    return cut
  }

  /** Accepts no more connections. Resolves when there is none. */
  function whenClosed(): Promise<void> {
    return new Promise(resolve => {
      const end = () => void (sockets.size === 0 && resolve())
      if (isTaking) {
        for (const socket of sockets) socket.once('close', end)
        end()
      }
      // The method of `http.Server` would close idle connections at once, some of which have a request on its way.
      else NetServer.prototype.close.call(server, () => resolve())
    })
  }

  /**
   * Accepts the connections that wait in line: closing the port resets those that are left there. Meanwhile requests are
   * held back, because a client that gets its reply connects again. The returned function passes them on.
   */
  async function holdUntilAccepted(portIsClosed?: () => Promise<void>): Promise<() => void> {
    // All clients are idle, or have a connection that stays open until its reply.
    if (portIsClosed === undefined && performance.now() - madeLastAt > SWEEP) {
      await acceptWaiting()
      return () => {}
    }
    const release = holdRequests()
    if (portIsClosed !== undefined) {
      await portIsClosed()
      return release
    }
    let connections = 0
    const count = () => void connections++
    server.on('connection', count)
    await untilQuiet(() => connections)
    server.off('connection', count)
    return release
  }

  function holdRequests(): () => void {
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
      for (const one of [...restore, ...held]) one()
    }
  }

  return {
    listen,
    take,
    apply,
    wane,
    close,
    port: () => (server.address() as AddressInfo).port,
    /** How many connections are being given a reply. */
    busy: () => allSockets().filter(socket => unfinishedOn(socket).length > 0).length,
  }
}

/** It is quiet when nothing has arrived for `QUIET`; the wait ends after `LONGEST`, both in milliseconds. */
const [QUIET, LONGEST] = [20, 1000]

/**
 * Resolves when `arrivals` has not changed for `QUIET`: closing a port resets the connections that wait there. In that time a
 * blocked event loop may have accepted nothing, so that one more turn without an arrival must pass, and this turn must be
 * shorter than `QUIET`.
 *
 * @param arrivals a number that each connection changes
 * @param isPending whether connections are still being passed on
 */
export async function untilQuiet(arrivals: () => number, isPending: () => boolean = () => false): Promise<void> {
  const end = performance.now() + LONGEST
  let seen = arrivals()
  let last = performance.now()
  let isLate = false
  for (let before = last; ; ) {
    await breathe()
    const now = performance.now()
    const wasBlocked = now - before >= QUIET && now <= end
    before = now
    const isNew = arrivals() !== seen || isPending()
    if (isLate && !isNew && !wasBlocked) return
    if (isNew) {
      if (now > end) return
      seen = arrivals()
      last = now
    }
    isLate = now >= last + QUIET
  }
}

/** Accepts the connections that wait in line, where no client is expected to connect. */
export async function acceptWaiting(): Promise<void> {
  await breathe()
  await breathe()
}
