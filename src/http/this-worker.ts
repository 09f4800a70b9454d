// This process as one of several workers: receives the orders of the primary, and reports its counts.

import cluster from 'node:cluster'
import type { Gateway } from '../gateway/gateway.ts'
import type { Metrics } from '../gateway/metrics/metrics.ts'
import type { Reloader } from '../gateway/reload.ts'
import type { KeyPair } from '../plan/tls.ts'
import type { Peers } from './listener.ts'
import type { WorkerMessage, WorkerOrder } from './worker-messages.ts'

/** The interval in milliseconds at which a worker reports its counts, at least a hundred times the duration of a report. */
const TELL = 100

/** The maximum time in milliseconds to wait for the other workers to hold their requests back, and to close the port. */
const PATIENCE = { dealt: 3000, closed: 1000 } as const

/** Whether this process is one of several that serve. */
export const isWorker = (): boolean => cluster.isWorker

/** In a worker: the certificate that the primary made. */
export async function askForCertificate(): Promise<KeyPair> {
  const given = await ask({ asks: 'certificate' }, 'certificate')
  if (given === undefined) throw new Error('the primary process has ended')
  return given.pair
}

/** In a worker that stops: the other ones. */
export const otherWorkers: Peers = {
  async dealt() {
    await ask({ holds: true }, 'dealt', PATIENCE.dealt)
  },
  async allClosed() {
    await ask({ accepts: false }, 'closed', PATIENCE.closed)
  },
}

/**
 * Sends a message to the primary and waits for an order of this kind; `undefined` where the primary ends, or there is none
 * within `patience` milliseconds.
 */
function ask<Kind extends WorkerOrder['order']>(
  message: WorkerMessage,
  kind: Kind,
  patience?: number,
): Promise<(WorkerOrder & { readonly order: Kind }) | undefined> {
  return new Promise(resolve => {
    const { worker } = cluster
    const end = (order?: WorkerOrder & { readonly order: Kind }) => {
      clearTimeout(timer)
      worker?.off('message', hear)
      worker?.off('disconnect', gone)
      resolve(order)
    }
    const gone = () => end()
    const hear = (order: WorkerOrder) => {
      if (order.order === kind) end(order as WorkerOrder & { readonly order: Kind })
    }
    const timer = patience === undefined ? undefined : setTimeout(gone, patience)
    worker?.on('message', hear)
    worker?.once('disconnect', gone)
    worker?.send(message, () => {})
  })
}

/** Executes the orders of the primary. Calls `stop` on its order or when it ends. */
export function obey(gateway: Gateway, reloader: Reloader, stop: () => void): void {
  const { worker } = cluster
  if (worker === undefined) return
  const tell = (told: WorkerMessage) => void (worker.isConnected() && worker.send(told, () => {}))
  worker.on('error', stop)
  worker.on('disconnect', stop)
  worker.on('message', async (order: WorkerOrder) => {
    const { order: kind } = order
    switch (kind) {
      case 'metrics':
        tell({ call: order.call, snapshot: await gateway.metrics.snapshot() })
        return
      case 'reload':
        reloader.reload().catch(() => {})
        return
      case 'reset':
        gateway.reset()
        return
      case 'stop':
        stop()
        return
      case 'certificate':
      case 'dealt':
      case 'closed':
        // For `ask`.
        return
      default:
        kind satisfies never
    }
  })
  tell({ obeys: true })
  tellCounts(gateway.metrics, tell)
}

/** Reports the counts repeatedly, so that few are lost with the process. */
function tellCounts(metrics: Metrics, tell: (told: WorkerMessage) => void): void {
  let told = 0
  const look = async () => {
    const { counted } = metrics
    const began = performance.now()
    if (counted !== told) tell({ counts: await metrics.counts() })
    told = counted
    setTimeout(look, Math.max(TELL, 100 * (performance.now() - began))).unref()
  }
  void look()
}

/** Lets go of the primary, so that the process can end. */
export const leave = (): void => void (cluster.worker?.isConnected() && cluster.worker.disconnect())
