// Several processes behind one port: the primary holds the port and the control plane, and deals connections to the workers,
// which serve the API. Calls of the control plane reach all of them; a worker that dies is replaced and counted. `worker.ts` is
// the other end.

import cluster, { type Worker } from 'node:cluster'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Log } from '../../gateway/log.ts'
import { Metrics, type MetricsSnapshot } from '../../gateway/metrics/metrics.ts'
import type { KeyPair } from '../../plan/tls.ts'
import type { ControlRoute } from '../control/route.ts'
import { untilQuiet } from '../listener.ts'
import type { WorkerMessage, WorkerOrder } from './worker.ts'

/** A worker that does not answer within this many milliseconds is not waited for. */
const PATIENCE = 1000

/** A worker that ends within this time is replaced after a pause, both in milliseconds. */
const [EARLY, PAUSE] = [1000, 200]

/** The messages of a worker that has ended are read for this many milliseconds. */
const LAST_WORDS = 100

/** A connection that no worker has taken yet. */
interface Dealt {
  readonly worker: Worker
  readonly socket: Socket
}

export class Fleet {
  readonly #gateway: Gateway
  readonly #log: Log
  /** Connections are paused: the worker reads from them. */
  readonly #port = createServer({ pauseOnConnect: true, noDelay: true }, socket => this.#deal(socket))
  #deals = 0
  readonly #dealt = new Map<number, Dealt>()
  /** Connections that wait for the first worker. */
  #undealt: Socket[] = []
  #replaced = 0
  #started = false
  #stopping = false
  #calls = 0
  #reloads = 0
  #pair: KeyPair | undefined
  /** The workers that receive orders and connections, in the order of their turns. */
  #obeying: Worker[] = []
  /** The workers that still give replies after the order to stop. */
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
    for (const worker of this.#workers) sendOrder(worker, order)
  }

  /** Has all workers serve with one certificate, which was made at start. */
  share(pair: KeyPair): void {
    this.#pair = pair
  }

  /** Starts this many workers. Resolves with their shared port when all of them serve; rejects if one cannot. */
  async start(count: number, port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#port.once('error', reject)
      this.#port.listen(port, host, resolve)
    })
    const shared = (this.#port.address() as AddressInfo).port
    cluster.setupPrimary()
    cluster.setupPrimary({ args: [...(cluster.settings.args ?? []), '--port', `${shared}`] })
    try {
      await Promise.all(Array.from({ length: count }, () => this.#fork()))
    } catch (error) {
      this.#port.close()
      throw error
    }
    this.#started = true
    return shared
  }

  /** Resolves when the new worker serves; rejects if it ends before. */
  #fork(): Promise<void> {
    const worker = cluster.fork()
    const born = performance.now()
    // A channel to a killed process fails by itself; wait for the exit.
    worker.on('error', () => {})
    const reloads = this.#reloads
    let served = false
    return new Promise((resolve, reject) => {
      worker.on('message', (told: WorkerMessage) => {
        if ('asks' in told) {
          if (this.#pair !== undefined) sendOrder(worker, { order: 'certificate', pair: this.#pair })
        } else if ('obeys' in told) {
          served = true
          this.#log.info({ worker: worker.process.pid }, 'a worker serves')
          this.#obeying.push(worker)
          // The worker has missed orders before this.
          if (this.#reloads !== reloads) sendOrder(worker, { order: 'reload' })
          if (this.#stopping) sendOrder(worker, { order: 'stop' })
          for (const socket of this.#undealt.splice(0)) this.#deal(socket)
          resolve()
        } else if ('took' in told) this.#taken(told.took)
        else if ('holds' in told) this.#holds(worker)
        else if ('counts' in told)
          this.#told.set(worker.id, Metrics.renew(this.#told.get(worker.id) ?? [], told.counts))
      })
      worker.once('disconnect', () => this.#dismiss(worker))
      worker.once('exit', (code, signal) => {
        this.#dismiss(worker)
        setTimeout(() => this.#drop(worker), LAST_WORDS).unref()
        // One that cannot begin at the start is the end of the start.
        if (served || this.#started) this.#replace(worker, born, { code, signal })
        reject(new Error('a worker ended before it began to serve'))
      })
    })
  }

  #replace(worker: Worker, born: number, how: object): void {
    this.#bury(worker)
    if (this.#stopping) {
      this.#holds(worker)
      return
    }
    this.#replaced += 1
    this.#log.warn({ worker: worker.process.pid, ...how }, 'a worker ended and is replaced')
    // A worker that cannot begin must not be begun again and again without a pause.
    const fork = () => void (this.#stopping || this.#fork().catch(() => {}))
    if (performance.now() - born > EARLY) fork()
    else setTimeout(fork, PAUSE)
  }

  // --- connections -----------------------------------------------------------------------------------------------------

  /** Gives a connection to the next worker. */
  #deal(socket: Socket): void {
    const worker = this.#obeying.shift()
    if (worker === undefined) {
      this.#undealt.push(socket)
      return
    }
    this.#obeying.push(worker)
    const id = ++this.#deals
    this.#dealt.set(id, { worker, socket })
    // The socket stays open here until the worker has taken it, or has ended.
    worker.process.send({ order: 'connection', id } satisfies WorkerOrder, socket, { keepOpen: true }, error => {
      if (error === null || !this.#dealt.delete(id)) return
      this.#dismiss(worker)
      this.#deal(socket)
    })
  }

  #taken(id: number): void {
    this.#dealt.get(id)?.socket.destroy()
    this.#dealt.delete(id)
  }

  /** Closes the connections that a worker which has ended did not take: it may have read from them. */
  #drop(worker: Worker): void {
    for (const [id, dealt] of this.#dealt) if (dealt.worker === worker) this.#taken(id)
  }

  /** Deals no further connections to a worker. */
  #dismiss(worker: Worker): void {
    this.#obeying = this.#obeying.filter(one => one !== worker)
  }

  // --- the control plane -----------------------------------------------------------------------------------------------

  /** The routes of the control plane that stay (see `ControlRoute.underWorkers`), with a reset that reaches all. */
  routes(routes: readonly ControlRoute[]): ControlRoute[] {
    // The primary shares the state of its workers, and its changes reach them.
    if (this.#gateway.state !== undefined) return routes.filter(({ underWorkers }) => underWorkers !== 'absent')
    return routes
      .filter(({ underWorkers }) => underWorkers === 'always' || underWorkers === 'reset')
      .map(route => {
        if (route.underWorkers !== 'reset') return route
        const handle: ControlRoute['handle'] = call => {
          this.#tell({ order: 'reset' })
          return route.handle(call)
        }
        return { ...route, handle }
      })
  }

  /** The metrics of all workers together, in the exposition format. */
  async metrics(): Promise<string> {
    const call = ++this.#calls
    const asked = this.#workers
      .filter(worker => worker.isConnected())
      .map(async worker => {
        const snapshot = await askForMetrics(worker, call)
        if (snapshot !== undefined && !worker.isDead()) this.#told.set(worker.id, snapshot)
      })
    const [own] = await Promise.all([this.#gateway.metrics.snapshot(), ...asked])
    return Metrics.merge([own, ...this.#told.values(), await this.#totalsOfExited])
  }

  /** Counts since the last report of a killed process are lost: at most those of the interval `TELL`. */
  #bury({ id }: Worker): void {
    const last = this.#told.get(id)
    if (last === undefined) return
    this.#told.delete(id)
    this.#totalsOfExited = this.#totalsOfExited.then(totals => Metrics.totalsOfExited([totals, last]))
  }

  // --- stopping --------------------------------------------------------------------------------------------------------

  /**
   * When no worker gives replies, no client connects again: when all connections are with a worker, the port is closed, and the
   * workers give the replies that they have held back.
   */
  async #holds({ id }: Worker): Promise<void> {
    if (!this.#replying.delete(id) || this.#replying.size > 0) return
    await untilQuiet(
      () => this.#deals,
      () => this.#dealt.size > 0,
    )
    this.#port.close()
    this.#tell({ order: 'closed' })
  }

  /** Lets every worker finish its running requests. */
  async stop(): Promise<void> {
    this.#stopping = true
    for (const { id } of this.#workers) this.#replying.add(id)
    const gone = this.#workers.map(worker => new Promise(resolve => worker.once('exit', resolve)))
    this.#tell({ order: 'stop' })
    // A starting worker has nothing to finish.
    for (const worker of this.#workers) if (!this.#obeying.includes(worker)) worker.process.kill('SIGTERM')
    await Promise.all(gone)
    this.#port.close()
    for (const socket of this.#undealt) socket.destroy()
  }
}

/** Ignores a failed send to a worker that has just exited: its exit is handled elsewhere. */
function sendOrder(worker: Worker, order: WorkerOrder): void {
  if (worker.isConnected()) worker.send(order, () => {})
}

function askForMetrics(worker: Worker, call: number): Promise<MetricsSnapshot | undefined> {
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
    sendOrder(worker, { order: 'metrics', call })
  })
}
