// Several processes behind one port: the primary holds the control plane, the workers serve the API. Calls of
// the control plane reach all of them; a worker that dies is replaced and counted. `this-worker.ts` is the other end.

import cluster, { type Worker } from 'node:cluster'
import type { Gateway } from '../gateway/gateway.ts'
import type { Log } from '../gateway/log.ts'
import { Metrics, type MetricsSnapshot } from '../gateway/metrics/metrics.ts'
import type { KeyPair } from '../plan/tls.ts'
import type { ControlRoute } from './control/route.ts'
import { freePort } from './free-port.ts'
import { HandOvers } from './hand-overs.ts'
import type { WorkerMessage, WorkerOrder } from './worker-messages.ts'

/** A worker that does not answer within this many milliseconds is not waited for. */
const PATIENCE = 1000

/** A worker that ends within this time is replaced after a pause, both in milliseconds. */
const [EARLY, PAUSE] = [1000, 200]

export class Fleet {
  readonly #gateway: Gateway
  readonly #log: Log
  readonly #handOvers = new HandOvers()
  #replaced = 0
  #started = false
  #stopping = false
  #calls = 0
  #reloads = 0
  #pair: KeyPair | undefined
  /** The workers that receive orders, by their ids. */
  readonly #obeying = new Set<number>()
  /** The workers that still accept connections after the order to stop. */
  readonly #accepting = new Set<number>()
  /** Those of them that give replies. */
  readonly #replying = new Set<number>()
  /** The last numbers of each worker by id, and the totals of exited workers, which stay in the sums. */
  readonly #told = new Map<number, MetricsSnapshot>()
  #totalsOfExited: Promise<MetricsSnapshot> = Promise.resolve([])

  constructor(gateway: Gateway, log: Log) {
    this.#gateway = gateway
    this.#log = log
    gateway.metrics.countWorkers(() => ({ running: this.#workers.length, replaced: this.#replaced }))
    gateway.onAdopt(() => {
      this.#reloads += 1
      this.#tell({ order: 'reload' })
    })
  }

  get #workers(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)
  }

  #tell(order: WorkerOrder): void {
    for (const worker of this.#workers) send(worker, order)
  }

  /** Has all workers serve with one certificate, which was made at start. */
  share(pair: KeyPair): void {
    this.#pair = pair
  }

  /** Starts this many workers. Resolves with their shared port when all of them listen; rejects if one cannot. */
  async start(count: number, port: number, host: string): Promise<number> {
    // The kernel would deal the connections out unevenly: 28 of 32 to one worker of two.
    cluster.schedulingPolicy = cluster.SCHED_RR
    cluster.setupPrimary()
    // The port outlives all workers: were it free for each to choose, those that replace all at once would choose another.
    const shared = port === 0 ? await freePort(host) : port
    cluster.setupPrimary({ args: [...(cluster.settings.args ?? []), '--port', `${shared}`] })
    cluster.on('listening', worker => this.#log.info({ worker: worker.process.pid }, 'a worker serves'))
    await Promise.all(Array.from({ length: count }, () => listening(this.#fork())))
    this.#started = true
    return shared
  }

  #fork(): Worker {
    const worker = cluster.fork()
    this.#handOvers.follow(worker)
    const born = performance.now()
    // A channel to a killed process fails by itself; wait for the exit.
    worker.on('error', () => {})
    const reloads = this.#reloads
    worker.on('message', (told: WorkerMessage) => {
      if ('asks' in told) {
        if (this.#pair !== undefined) send(worker, { order: 'certificate', pair: this.#pair })
      } else if ('obeys' in told) {
        this.#obeying.add(worker.id)
        // The worker has missed orders before this.
        if (this.#reloads !== reloads) send(worker, { order: 'reload' })
        if (this.#stopping) send(worker, { order: 'stop' })
      } else if ('holds' in told) this.#holds(worker)
      else if ('accepts' in told) this.#closed(worker)
      else if ('counts' in told) this.#told.set(worker.id, Metrics.renew(this.#told.get(worker.id) ?? [], told.counts))
    })
    let served = false
    worker.once('listening', () => {
      served = true
    })
    worker.once('exit', (code, signal) => {
      // One that cannot begin at the start is the end of the start.
      if (served || this.#started) this.#replace(worker, born, { code, signal })
    })
    return worker
  }

  #replace(worker: Worker, born: number, how: object): void {
    this.#bury(worker)
    if (this.#stopping) {
      this.#holds(worker)
      this.#closed(worker)
      return
    }
    this.#replaced += 1
    this.#log.warn({ worker: worker.process.pid, ...how }, 'a worker ended and is replaced')
    // A worker that cannot begin must not be begun again and again without a pause.
    const fork = () => void (this.#stopping || this.#fork())
    if (performance.now() - born > EARLY) fork()
    else setTimeout(fork, PAUSE)
  }

  /** The routes of the control plane that stay (see `ControlRoute.underWorkers`), with a reset that reaches all. */
  routes(routes: readonly ControlRoute[]): ControlRoute[] {
    // The primary shares the state of its workers, and its changes reach them.
    if (this.#gateway.state !== undefined) return routes.filter(({ underWorkers }) => underWorkers !== 'absent')
    return routes
      .filter(({ underWorkers }) => underWorkers === 'always' || underWorkers === 'reset')
      .map(route => {
        if (route.underWorkers !== 'reset') return route
        const answer: ControlRoute['answer'] = call => {
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
    return Metrics.merge([own, ...this.#told.values(), await this.#totalsOfExited])
  }

  /** Counts since the last report of a killed process are lost: at most those of the interval `TELL`. */
  #bury({ id }: Worker): void {
    this.#obeying.delete(id)
    const last = this.#told.get(id)
    if (last === undefined) return
    this.#told.delete(id)
    this.#totalsOfExited = this.#totalsOfExited.then(totals => Metrics.totalsOfExited([totals, last]))
  }

  /** When no worker gives replies, no client connects again; when all connections are dealt out, the port may be closed. */
  #holds({ id }: Worker): void {
    if (!this.#replying.delete(id) || this.#replying.size > 0) return
    void this.#handOvers.settled().then(() => this.#tell({ order: 'dealt' }))
  }

  /** When no worker accepts connections, all of them give the replies that they have held back. */
  #closed({ id }: Worker): void {
    this.#accepting.delete(id)
    if (this.#accepting.size === 0) this.#tell({ order: 'closed' })
  }

  /** Lets every worker finish its running requests. */
  async stop(): Promise<void> {
    this.#stopping = true
    for (const { id } of this.#workers) {
      this.#accepting.add(id)
      this.#replying.add(id)
    }
    const gone = this.#workers.map(worker => new Promise(resolve => worker.once('exit', resolve)))
    this.#tell({ order: 'stop' })
    // A starting worker has nothing to finish.
    for (const worker of this.#workers) if (!this.#obeying.has(worker.id)) worker.process.kill('SIGTERM')
    await Promise.all(gone)
  }
}

/** Ignores a failed send to a worker that has just exited: its exit is handled elsewhere. */
function send(worker: Worker, order: WorkerOrder): void {
  if (worker.isConnected()) worker.send(order, () => {})
}

function listening(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('listening', () => resolve())
    worker.once('exit', () => reject(new Error('a worker ended before it began to serve')))
  })
}

function ask(worker: Worker, call: number): Promise<MetricsSnapshot | undefined> {
  return new Promise(resolve => {
    const end = (snapshot?: MetricsSnapshot) => {
      clearTimeout(timer)
      worker.off('message', hear)
      worker.off('exit', gone)
      resolve(snapshot)
    }
    const gone = () => end()
    const hear = (told: WorkerMessage) => {
      if ('call' in told && told.call === call) end(told.snapshot)
    }
    const timer = setTimeout(end, PATIENCE)
    worker.on('message', hear)
    worker.on('exit', gone)
    send(worker, { order: 'metrics', call })
  })
}
