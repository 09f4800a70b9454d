// This process as one of several workers: takes connections and orders from the primary, and reports its counts. `fleet.ts` is
// the other end.

import cluster, { type Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Reloader } from '../../gateway/reload.ts'
import type { SharedService } from '../../http/processes.ts'
import type { KeyPair } from '../../plan/settings.ts'
import { answerFrom, type WorkerMessage, type WorkerOrder } from './messages.ts'

/** The interval in milliseconds at which a worker reports its counts, at least a hundred times the duration of a report. */
const TELL = 100

/** The maximum time in milliseconds to wait for the metrics, or until all workers hold their replies back and the port is closed. */
const PATIENCE = 3000

const tell = (message: WorkerMessage): void => {
  const { worker } = cluster
  if (worker?.isConnected()) worker.send(message, () => {})
}

/** Calls back with every connection. */
function takeConnections(take: (socket: Socket) => void): void {
  cluster.worker?.on('message', (order: WorkerOrder, socket: Socket | undefined) => {
    if (order.order !== 'connection') return
    // The client may have closed it meanwhile.
    if (socket !== undefined) take(socket)
    tell({ took: order.id })
  })
}

/** The certificate that the primary made. */
async function askForCertificate(): Promise<KeyPair> {
  const order = await ask('certificate')
  if (order === undefined) throw new Error('the primary process has ended')
  return order.pair
}

/** The part of a worker. */
export const workerService: SharedService = {
  isLed: true,
  certificate: askForCertificate,
  async open(port, _host, take) {
    takeConnections(take)
    return port
  },
  page: async () => (await ask('page', PATIENCE))?.text,
  // No replies are given meanwhile.
  async untilPortIsClosed() {
    await ask('closed', PATIENCE)
  },
}

/** Asks the primary for an order of this kind, and waits for it. */
function ask<Kind extends WorkerOrder['order']>(kind: Kind, patience?: number) {
  type Order = WorkerOrder & { readonly order: Kind }
  const isMeant = (order: WorkerOrder) => (order.order === kind ? (order as Order) : undefined)
  const answered = answerFrom(cluster.worker as Worker, isMeant, patience)
  tell({ asks: kind })
  return answered
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
