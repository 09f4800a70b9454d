// The callers of an operation, as credentials tell them apart.

import type { Request } from '../kernel/request.ts'

/** A named caller. */
export interface Consumer {
  readonly name: string
  /** By the name of a security scheme of the contract. */
  readonly credentials: ReadonlyMap<string, string>
  /** Milliseconds since the epoch, by the world's clock. */
  readonly expires: number | undefined
  /** What it may do where a scheme of OAuth asks for scopes. */
  readonly scopes: ReadonlySet<string>
}

/** Why a request's credential is nobody's. */
export type Refused = 'missing' | 'unknown' | 'expired' | 'unscoped'
export type Verdict = Consumer | Refused
/** Who a request comes from, or why nobody can say. */
export type Judge = (request: Request, now: number) => Verdict
