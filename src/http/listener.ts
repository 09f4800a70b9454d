// The server of a plane: its time limits, and the refusal of malformed requests. The data plane and the control plane have
// different handlers and different bodies of refusals; everything about HTTP is the same.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Problem, problems } from '../kernel/problem.ts'
import type { Reply } from '../kernel/reply.ts'
import type { Delivery, Simulation } from '../plan/settings.ts'
import { LingeringResponse } from './lingering-response.ts'
import { faultOfParser } from './message-fault.ts'
import type { Security } from './secure.ts'
import { type Peers, Stop } from './stop.ts'
import { writeRaw, writeReply } from './wire.ts'

/** Answers a request. Its result is ignored. */
export type RequestListener = (req: IncomingMessage, res: ServerResponse) => unknown

type ListenLimits = Simulation['limits']

/** A socket of TLS says so until its handshake has succeeded; its type does not have it. */
type Unsecured = Socket & { readonly secureConnecting?: boolean }

/** The requests and refusals of a listener. */
export interface Plane {
  readonly answer: RequestListener
  /** A refusal in the plane's own shape. */
  refuse(problem: Problem, detail: string): Promise<Reply>
  limits(): ListenLimits
  delivery(): Delivery
  /** Whether clients are asked for certificates, if these are configured. */
  readonly asksClients: boolean
}

export class Listener {
  readonly #server: Server
  readonly #stop: Stop

  /** @param security unset: plain http */
  constructor(plane: Plane, security?: Security) {
    const { headers, request, idle } = plane.limits()
    const options = {
      ServerResponse: LingeringResponse,
      maxHeaderSize: headers,
      requestTimeout: request,
      headersTimeout: request,
      keepAliveTimeout: idle,
      connectionsCheckingInterval: Math.min(1000, request),
      // Refused by `compileFaultFinder`, in the plane's own shape.
      requireHostHeader: false,
      noDelay: true,
    }
    const server = security?.createServer(options, plane.asksClients) ?? createServer(options)
    this.#server = server
    this.#stop = new Stop(server)
    server.on('request', plane.answer)
    // Answering 100 is left to the reader of the body.
    server.on('checkContinue', plane.answer)
    server.on('checkExpectation', async (req, res) => {
      const reply = await plane.refuse(problems.expectation_failed, 'Expect must be 100-continue')
      // The client may send the body or not: where the next request begins is not known.
      res.shouldKeepAlive = false
      writeReply(req, res, reply, plane.delivery())
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
  }

  get listening(): boolean {
    return this.#server.listening
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Rejects where the port cannot be had. */
  listen(port: number, host: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
  }

  /** Takes the limits of another plan, from the next connection on; an idle one keeps those it was opened with. */
  apply({ headers, request, idle }: ListenLimits): void {
    const server = this.#server
    server.requestTimeout = server.headersTimeout = request
    server.keepAliveTimeout = idle
    // Node reads it for every connection, though its types do not have it.
    Object.assign(server, { maxHeaderSize: headers })
  }

  /** From now on every reply is the last of its connection; new connections are still served. */
  wane(): void {
    this.#stop.begin()
  }

  /** How many requests are under way. */
  get busy(): number {
    return this.#stop.busy
  }

  /**
   * Accepts no more connections, closes the idle ones, waits for the rest, at most `grace` milliseconds, and destroys
   * those that are left.
   *
   * @returns how many connections were cut
   */
  async close(grace: number, peers?: Peers): Promise<number> {
    return this.listening ? this.#stop.end(grace, peers) : 0
  }
}
