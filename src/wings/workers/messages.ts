// The messages between the primary and its workers, and waiting for an answer.

import type { Worker } from 'node:cluster'
import type { MetricsSnapshot } from '../../gateway/metrics/metrics.ts'
import type { KeyPair } from '../../plan/settings.ts'

/** A question to a worker: whether its event loop runs, all metrics, or the shared state of an observer. */
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

/**
 * Waits for the message in which `find` finds the answer; `undefined` if the other end has gone, or sends none within `patience`
 * milliseconds.
 */
export function answerFrom<Message, Answer>(
  end: Worker,
  find: (message: Message) => Answer | undefined,
  patience?: number,
): Promise<Answer | undefined> {
  return new Promise(resolve => {
    const stop = (answer?: Answer) => {
      clearTimeout(timer)
      end.off('message', hear)
      end.off('disconnect', gone)
      resolve(answer)
    }
    const gone = () => stop()
    const hear = (message: Message) => {
      const answer = find(message)
      if (answer !== undefined) stop(answer)
    }
    const timer = patience === undefined ? undefined : setTimeout(gone, patience)
    end.on('message', hear)
    end.once('disconnect', gone)
  })
}

/** Ignores a failed send to a worker that has just exited: its exit is handled elsewhere. */
export function sendOrder(worker: Worker, order: WorkerOrder): void {
  if (worker.isConnected()) worker.send(order, () => {})
}
