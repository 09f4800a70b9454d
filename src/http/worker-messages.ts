// The messages between the primary process and its workers.

import type { MetricsSnapshot } from '../gateway/metrics/metrics.ts'
import type { KeyPair } from '../plan/tls.ts'

/** From the primary to a worker. */
export type WorkerOrder =
  | { readonly order: 'reload' | 'reset' | 'stop' }
  | { readonly order: 'certificate'; readonly pair: KeyPair }
  | { readonly order: 'metrics'; readonly call: number }
/** From a worker to the primary: it receives orders from now on; the answer to a call; its counts. */
export type WorkerMessage =
  | { readonly obeys: true }
  | { readonly asks: 'certificate' }
  | { readonly call: number; readonly snapshot: MetricsSnapshot }
  | { readonly counts: MetricsSnapshot }
