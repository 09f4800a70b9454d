// The messages between the primary process and its workers.

import type { MetricsSnapshot } from '../gateway/metrics/metrics.ts'
import type { KeyPair } from '../plan/tls.ts'

/** From the primary to a worker. */
export type WorkerOrder =
  | { readonly order: 'reload' | 'reset' | 'stop' | 'dealt' | 'closed' }
  | { readonly order: 'certificate'; readonly pair: KeyPair }
  | { readonly order: 'metrics'; readonly call: number }
/**
 * From a worker to the primary: it receives orders from now on; it gives no replies, and waits for `dealt`; it accepts no more
 * connections, and waits for `closed`; the answer to a call; its counts.
 */
export type WorkerMessage =
  | { readonly obeys: true }
  | { readonly holds: true }
  | { readonly accepts: false }
  | { readonly asks: 'certificate' }
  | { readonly call: number; readonly snapshot: MetricsSnapshot }
  | { readonly counts: MetricsSnapshot }
