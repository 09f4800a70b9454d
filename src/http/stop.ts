// Stops a server without resetting connections: first every reply closes its connection, then idle connections
// are closed.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { acceptWaiting, untilQuiet } from './until-quiet.ts'
import type { Busy } from './wire.ts'

/** The other processes that serve the same port. */
export interface Peers {
  /** Called when this process gives no replies; resolves when all waiting connections are passed to a process. */
  dealt(): Promise<void>
  /** Resolves when no process accepts connections at the port. */
  allClosed(): Promise<void>
}

/** How often the open connections are looked at, in milliseconds. */
const SWEEP = 50

export class Stop {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** The TLS socket of a connection, from which HTTP reads. */
  readonly #secure = new Set<Socket>()
  /** The newest response of a connection: of pipelined ones, only the last may close it. */
  readonly #newest = new WeakMap<Socket, ServerResponse>()
  #begun = false
  /** When a reply was last made the last of its connection, by the clock of `performance`. */
  #madeLast = Number.NEGATIVE_INFINITY

  constructor(server: Server) {
    this.#server = server
    const follow = (sockets: Set<Socket>) => (socket: Socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
    server.on('connection', follow(this.#sockets))
    server.on('secureConnection', follow(this.#secure))
  }

  /** How many connections are being given a reply. */
  get busy(): number {
    return [...this.#sockets, ...this.#secure].filter(socket => (socket as Busy)._httpMessage).length
  }

  /** From now on every reply is the last of its connection. New connections are accepted still. */
  begin(): void {
    if (this.#begun) return
    this.#begun = true
    for (const socket of [...this.#sockets, ...this.#secure]) {
      const { _httpMessage: response } = socket as Busy
      if (response) this.#makeLast(socket, response)
    }
    const makeLast = (req: IncomingMessage, res: ServerResponse) => this.#makeLast(req.socket, res)
    this.#server.prependListener('request', makeLast)
    this.#server.prependListener('checkContinue', makeLast)
  }

  #makeLast(socket: Socket, response: ServerResponse): void {
    this.#madeLast = performance.now()
    const before = this.#newest.get(socket)
    if (before !== undefined && !before.headersSent) before.shouldKeepAlive = true
    this.#newest.set(socket, response)
    response.shouldKeepAlive = false
  }

  /**
   * Accepts no more connections, closes idle ones, waits for the others, at most `grace` milliseconds, and destroys the
   * rest.
   *
   * @returns how many connections were cut
   */
  async end(grace: number, peers?: Peers): Promise<number> {
    this.begin()
    const release = await this.#acceptWaiting(peers)
    const closed = new Promise(resolve => {
      // The method of `http.Server` would close idle connections at once, some of which have a request on its way.
      NetServer.prototype.close.call(this.#server, resolve)
    })
    await peers?.allClosed()
    release()
    let cut = 0
    const cutting = setTimeout(() => {
      cut = this.#sockets.size
      for (const socket of this.#sockets) socket.destroy()
    }, grace)
    let read = -1
    const sweeping = setInterval(() => {
      const before = read
      read = 0
      for (const { bytesRead } of this.#sockets) read += bytesRead
      // Nothing arrived since the last check, so no request is on its way to an idle connection.
      if (read === before) this.#closeIdle()
    }, SWEEP)
    await closed
    clearInterval(sweeping)
    clearTimeout(cutting)
    return cut
  }

  /**
   * Accepts the connections that wait in line: closing the port resets those that are left there. Meanwhile requests are
   * held back, because a client that gets its reply connects again. The returned function passes them on.
   */
  async #acceptWaiting(peers?: Peers): Promise<() => void> {
    if (peers !== undefined) {
      const release = this.#holdRequests()
      await peers.dealt()
      return release
    }
    // All clients are idle, or have a connection that stays open until its reply.
    if (performance.now() - this.#madeLast > SWEEP) {
      await acceptWaiting()
      return () => {}
    }
    let connections = 0
    const count = () => void connections++
    this.#server.on('connection', count)
    const release = this.#holdRequests()
    await untilQuiet(() => connections)
    this.#server.off('connection', count)
    return release
  }

  #holdRequests(): () => void {
    const server = this.#server
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

  #closeIdle(): void {
    this.#server.closeIdleConnections()
    // Node treats a connection without a request as busy.
    for (const socket of [...this.#secure, ...this.#sockets]) if (socket.bytesRead === 0) socket.destroy()
  }
}
