// The kinds of things that behaviours keep in a world and that outlast the process.

import type { KeptKind, Lasting } from '../changes.ts'
import { Hits } from './hits.ts'
import { IdempotencyKeys } from './idempotency-keys.ts'
import { InheritedNotes, Notes } from './notes.ts'
import { PathCounts } from './path-counts.ts'
import { Quotas } from './quotas.ts'
import { Scenarios } from './scenarios.ts'

export const LASTING: Readonly<Record<KeptKind, new () => Lasting>> = {
  hits: Hits,
  quotas: Quotas,
  keys: IdempotencyKeys,
  paths: PathCounts,
  scenarios: Scenarios,
  // Before the kind that it extends.
  inherited: InheritedNotes,
  notes: Notes,
}

/** The kind of persistent kept state; `undefined` for state of this process only. */
export const kindOfKept = (kept: unknown): KeptKind | undefined =>
  (Object.keys(LASTING) as KeptKind[]).find(kind => kept instanceof LASTING[kind])
