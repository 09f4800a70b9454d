// The things that behaviours keep in a world and that outlast a process: tables of JSON values by key, each of which tells
// its changes to the world's recorder.

import type { KeptKind, Lasting } from './effects.ts'
import { Hits } from './hits.ts'
import { IdempotencyKeys } from './idempotency.ts'
import { PathCounts } from './path-counts.ts'
import { Quotas } from './quotas.ts'

export const LASTING: Readonly<Record<KeptKind, new () => Lasting>> = {
  hits: Hits,
  quotas: Quotas,
  keys: IdempotencyKeys,
  paths: PathCounts,
}

/** The kind of persistent kept state; `undefined` for state of this process only. */
export const kindOf = (kept: unknown): KeptKind | undefined =>
  (Object.keys(LASTING) as KeptKind[]).find(kind => kept instanceof LASTING[kind])
