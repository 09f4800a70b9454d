// Several processes behind one port: the primary holds the port and the control plane, and deals connections to the workers,
// which serve the API. Calls of the control plane reach all of them; a worker that dies is replaced and counted. `worker.ts` is
// the other end.

import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Log } from '../../gateway/log.ts'
import { Metrics, type MetricsSnapshot } from '../../gateway/metrics/metrics.ts'
import type { KeyPair } from '../../plan/settings.ts'
import type { ControlRoute } from '../control/route.ts'
import { untilQuiet } from '../listener.ts'
import { Pulses } from './pulses.ts'
import { type AskedOf, answerFrom, type WorkerMessage, type WorkerOrder } from './worker.ts'

/** A worker that does not answer within this many milliseconds is not waited for. */
const PATIENCE = 1000

/** The pause between two questions whether a worker answers, in milliseconds. */
const PULSE = 1000

/** A worker that ends within this time is replaced after a pause, both in milliseconds. */
const [EARLY, PAUSE] = [1000, 200]

/** The messages of a worker that has ended are read for this many milliseconds. */
const LAST_WORDS = 100

/** The workers of a primary. */
export function createFleet(gateway: Gateway, log: Log) {
  /** Connections are paused: the worker reads from them. */
  const server = createServer({ pauseOnConnect: true, noDelay: true }, socket => deal(socket))
  let dealCount = 0
  /** The connections that no worker has taken yet. */
  const connections = new Map<number, { readonly worker: Worker; readonly socket: Socket }>()
  /** Connections that wait for the first worker. */
  const undealt: Socket[] = []
  let replaced = 0
  let started = false
  let stopping = false
  let callCount = 0
  let reloadCount = 0
  let madePair: KeyPair | undefined
  /** The workers that receive orders and connections, in the order of their turns. */
  let obeying: Worker[] = []
  /** The workers that still give replies after the order to stop. */
  const replying = new Set<number>()
  /** The last numbers of each worker by id, and the totals of exited workers, which stay in the sums. */
  const lastCounts = new Map<number, MetricsSnapshot>()
  let totalsOfExited: Promise<MetricsSnapshot> = Promise.resolve([])
  const pulses = new Pulses()

  gateway.metrics.countWorkers(() => ({ running: running().length, replaced }))
  gateway.peers = observer => ({
    read: about => askAll({ observer, about }),
    reset: () => tell({ order: 'reset-observer', observer }),
  })
  gateway.onAdopt(() => {
    reloadCount += 1
    tell({ order: 'reload' })
  })

  function running(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)
  }

  /** Returns the numbers of all workers that answer in time. */
  async function askAll(of: AskedOf): Promise<unknown[]> {
    const found = await Promise.all(running().map(worker => askWorker(worker, of)))
    return found.filter(numbers => numbers !== undefined)
  }

  /** Returns the numbers of a worker; `undefined` if it gives none in time. */
  function askWorker(worker: Worker, of: AskedOf): Promise<unknown> {
    const call = ++callCount
    const isMeant = (message: WorkerMessage) => ('told' in message && message.call === call ? message.told : undefined)
    const answered = answerFrom(worker, isMeant, PATIENCE)
    sendOrder(worker, { order: 'tell', call, of })
    return answered
  }

  function tell(order: WorkerOrder): void {
    for (const worker of running()) sendOrder(worker, order)
  }

  /** Has all workers serve with one certificate, which was made at start. */
  function share(pair: KeyPair): void {
    madePair = pair
  }

  /** Starts this many workers. Resolves with their shared port when all of them serve; rejects if one cannot. */
  async function start(count: number, port: number, host: string): Promise<number> {
    await once(server.listen(port, host), 'listening')
    const shared = (server.address() as AddressInfo).port
    cluster.setupPrimary()
    cluster.setupPrimary({ args: [...(cluster.settings.args ?? []), '--port', `${shared}`] })
    try {
      await Promise.all(Array.from({ length: count }, () => fork()))
    } catch (error) {
      server.close()
      throw error
    }
    started = true
    return shared
  }

  /** Resolves when the new worker serves; rejects if it ends before. */
  function fork(): Promise<void> {
    const worker = cluster.fork()
    const born = performance.now()
    // A channel to a killed process fails by itself; wait for the exit.
    worker.on('error', () => {})
    const reloads = reloadCount
    let served = false
    return new Promise((resolve, reject) => {
      worker.on('message', (told: WorkerMessage) => {
        if ('asks' in told) give(worker, told.asks).catch(gateway.reportFailure)
        else if ('obeys' in told) {
          served = true
          log.info({ worker: worker.process.pid }, 'a worker serves')
          obeying.push(worker)
          watch(worker).catch(gateway.reportFailure)
          // The worker has missed orders before this.
          if (reloadCount !== reloads) sendOrder(worker, { order: 'reload' })
          if (stopping) sendOrder(worker, { order: 'stop' })
          for (const socket of undealt.splice(0)) deal(socket)
          resolve()
        } else if ('took' in told) taken(told.took)
        else if ('counts' in told)
          lastCounts.set(worker.id, Metrics.renew(lastCounts.get(worker.id) ?? [], told.counts))
      })
      worker.once('disconnect', () => dismiss(worker))
      worker.once('exit', (code, signal) => {
        dismiss(worker)
        pulses.answered(worker.id)
        setTimeout(() => drop(worker), LAST_WORDS).unref()
        // One that cannot begin at the start is the end of the start.
        if (served || started) replace(worker, born, { code, signal })
        reject(new Error('a worker ended before it began to serve'))
      })
    })
  }

  /** Asks a worker again and again whether it answers, and kills it if it does not for long: it is replaced then. */
  async function watch(worker: Worker): Promise<void> {
    while (!stopping && worker.isConnected()) {
      const isAlive = (await askWorker(worker, 'alive')) === true
      if (isAlive || !worker.isConnected()) pulses.answered(worker.id)
      else if (pulses.missed(worker.id) && !stopping) {
        log.error({ worker: worker.process.pid }, 'a worker does not answer and is killed')
        worker.process.kill('SIGKILL')
        break
      }
      await new Promise<void>(resolve => void setTimeout(resolve, PULSE).unref())
    }
  }

  /** Gives a worker the order that it asks for. */
  async function give(worker: Worker, asked: WorkerOrder['order']): Promise<void> {
    if (asked === 'closed') return holds(worker)
    if (asked === 'page') sendOrder(worker, { order: 'page', text: await metrics() })
    else if (madePair !== undefined) sendOrder(worker, { order: 'certificate', pair: madePair })
  }

  function replace(worker: Worker, born: number, how: object): void {
    bury(worker)
    if (stopping) {
      holds(worker).catch(gateway.reportFailure)
      return
    }
    replaced += 1
    log.warn({ worker: worker.process.pid, ...how }, 'a worker ended and is replaced')
    // A worker that cannot begin must not be begun again and again without a pause.
    const again = () => void (stopping || fork().catch(() => {}))
    if (performance.now() - born > EARLY) again()
    else setTimeout(again, PAUSE)
  }

  // --- connections -----------------------------------------------------------------------------------------------------

  /** Gives a connection to the next worker. */
  function deal(socket: Socket): void {
    const worker = obeying.shift()
    if (worker === undefined) {
      undealt.push(socket)
      return
    }
    obeying.push(worker)
    const id = ++dealCount
    connections.set(id, { worker, socket })
    // The socket stays open here until the worker has taken it, or has ended.
    worker.process.send({ order: 'connection', id } satisfies WorkerOrder, socket, { keepOpen: true }, error => {
      if (error === null || !connections.delete(id)) return
      dismiss(worker)
      deal(socket)
    })
  }

  function taken(id: number): void {
    connections.get(id)?.socket.destroy()
    connections.delete(id)
  }

  /** Closes the connections that a worker which has ended did not take: it may have read from them. */
  function drop(worker: Worker): void {
    for (const [id, dealt] of connections) if (dealt.worker === worker) taken(id)
  }

  /** Deals no further connections to a worker. */
  function dismiss(worker: Worker): void {
    obeying = obeying.filter(one => one !== worker)
  }

  // --- the control plane -----------------------------------------------------------------------------------------------

  /** The routes of the control plane that stay (see `ControlRoute.underWorkers`), with a reset that reaches all. */
  function routes(routes: readonly ControlRoute[]): ControlRoute[] {
    // The primary shares the state of its workers, and its changes reach them.
    if (gateway.state !== undefined) return routes.filter(({ underWorkers }) => underWorkers !== 'absent')
    return routes
      .filter(({ underWorkers }) => underWorkers === 'always' || underWorkers === 'reset')
      .map(route => {
        if (route.underWorkers !== 'reset') return route
        const handle: ControlRoute['handle'] = call => {
          tell({ order: 'reset' })
          return route.handle(call)
        }
        return { ...route, handle }
      })
  }

  /** The metrics of all workers together, in the exposition format. */
  async function metrics(): Promise<string> {
    const asked = running()
      .filter(worker => worker.isConnected())
      .map(async worker => {
        const snapshot = (await askWorker(worker, 'metrics')) as MetricsSnapshot | undefined
        if (snapshot !== undefined && !worker.isDead()) lastCounts.set(worker.id, snapshot)
      })
    const [own] = await Promise.all([gateway.metrics.snapshot(), ...asked])
    return Metrics.merge([own, ...lastCounts.values(), await totalsOfExited])
  }

  /** Counts since the last report of a killed process are lost: at most those of the interval `TELL`. */
  function bury({ id }: Worker): void {
    const last = lastCounts.get(id)
    if (last === undefined) return
    lastCounts.delete(id)
    totalsOfExited = totalsOfExited.then(totals => Metrics.totalsOfExited([totals, last]))
  }

  // --- stopping --------------------------------------------------------------------------------------------------------

  /**
   * When no worker gives replies, no client connects again: when all connections are with a worker, the port is closed, and the
   * workers give the replies that they have held back.
   */
  async function holds({ id }: Worker): Promise<void> {
    if (!replying.delete(id) || replying.size > 0) return
    await untilQuiet(
      () => dealCount,
      () => connections.size > 0,
    )
    server.close()
    tell({ order: 'closed' })
  }

  /** Lets every worker finish its running requests. */
  async function stop(): Promise<void> {
    stopping = true
    for (const { id } of running()) replying.add(id)
    const gone = running().map(worker => new Promise(resolve => worker.once('exit', resolve)))
    tell({ order: 'stop' })
    // A starting worker has nothing to finish.
    for (const worker of running()) if (!obeying.includes(worker)) worker.process.kill('SIGTERM')
    await Promise.all(gone)
    server.close()
    for (const socket of undealt) socket.destroy()
  }

  /** Why not all workers serve; `undefined` if they do. */
  const unavailable = () => pulses.unavailable

  return { share, start, routes, metrics, unavailable, stop }
}

export type Fleet = ReturnType<typeof createFleet>

/** Ignores a failed send to a worker that has just exited: its exit is handled elsewhere. */
function sendOrder(worker: Worker, order: WorkerOrder): void {
  if (worker.isConnected()) worker.send(order, () => {})
}
