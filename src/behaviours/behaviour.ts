// The extension point: the interface of a behaviour, and with it everything that a behaviour is made of.

import type { Problem } from '../kernel/problem.ts'
import type { Schema } from '../kernel/schema.ts'
import type { Wrap } from './exchange.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Site } from './site.ts'

export type { Consumer, Judge, Refused, Verdict } from './caller.ts'
export { type Choice, draftOf, Exchange, type Handler, type Wrap } from './exchange.ts'
export type { Invalid, Site } from './site.ts'

/** One capability that an operation may have. Its closure holds nothing that changes: that is the world's. */
export interface Behaviour<Config> {
  /** Its key in gateway.yaml, and its name in the printed plan. */
  readonly name: string
  /** The shape of that key; it becomes part of gateway.schema.json and of the documentation. Unset: it has no key. */
  readonly schema?: Schema
  /** The behaviour whose key configures this one too, where it has no key. */
  readonly keyOf?: string
  /** The refusals it may answer with, for the documentation. */
  readonly problems?: readonly Problem[]
  /** Whether it dresses every reply of an operation, failures of our own included. It must then touch no state. */
  readonly dresses?: boolean
  /** Whether what one request did, another request meets. */
  readonly remembers?: boolean
  /** @returns `undefined` where the operation has no use for it: it is then not in the chain, and costs nothing */
  compile(config: Config | undefined, site: Site): Wrap | undefined
  /** Whether the weather may overlay it: see `Plan.weather`. */
  readonly weather?: boolean
  /** What the printed plan says of it, where that is more than its name. */
  describe?(config: Config | undefined, site: Site): string | undefined
  /** The dates it gives the operation. */
  lifecycle?(config: Config | undefined): Lifecycle | undefined
}
