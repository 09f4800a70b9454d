// Accepts the connections of the port that the workers share, and deals them to the workers in turn.

import type { Worker } from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { untilQuiet } from '../../http/until-quiet.ts'
import type { WorkerOrder } from './messages.ts'

export class Dealer {
  /** Connections are paused: the worker reads from them. */
  readonly #server = createServer({ pauseOnConnect: true, noDelay: true }, socket => this.#deal(socket))
  #dealCount = 0
  /** The connections that no worker has taken yet. */
  readonly #dealt = new Map<number, { readonly worker: Worker; readonly socket: Socket }>()
  /** Connections that wait for the first worker. */
  readonly #waiting: Socket[] = []
  /** The workers that receive connections, in the order of their turns. */
  #workers: Worker[] = []

  /** Resolves with the port. */
  async listen(port: number, host: string): Promise<number> {
    await once(this.#server.listen(port, host), 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** Closes the port. */
  close(): void {
    this.#server.close()
  }

  /** Closes the connections that wait for a worker. */
  dropWaiting(): void {
    for (const socket of this.#waiting) socket.destroy()
  }

  has(worker: Worker): boolean {
    return this.#workers.includes(worker)
  }

  add(worker: Worker): void {
    this.#workers.push(worker)
    for (const socket of this.#waiting.splice(0)) this.#deal(socket)
  }

  /** Deals no further connections to a worker. */
  dismiss(worker: Worker): void {
    this.#workers = this.#workers.filter(other => other !== worker)
  }

  /** Gives a connection to the next worker. */
  #deal(socket: Socket): void {
    const worker = this.#workers.shift()
    if (worker === undefined) {
      this.#waiting.push(socket)
      return
    }
    this.#workers.push(worker)
    const id = ++this.#dealCount
    this.#dealt.set(id, { worker, socket })
    // The socket stays open here until the worker has taken it, or has ended.
    worker.process.send({ order: 'connection', id } satisfies WorkerOrder, socket, { keepOpen: true }, error => {
      if (error === null || !this.#dealt.delete(id)) return
      this.dismiss(worker)
      this.#deal(socket)
    })
  }

  /** Lets go of a connection that a worker has taken. */
  release(id: number): void {
    this.#dealt.get(id)?.socket.destroy()
    this.#dealt.delete(id)
  }

  /** Closes the connections that a worker which has ended did not take: it may have read from them. */
  drop(worker: Worker): void {
    for (const [id, dealt] of this.#dealt) if (dealt.worker === worker) this.release(id)
  }

  /** Resolves when no client connects any more, and all connections are with a worker. */
  untilQuiet(): Promise<void> {
    return untilQuiet(
      () => this.#dealCount,
      () => this.#dealt.size > 0,
    )
  }
}
