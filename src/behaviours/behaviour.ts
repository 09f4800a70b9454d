// The extension point: the interface of a behaviour, the place that it is compiled for, and the schemas of its settings.

import type { Answers } from '../contract/answer/answers.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import type { TextSpan } from '../expression/template.ts'
import type { Path } from '../kernel/file/source.ts'
import type { BrokenRule, Reply } from '../kernel/http.ts'
import type { Json } from '../kernel/json.ts'
import type { Schema } from '../kernel/schema/schema.ts'
import type { Identify } from './consumer.ts'
import type { Exchange, Handler, Wrap } from './exchange.ts'
import type { Expressions } from './expressions.ts'
import type { References } from './references.ts'
import type { Resource } from './resource.ts'

export type { Consumer, Identified, Identify, RefusedCaller } from './consumer.ts'
export type { Choice, Exchange, Handler, StoredRecords, Wrap } from './exchange.ts'

export { Slot } from './slot.ts'

/** One capability that an operation may have. Its closure holds no mutable state: state belongs to the world. */
export interface Behaviour<Config> {
  /** Its key in gateway.yaml, and its name in the printed plan. */
  readonly name: string
  /** The schema of that key, which becomes part of gateway.schema.json and of the documentation. Unset: it has no key. */
  readonly schema?: Schema
  /** The behaviour whose key configures this one too, if it has no key. */
  readonly keyOf?: string
  /** Whether it decorates every reply of an operation, including internal errors. It must not touch state then. */
  readonly decorates?: boolean
  /** Whether it is also in the chain of requests that match no operation. */
  readonly unmatched?: boolean
  /** Whether a request may affect later requests. */
  readonly remembers?: boolean
  /** @returns `undefined` if the operation does not need it: it is then not in the chain and costs nothing */
  compile(config: Config | undefined, site: Site): Wrap | undefined
  /**
   * Compiles the refusals of requests that it does not let in, before the chain runs. Unset: it lets every request in. See
   * `Exchange.accepted`.
   */
  letIn?(config: Config | undefined, site: Site): Wrap | undefined
  /** Whether weather may override it: see `Plan.weather`. */
  readonly weather?: boolean
  /** Its description in the printed plan, besides its name. */
  describe?(config: Config | undefined, site: Site): string | undefined
  /** The dates it gives the operation. */
  lifecycle?(config: Config | undefined): Lifecycle | undefined
}

/** The dates of an operation's life-cycle, in milliseconds since the epoch. */
export interface Lifecycle {
  readonly since: number
  readonly sunset: number | undefined
  readonly afterSunset: 'gone' | 'not-found' | 'serve'
  readonly brownouts: Brownouts | undefined
}

/** The brown-outs of a deprecated operation before its sunset, in milliseconds. */
export interface Brownouts {
  readonly starts: number
  readonly ends: number
  readonly every: number
  readonly for: number
  readonly growing: boolean
  readonly answer: 503 | 410
}

/** Refuses a request that breaks these rules, of which there is at least one. */
export type Invalid = (rules: readonly BrokenRule[]) => Reply

/** The use that an operation makes of the records of a resource. */
export interface RecordsUse {
  readonly resource: string
  readonly many: boolean
  /** The settings of its responder. */
  readonly config: object
}

/**
 * Combines the two forms of the chain from `validate` on, for requests that are passed on to another server.
 *
 * @param passing judges requests, and leaves their refusal to the other server
 * @param own refuses invalid requests, for those that the stand-in answers
 */
export type PassOn = (passing: Handler, own: Handler, site: Site) => Handler

/** A top-level key of gateway.yaml that a wing brings. */
export interface BlockKey<Settings> {
  readonly key: string
  read(written: never, load: never): Settings
}

/** The context in which a behaviour is compiled. */
export interface Site {
  readonly contract: Contract
  readonly operation: Operation
  /** Returns the settings of a block of a wing; `undefined` where there is none. */
  settings<Settings>(block: BlockKey<Settings>): Settings | undefined
  /** Identifies the operation's callers by their credentials. */
  readonly identify: Identify
  readonly resources: ReadonlyMap<string, Resource>
  /** Finds the references of a generated value to records. */
  readonly references: References
  /** The path templates of the operations that answer with one record of a resource. */
  readonly readers: ReadonlyMap<string, readonly string[]>
  /** Set if the operation answers with one record of a resource, or with many. */
  readonly records: RecordsUse | undefined
  /** Answers from the contract only. */
  readonly answers: Answers
  /** Refuses an invalid request with the status that the operation documents for one, else with `validate.status`. */
  readonly invalid: Invalid
  /** The largest body in bytes, after decompression. */
  readonly maxBody: number
  /** Set if requests to the operation are passed on to another server. */
  readonly passesOn: PassOn | undefined
  /** The path of its configuration: `defaults`, `tags/books`, `operations/listBooks`. Its state is kept under this name. */
  readonly scope: string
  /**
   * Returns the rest of the chain with another responder: the behaviours in between run, the usual responder does not. Call
   * it in `wrap`, when the chain is known.
   */
  bypass(end: Handler): Handler
  /** Gives a refusal its body. Call it for a request, not at load. */
  decorate(exchange: Exchange, reply: Reply): Promise<Reply>
  /** Returns the content of a file below the folder of the configuration, or a sentence that says why it cannot be read. */
  readFile(name: string): Uint8Array | string
  /** Requests an index on a field of a resource. */
  index(resource: string, field: string): void
  /**
   * Set for the block of a rule of this operation or of many. A rule may answer with a status that the contract does not
   * document.
   */
  readonly rule: 'own' | 'shared' | undefined
  /** Whether it is for an answer on demand: its reply may have any status, documented or not. */
  readonly onDemand: boolean
  /** Whether changes of worlds are recorded: see `World.recorder`. */
  readonly recorded: boolean
  /** Whether a request may steer the gateway. */
  readonly clientControls: boolean
  /** Compiles conditions and templates. */
  readonly expressions: Expressions
  /** Reports something doubtful; see `error`. */
  warn(code: string, message: string, path?: Path, hint?: string): void
  /** Reports a mistake at a path within the behaviour's own configuration. */
  error(code: string, message: string, path?: Path, hint?: string, part?: 'key' | 'value' | TextSpan): void
}

export type SettingSchema = { readonly [keyword: string]: unknown }

/** A schema of settings in gateway.yaml, with the type of the values that it accepts. */
export type SettingOf<Value> = SettingSchema & { readonly $value?: Value }

/** The type of the values that a schema accepts. */
export type ConfigOf<Schema> = Schema extends { readonly $value?: infer Value } ? Value : never

type Block<Keys, Required extends keyof Keys> = {
  readonly [Key in Required]: ConfigOf<Keys[Key]>
} & { readonly [Key in Exclude<keyof Keys, Required>]?: ConfigOf<Keys[Key]> }

/** Makes a function from a description to the schema of a setting. */
const described =
  <Value>(schema: SettingSchema) =>
  (description: string) =>
    ({ ...schema, description }) as SettingOf<Value>

/** Makes the schema of a setting. */
export const setting = {
  block: <Keys extends Readonly<Record<string, Schema>>, const Required extends keyof Keys = never>(
    description: string,
    properties: Keys,
    more: SettingSchema & { readonly required?: readonly Required[] } = {},
  ) =>
    ({ type: 'object', description, ...more, additionalProperties: false, properties }) as SettingOf<
      Block<Keys, Required>
    >,
  /** A block whose keys are names. */
  named: <Each extends Schema>(description: string, each: Each, more: SettingSchema = {}) =>
    ({ type: 'object', description, ...more, additionalProperties: each }) as SettingOf<
      Readonly<Record<string, ConfigOf<Each>>>
    >,
  list: <Item extends Schema>(items: Item, description: string): SettingOf<readonly ConfigOf<Item>[]> => ({
    type: 'array',
    items,
    description,
  }),
  text: (description: string, more: SettingSchema = {}) =>
    ({ type: 'string', ...more, description }) as SettingOf<string>,
  /** A text that is not empty. */
  some: described<string>({ type: 'string', minLength: 1 }),
  duration: described<string>({ type: 'string', format: 'duration' }),
  size: described<string>({ type: 'string', format: 'size' }),
  flag: described<boolean>({ type: 'boolean' }),
  choice: <const Value extends Json>(values: readonly Value[], description: string): SettingOf<Value> => ({
    enum: values,
    description,
  }),
  integer: (description: string, minimum: number, maximum?: number): SettingOf<number> => ({
    type: 'integer',
    minimum,
    ...(maximum === undefined ? {} : { maximum }),
    description,
  }),
  /** Any value, which the behaviour checks. */
  json: described<Json>({}),
}
