// Several processes behind one port: the primary holds the control plane, the workers serve the API. What the control
// plane is told reaches all of them; a worker that dies is replaced, and counted. Only for plans that share no state.

import cluster, { type Worker } from 'node:cluster'
import type { Gateway } from '../gateway/gateway.ts'
import type { Log } from '../gateway/log.ts'
import { Metrics, type Snapshot } from '../gateway/metrics.ts'
import type { Reloader } from '../gateway/reload.ts'
import type { Route } from './control/route.ts'

/** From the primary to a worker. */
type Order = { readonly order: 'reload' | 'reset' | 'stop' } | { readonly order: 'metrics'; readonly call: number }
/** From a worker to the primary. */
interface Told {
  readonly call: number
  readonly snapshot: Snapshot
}

/** A worker that does not answer within this many milliseconds is not waited for. */
const PATIENCE = 1000

export class Fleet {
  readonly #gateway: Gateway
  readonly #log: Log
  #replaced = 0
  #stopping = false
  #calls = 0
  /** What each worker told last, by its id; and what those that are no more had told: it stays in the sums. */
  readonly #told = new Map<number, Snapshot>()
  #remains: Promise<Snapshot> = Promise.resolve([])

  constructor(gateway: Gateway, log: Log) {
    this.#gateway = gateway
    this.#log = log
    gateway.metrics.countWorkers(() => ({ running: this.#workers.length, replaced: this.#replaced }))
    gateway.onAdopt(() => this.#tell({ order: 'reload' }))
  }

  get #workers(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)
  }

  #tell(order: Order): void {
    for (const worker of this.#workers) if (worker.isConnected()) worker.send(order)
  }

  /** Starts so many workers; resolves with the port they share once all of them listen. Rejects where one cannot. */
  async start(count: number): Promise<number> {
    cluster.on('listening', worker => this.#log.info({ worker: worker.process.pid }, 'a worker serves'))
    const ports = await Promise.all(Array.from({ length: count }, () => listening(cluster.fork())))
    cluster.on('exit', (worker, code, signal) => {
      if (this.#stopping) return
      this.#bury(worker)
      this.#replaced += 1
      this.#log.warn({ worker: worker.process.pid, code, signal }, 'a worker ended and is replaced')
      // A worker that cannot begin must not be begun again and again without a pause.
      setTimeout(() => void (this.#stopping || cluster.fork()), 100)
    })
    return ports[0] as number
  }

  /** The routes of the control plane that stay (see `Route.underWorkers`), with a reset that reaches all. */
  routes(routes: readonly Route[]): Route[] {
    return routes
      .filter(({ underWorkers }) => underWorkers !== 'absent')
      .map(route => {
        if (route.underWorkers !== 'reset') return route
        const answer: Route['answer'] = call => {
          this.#tell({ order: 'reset' })
          return route.answer(call)
        }
        return { ...route, answer }
      })
  }

  /** The metrics of all workers together, in the exposition format. */
  async metrics(): Promise<string> {
    const call = ++this.#calls
    const asked = this.#workers
      .filter(worker => worker.isConnected())
      .map(async worker => {
        const snapshot = await ask(worker, call)
        if (snapshot !== undefined && !worker.isDead()) this.#told.set(worker.id, snapshot)
      })
    const [own] = await Promise.all([this.#gateway.metrics.snapshot(), ...asked])
    return Metrics.merge([own, ...this.#told.values(), await this.#remains])
  }

  /** A process that has ended takes along what it counted since it was last asked. */
  #bury({ id }: Worker): void {
    const last = this.#told.get(id)
    if (last === undefined) return
    this.#told.delete(id)
    this.#remains = this.#remains.then(remains => Metrics.remains([remains, last]))
  }

  /** Has every worker finish what is under way. */
  async stop(): Promise<void> {
    this.#stopping = true
    const gone = this.#workers.map(worker => new Promise(resolve => worker.once('exit', resolve)))
    this.#tell({ order: 'stop' })
    await Promise.all(gone)
  }
}

function listening(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('listening', address => resolve(address.port))
    worker.once('exit', () => reject(new Error('a worker ended before it served')))
  })
}

function ask(worker: Worker, call: number): Promise<Snapshot | undefined> {
  return new Promise(resolve => {
    const end = (snapshot?: Snapshot) => {
      clearTimeout(timer)
      worker.off('message', hear)
      resolve(snapshot)
    }
    const hear = (told: Told) => {
      if (told.call === call) end(told.snapshot)
    }
    const timer = setTimeout(end, PATIENCE)
    worker.on('message', hear)
    worker.send({ order: 'metrics', call } satisfies Order)
  })
}

/** Whether this process is one of several that serve. */
export const isWorker = (): boolean => cluster.isWorker

/** Does what the primary says; `stop` is called when it says so, or is gone. */
export function obey(gateway: Gateway, reloader: Reloader, stop: () => void): void {
  const { worker } = cluster
  worker?.on('disconnect', stop)
  worker?.on('message', async (order: Order) => {
    if (order.order === 'metrics') {
      worker.send({ call: order.call, snapshot: await gateway.metrics.snapshot() } satisfies Told)
    } else if (order.order === 'reload') void reloader.reload()
    else if (order.order === 'reset') gateway.reset()
    else stop()
  })
}

/** Lets go of the primary, so that the process can end. */
export const leave = (): void => void (cluster.worker?.isConnected() && cluster.worker.disconnect())
