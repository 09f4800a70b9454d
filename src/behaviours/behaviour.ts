// The extension point: the interface of a behaviour, and with it everything that a behaviour is made of.

import type { Problem } from '../kernel/http.ts'
import type { Schema } from '../kernel/schema/schema.ts'
import type { Wrap } from './exchange.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Site } from './site.ts'

export type { Consumer, Identified, Identify, RefusedCaller } from './exchange.ts'
export { type Choice, Exchange, type Handler, type Wrap, writable } from './exchange.ts'
export type { Invalid, Site } from './site.ts'

/** One capability that an operation may have. Its closure holds no mutable state: state belongs to the world. */
export interface Behaviour<Config> {
  /** Its key in gateway.yaml, and its name in the printed plan. */
  readonly name: string
  /** The schema of that key, which becomes part of gateway.schema.json and of the documentation. Unset: it has no key. */
  readonly schema?: Schema
  /** The behaviour whose key configures this one too, if it has no key. */
  readonly keyOf?: string
  /** The refusals it may answer with, for the documentation. */
  readonly problems?: readonly Problem[]
  /** Whether it decorates every reply of an operation, including internal errors. It must not touch state then. */
  readonly decorates?: boolean
  /** Whether a request may affect later requests. */
  readonly remembers?: boolean
  /** @returns `undefined` if the operation does not need it: it is then not in the chain and costs nothing */
  compile(config: Config | undefined, site: Site): Wrap | undefined
  /** Whether weather may override it: see `Plan.weather`. */
  readonly weather?: boolean
  /** Its description in the printed plan, besides its name. */
  describe?(config: Config | undefined, site: Site): string | undefined
  /** The dates it gives the operation. */
  lifecycle?(config: Config | undefined): Lifecycle | undefined
}
