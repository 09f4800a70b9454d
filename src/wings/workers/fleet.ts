// Several processes behind one port: the primary holds the port and the control plane, and deals connections to the workers,
// which serve the API. Calls of the control plane reach all of them; a worker that dies is replaced and counted. `worker.ts` is
// the other end.

import cluster, { type Worker } from 'node:cluster'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Log } from '../../gateway/log.ts'
import type { MetricsSnapshot } from '../../gateway/metrics/metrics.ts'
import type { ControlRoute } from '../../http/control/route.ts'
import type { SharedService } from '../../http/processes.ts'
import type { KeyPair } from '../../plan/settings.ts'
import { Dealer } from './dealer.ts'
import { type AskedOf, answerFrom, sendOrder, type WorkerMessage, type WorkerOrder } from './messages.ts'
import { primaryRoutes } from './primary-routes.ts'
import { Pulses } from './pulses.ts'
import { WorkerMetrics } from './worker-metrics.ts'

/** A worker that does not answer within this many milliseconds is not waited for. */
const PATIENCE = 1000

/** The pause between two questions whether a worker answers, in milliseconds. */
const PULSE = 1000

/** A worker that ends within this time is replaced after a pause, both in milliseconds. */
const [EARLY, PAUSE] = [1000, 200]

/** The messages of a worker that has ended are read for this many milliseconds. */
const LAST_WORDS = 100

const runningWorkers = (): Worker[] =>
  Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker !== undefined)

/** The workers of a primary. */
export class Fleet implements SharedService {
  readonly isLed = false
  readonly count: number
  readonly #gateway: Gateway
  readonly #log: Log
  readonly #dealer = new Dealer()
  readonly #metrics = new WorkerMetrics()
  readonly #pulses = new Pulses()
  #replacedCount = 0
  #callCount = 0
  #reloadCount = 0
  #hasStarted = false
  #isStopping = false
  #madePair: KeyPair | undefined
  /** The ids of the workers that still give replies after the order to stop. */
  readonly #replying = new Set<number>()

  constructor(gateway: Gateway, log: Log, count: number) {
    this.count = count
    this.#gateway = gateway
    this.#log = log
    gateway.metrics.countWorkers(() => ({ running: runningWorkers().length, replaced: this.#replacedCount }))
    gateway.peers = observer => ({
      read: about => this.#askAll({ observer, about }),
      reset: () => this.#tellAll({ order: 'reset-observer', observer }),
    })
    gateway.onAdopt(() => {
      this.#reloadCount += 1
      this.#tellAll({ order: 'reload' })
    })
  }

  // --- starting and replacing ------------------------------------------------------------------------------------------

  async certificate(make: () => Promise<KeyPair>): Promise<KeyPair> {
    this.#madePair = await make()
    return this.#madePair
  }

  /** Starts the workers. Resolves with their shared port when all of them serve; rejects if one cannot. */
  async open(port: number, host: string): Promise<number> {
    const shared = await this.#dealer.listen(port, host)
    cluster.setupPrimary()
    cluster.setupPrimary({ args: [...(cluster.settings.args ?? []), '--port', `${shared}`] })
    try {
      await Promise.all(Array.from({ length: this.count }, () => this.#fork()))
    } catch (error) {
      this.#dealer.close()
      throw error
    }
    this.#hasStarted = true
    return shared
  }

  /** Resolves when the new worker serves; rejects if it ends before. */
  #fork(): Promise<void> {
    const worker = cluster.fork()
    const forkedAt = performance.now()
    // A channel to a killed process fails by itself; wait for the exit.
    worker.on('error', () => {})
    const reloads = this.#reloadCount
    let isServing = false
    return new Promise((resolve, reject) => {
      worker.on('message', (message: WorkerMessage) => {
        if (!('obeys' in message)) return this.#hear(worker, message)
        isServing = true
        this.#begin(worker, this.#reloadCount !== reloads)
        resolve()
      })
      worker.once('disconnect', () => this.#dealer.dismiss(worker))
      worker.once('exit', (code, signal) => {
        this.#dealer.dismiss(worker)
        this.#pulses.answered(worker.id)
        setTimeout(() => this.#dealer.drop(worker), LAST_WORDS).unref()
        // A worker that cannot begin at the start is the end of the start.
        if (isServing || this.#hasStarted) this.#replace(worker, forkedAt, { code, signal })
        reject(new Error('a worker ended before it began to serve'))
      })
    })
  }

  /** Gives connections to a worker that serves. @param isOutdated whether it has missed a reload */
  #begin(worker: Worker, isOutdated: boolean): void {
    this.#log.info({ worker: worker.process.pid }, 'a worker serves')
    this.#watch(worker).catch(this.#gateway.reportFailure)
    if (isOutdated) sendOrder(worker, { order: 'reload' })
    if (this.#isStopping) sendOrder(worker, { order: 'stop' })
    this.#dealer.add(worker)
  }

  #hear(worker: Worker, message: WorkerMessage): void {
    if ('asks' in message) this.#give(worker, message.asks).catch(this.#gateway.reportFailure)
    else if ('took' in message) this.#dealer.release(message.took)
    else if ('counts' in message) this.#metrics.renew(worker.id, message.counts)
  }

  /** Asks a worker again and again whether it answers, and kills it if it does not for long: it is replaced then. */
  async #watch(worker: Worker): Promise<void> {
    while (!this.#isStopping && worker.isConnected()) {
      const isAlive = (await this.#ask(worker, 'alive')) === true
      if (isAlive || !worker.isConnected()) this.#pulses.answered(worker.id)
      else if (this.#pulses.missed(worker.id) && !this.#isStopping) {
        this.#log.error({ worker: worker.process.pid }, 'a worker does not answer and is killed')
        worker.process.kill('SIGKILL')
        break
      }
      await new Promise<void>(resolve => void setTimeout(resolve, PULSE).unref())
    }
  }

  #replace(worker: Worker, forkedAt: number, exit: object): void {
    this.#metrics.bury(worker.id)
    if (this.#isStopping) {
      this.#noteSilent(worker).catch(this.#gateway.reportFailure)
      return
    }
    this.#replacedCount += 1
    this.#log.warn({ worker: worker.process.pid, ...exit }, 'a worker ended and is replaced')
    // A worker that cannot begin must not be begun again and again without a pause.
    const again = () => {
      if (!this.#isStopping) this.#fork().catch(() => {})
    }
    if (performance.now() - forkedAt > EARLY) again()
    else setTimeout(again, PAUSE)
  }

  // --- orders and questions --------------------------------------------------------------------------------------------

  #tellAll(order: WorkerOrder): void {
    for (const worker of runningWorkers()) sendOrder(worker, order)
  }

  /** Returns the answers of all workers that answer in time. */
  async #askAll(question: AskedOf): Promise<unknown[]> {
    const answers = await Promise.all(runningWorkers().map(worker => this.#ask(worker, question)))
    return answers.filter(answer => answer !== undefined)
  }

  /** Returns the answer of a worker; `undefined` if it gives none in time. */
  #ask(worker: Worker, of: AskedOf): Promise<unknown> {
    const call = ++this.#callCount
    const isMeant = (message: WorkerMessage) => ('told' in message && message.call === call ? message.told : undefined)
    const answered = answerFrom(worker, isMeant, PATIENCE)
    sendOrder(worker, { order: 'tell', call, of })
    return answered
  }

  /** Gives a worker the order that it asks for. */
  async #give(worker: Worker, order: WorkerOrder['order']): Promise<void> {
    if (order === 'closed') return this.#noteSilent(worker)
    if (order === 'page') sendOrder(worker, { order, text: await this.page() })
    else if (this.#madePair !== undefined) sendOrder(worker, { order: 'certificate', pair: this.#madePair })
  }

  // --- the control plane -----------------------------------------------------------------------------------------------

  /** Returns the routes that this process has; a reset reaches all workers. */
  routes(routes: readonly ControlRoute[]): ControlRoute[] {
    return primaryRoutes(routes, this.#gateway.state !== undefined, () => this.#tellAll({ order: 'reset' }))
  }

  async page(): Promise<string> {
    const asked = runningWorkers()
      .filter(worker => worker.isConnected())
      .map(async worker => {
        const snapshot = (await this.#ask(worker, 'metrics')) as MetricsSnapshot | undefined
        if (snapshot !== undefined && !worker.isDead()) this.#metrics.set(worker.id, snapshot)
      })
    const [primary] = await Promise.all([this.#gateway.metrics.snapshot(), ...asked])
    return this.#metrics.page(primary)
  }

  get unavailable(): string | undefined {
    return this.#pulses.unavailable
  }

  // --- stopping --------------------------------------------------------------------------------------------------------

  /**
   * Notes that a worker gives no replies. When none does, no client connects again: when all connections are with a worker, the
   * port is closed, and the workers give the replies that they have held back.
   */
  async #noteSilent({ id }: Worker): Promise<void> {
    if (!this.#replying.delete(id) || this.#replying.size > 0) return
    await this.#dealer.untilQuiet()
    this.#dealer.close()
    this.#tellAll({ order: 'closed' })
  }

  /** Lets every worker finish its running requests. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const workers = runningWorkers()
    for (const { id } of workers) this.#replying.add(id)
    const gone = workers.map(worker => new Promise(resolve => worker.once('exit', resolve)))
    this.#tellAll({ order: 'stop' })
    // A starting worker has nothing to finish.
    for (const worker of workers) if (!this.#dealer.has(worker)) worker.process.kill('SIGTERM')
    await Promise.all(gone)
    this.#dealer.close()
    this.#dealer.dropWaiting()
  }
}
