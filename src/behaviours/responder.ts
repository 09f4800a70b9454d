// The extension point for kinds of reply: the interface of a responder.

import type { Handler, PassOn, SettingOf, Site } from './behaviour.ts'

/** One kind of `respond`, with its own keys. */
export interface Responder<Config = unknown> {
  /** The key that chooses it: `respond: { list: books }`. */
  readonly kind: string
  /**
   * The schemas of that key and of those that may stand beside it. A key of several kinds has one schema. One that chooses another
   * kind does not choose it here: the `status` of an `example`.
   */
  readonly keys: Readonly<Record<string, SettingOf<unknown>>>
  /** Whether it changes records. */
  readonly changes: boolean
  /** Set if its key names a resource: whether it answers with one record of it or with many. */
  readonly records?: 'one' | 'many'
  /** Whether it suits every operation, so that `defaults` and `tags` may choose it. */
  readonly general?: boolean
  /** Whether an answer on demand may choose it: it needs neither records nor a valid request. */
  readonly onDemand?: boolean
  /** For a kind that may stand around another one, or around the reply of the contract. */
  readonly around?: {
    /** How it is written then: `forward: { else: simulate }`. */
    readonly written: string
    /** Whether it answers nothing by itself. */
    readonly only?: boolean
    /** Whether it is written so. */
    applies(config: Config): boolean
  }
  /** Set if it passes requests on to another server: returns how it is put around the rest of the chain. */
  passesOn?(config: Config): PassOn
  /**
   * Returns `undefined` after reporting a mistake.
   *
   * @param inner compiles the reply of the kind that it stands around, or else that of the contract
   */
  compile(config: Config, site: Site, inner: () => Handler): Handler | undefined
  /** Its description in the printed plan. Default: its kind and the value of that key. @param inner that of the kind inside */
  describe?(config: Config, inner: string | undefined): string
}
