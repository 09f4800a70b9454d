// The callers that the configuration names, and the search for that of a request.

import type { Request } from '../kernel/http.ts'
import type { World } from '../world/world.ts'

/** A named caller. */
export interface Consumer {
  readonly name: string
  /** Credentials by the name of the contract's security scheme. */
  readonly credentials: ReadonlyMap<string, string>
  /** Milliseconds since the epoch, by the world's clock. */
  readonly expires: number | undefined
  /** Its scopes, for OAuth schemes. */
  readonly scopes: ReadonlySet<string>
}

/** `Request.examined` of a credential that was examined before: see `Observer.prepare`. */
export interface Examined {
  /** Why it is refused: the rest of a sentence that begins with "the credential". Set by its check. */
  refusal?: string | undefined
}

/** `Request.examined` of a request that the program itself makes for a consumer, and which needs no credential for that. */
export class Vouched {
  /** `undefined`: for one that may do everything. */
  readonly consumer: string | undefined

  constructor(consumer?: string) {
    this.consumer = consumer
  }
}

/** Without configured consumers, every well-formed credential is accepted. */
export const ANYBODY: Consumer = { name: 'anybody', credentials: new Map(), expires: undefined, scopes: new Set() }

/** The reason why no consumer could be identified. */
export type RefusedCaller = 'missing' | 'unknown' | 'expired' | 'unscoped'
export type Identified = Consumer | RefusedCaller
/** Returns the consumer of a request, or the reason why there is none. @param world where it arrives, if it does */
export type Identify = (request: Request, now: number, world?: World) => Identified
/** Checks a credential that is not the key of a consumer; `undefined` for one that may be. */
export type CheckCredential = (...given: Parameters<Identify>) => Identified | undefined
