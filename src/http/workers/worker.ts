// This process as one of several workers: takes connections and orders from the primary, and reports its counts. `fleet.ts` is
// the other end.

import cluster, { type Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import type { Gateway } from '../../gateway/gateway.ts'
import type { MetricsSnapshot } from '../../gateway/metrics/metrics.ts'
import type { Reloader } from '../../gateway/reload.ts'
import type { KeyPair } from '../../plan/settings.ts'

/** What the primary asks a worker for: whether its event loop runs, all metrics, or the shared state of an observer. */
export type AskedOf = 'alive' | 'metrics' | { readonly observer: string; readonly about: unknown }

/** From the primary to a worker. A connection comes with its socket. */
export type WorkerOrder =
  | { readonly order: 'reload' | 'reset' | 'stop' | 'closed' }
  | { readonly order: 'reset-observer'; readonly observer: string }
  | { readonly order: 'connection'; readonly id: number }
  | { readonly order: 'certificate'; readonly pair: KeyPair }
  | { readonly order: 'tell'; readonly call: number; readonly of: AskedOf }
  | { readonly order: 'page'; readonly text: string }
/**
 * From a worker to the primary: it receives orders from now on; it has taken a connection; it waits for an order, for `closed`
 * when it gives no replies; the answer to a call; its counts.
 */
export type WorkerMessage =
  | { readonly obeys: true }
  | { readonly took: number }
  | { readonly asks: WorkerOrder['order'] }
  | { readonly call: number; readonly told: unknown }
  | { readonly counts: MetricsSnapshot }

/** The interval in milliseconds at which a worker reports its counts, at least a hundred times the duration of a report. */
const TELL = 100

/** The maximum time in milliseconds to wait for the metrics, or until all workers hold their replies back and the port is closed. */
const PATIENCE = 3000

/** Whether this process is one of several that serve. */
export const isWorker = (): boolean => cluster.isWorker

const tell = (message: WorkerMessage): void => {
  const { worker } = cluster
  if (worker?.isConnected()) worker.send(message, () => {})
}

/** In a worker: calls back with every connection. */
export function takeConnections(take: (socket: Socket) => void): void {
  cluster.worker?.on('message', (order: WorkerOrder, socket: Socket | undefined) => {
    if (order.order !== 'connection') return
    // The client may have closed it meanwhile.
    if (socket !== undefined) take(socket)
    tell({ took: order.id })
  })
}

/** In a worker: the certificate that the primary made. */
export async function askForCertificate(): Promise<KeyPair> {
  const given = await ask('certificate')
  if (given === undefined) throw new Error('the primary process has ended')
  return given.pair
}

/** In a worker that gives no replies: resolves when the port is closed and all connections are with a worker. */
export async function untilPortIsClosed(): Promise<void> {
  await ask('closed', PATIENCE)
}

/** In a worker: the metrics of all processes together; `undefined` if the primary does not answer. */
export const askForPage = async (): Promise<string | undefined> => (await ask('page', PATIENCE))?.text

/** Asks the primary for an order of this kind, and waits for it. */
function ask<Kind extends WorkerOrder['order']>(kind: Kind, patience?: number) {
  type Order = WorkerOrder & { readonly order: Kind }
  const isMeant = (order: WorkerOrder) => (order.order === kind ? (order as Order) : undefined)
  const answered = answerFrom(cluster.worker as Worker, isMeant, patience)
  tell({ asks: kind })
  return answered
}

/**
 * Waits for the message that `find` finds something in; `undefined` where the other end has gone, or sends none within `patience`
 * milliseconds.
 */
export function answerFrom<Message, Found>(
  end: Worker,
  find: (message: Message) => Found | undefined,
  patience?: number,
): Promise<Found | undefined> {
  return new Promise(resolve => {
    const stop = (found?: Found) => {
      clearTimeout(timer)
      end.off('message', hear)
      end.off('disconnect', gone)
      resolve(found)
    }
    const gone = () => stop()
    const hear = (message: Message) => {
      const found = find(message)
      if (found !== undefined) stop(found)
    }
    const timer = patience === undefined ? undefined : setTimeout(gone, patience)
    end.on('message', hear)
    end.once('disconnect', gone)
  })
}

/** Executes the orders of the primary. Calls `stop` on its order or when it ends. */
export function obey(gateway: Gateway, reloader: Reloader, stop: () => void): void {
  const { worker } = cluster
  if (worker === undefined) return
  const tellNumbers = async ({ call, of }: Extract<WorkerOrder, { readonly order: 'tell' }>) => {
    if (of === 'alive') tell({ call, told: true })
    else if (of === 'metrics') tell({ call, told: await gateway.metrics.snapshot() })
    else tell({ call, told: await gateway.readShared(of.observer, of.about) })
  }
  worker.on('error', stop)
  worker.on('disconnect', stop)
  worker.on('message', (order: WorkerOrder) => {
    const { order: kind } = order
    switch (kind) {
      case 'tell':
        tellNumbers(order).catch(gateway.reportFailure)
        return
      case 'reload':
        reloader.reload().catch(() => {})
        return
      case 'reset':
        gateway.reset()
        return
      case 'reset-observer':
        gateway.resetShared(order.observer)
        return
      case 'stop':
        stop()
        return
      case 'connection':
      case 'certificate':
      case 'closed':
      case 'page':
        // For `takeConnections` and `ask`.
        return
      default:
        kind satisfies never
    }
  })
  tell({ obeys: true })
  tellCounts(gateway)
}

/** Reports the counts repeatedly, so that few are lost with the process. */
function tellCounts({ metrics, reportFailure }: Gateway): void {
  let told = 0
  const look = async () => {
    const { counted } = metrics
    const began = performance.now()
    if (counted !== told) tell({ counts: await metrics.counts() })
    told = counted
    setTimeout(begin, Math.max(TELL, 100 * (performance.now() - began))).unref()
  }
  const begin = () => void look().catch(reportFailure)
  begin()
}

/** Lets go of the primary, so that the process can end. */
export const leave = (): void => void (cluster.worker?.isConnected() && cluster.worker.disconnect())
