// The types of what people write, once checked: gateway.yaml, weather, and orders for answers.

import type { FaultSpec } from '../behaviours/fault.ts'
import type { LatencyConfig } from '../behaviours/latency.ts'
import type { Json } from '../kernel/json.ts'
import type { ClockWords } from '../world/clock.ts'
import type { Assign } from '../world/records/types.ts'

/** The content of gateway.yaml, as written and checked. */
export interface SimulationFile extends BehaviourBlocks {
  /** A path, a path and those of its overlays, or the document itself. */
  readonly contract?: string | readonly string[] | Readonly<Record<string, unknown>>
  readonly seed?: number
  readonly listen?: {
    readonly host?: string
    readonly port?: number
    readonly control?: number
    readonly controlHost?: string
    readonly expose?: readonly ('metrics' | 'healthz' | 'readyz')[]
    readonly clientControls?: boolean
    readonly cors?: CorsFile
    readonly drain?: string
    readonly tls?: TlsFile
    readonly basePath?: string
  }
  readonly limits?: {
    readonly body?: string
    readonly headers?: string
    readonly request?: string
    readonly idle?: string
  }
  readonly worlds?: WorldsFile
  readonly journal?: JournalFile | null
  readonly state?: StateFile
  readonly consumers?: Readonly<Record<string, ConsumerFile>>
  readonly errors?: unknown
  readonly resources?: Readonly<Record<string, ResourceFile>>
  readonly weather?: Readonly<Record<string, WeatherFile>>
}

export interface ConsumerFile {
  readonly expires?: string
  readonly scopes?: readonly string[]
  /** Credentials by security scheme. */
  readonly [scheme: string]: string | readonly string[] | undefined
}

export interface ResourceFile {
  readonly schema: string
  readonly id?: {
    readonly field?: string
    readonly within?: readonly string[]
    readonly assign?: Assign
    readonly change?: 'refuse' | 'ignore'
  }
  readonly seed?: string | readonly Json[] | { readonly generate: number }
  readonly references?: Readonly<Record<string, string | ReferenceFile>>
  readonly defaults?: Readonly<Record<string, Json>>
  readonly set?: Readonly<Record<string, Json>>
  readonly filled?: readonly string[]
  readonly unknownFields?: 'drop' | 'keep' | 'refuse'
  readonly maxRecords?: number
  readonly maxBytes?: string
  readonly states?: StatesFile
}

export interface ReferenceFile {
  readonly to: string
  readonly onDelete?: 'restrict' | 'cascade' | null
}

export type CorsFile = 'off' | { readonly origins?: readonly string[]; readonly credentials?: boolean }

export type TlsFile =
  | string
  | {
      readonly key?: string
      readonly cert?: string
      readonly ca?: string
      readonly clients?: 'required' | 'wanted'
    }

export interface WorldsFile {
  readonly sandboxes?: boolean
  readonly max?: number
  readonly idle?: string
  readonly maxBytes?: string
  readonly default?: string
  readonly named?: Readonly<Record<string, NamedWorldFile>>
}

/** A permanent world on another contract. */
export interface NamedWorldFile {
  readonly contract: string | readonly string[]
  readonly clock?: ClockWords
  /** The name of a weather of the file. */
  readonly weather?: string
  /** The seeds by resource, instead of those of the resource. */
  readonly seeds?: Readonly<Record<string, ResourceFile['seed']>>
}

export interface JournalFile {
  readonly requests?: number
  readonly size?: string
  readonly bodies?: string | null
  readonly headers?: boolean | readonly string[]
}

export type StateFile = 'memory' | StateBlock

export interface StateBlock {
  /** A key of engines that processes share. */
  readonly reads?: 'strong' | 'local'
  readonly onSeedChange?: 'keep' | 'reset'
  readonly history?: true
}

export interface StatesFile {
  readonly field: string
  readonly from: Readonly<Record<string, Readonly<Record<string, EdgeFile>>>>
}

export interface EdgeFile {
  readonly after?: string | LatencyConfig
  readonly set?: Readonly<Record<string, Json>>
}

type BehaviourConfigs = Readonly<Record<string, unknown>>

/** Settings of behaviours by name. Among the blocks the most specific one wins. */
export interface BehaviourBlocks {
  readonly defaults?: BehaviourConfigs
  readonly tags?: Readonly<Record<string, BehaviourConfigs>>
  readonly operations?: Readonly<Record<string, BehaviourConfigs>>
}

/** Blocks that override the configuration. */
export interface WeatherFile extends BehaviourBlocks {
  readonly consumers?: Readonly<Record<string, BehaviourConfigs>>
}

/** The weather that the control plane accepts: the name of a preset or a weather itself, and its duration. */
export interface WeatherOrder extends WeatherFile {
  readonly name?: string
  readonly for?: string
}

export interface RuleFile {
  /** A condition in CEL. Absent: the rule matches every request. */
  readonly when?: string
  readonly times?: number
  /** The states that scenarios enter, by their names. */
  readonly enter?: Readonly<Record<string, string>>
  /** Blocks of behaviours, by name. */
  readonly [behaviour: string]: unknown
}

/** An order for an answer on demand: a rule, the requests that it is for, and how long it stands. */
export interface AnswerOrder {
  /** An operationId, or a method and a path: `POST /books`. */
  readonly operation?: string
  readonly method?: string
  /** With `method`, a path as it is sent, base path included: `/v1/books/7`. */
  readonly path?: string
  /** Answers only the operations with this tag. */
  readonly tag?: string
  /** A condition in CEL, as rules have it. */
  readonly when?: string
  /** Answers only requests of this consumer. */
  readonly consumer?: string
  readonly respond?: {
    readonly status?: number
    readonly example?: string
    readonly headers?: Readonly<Record<string, string | number>>
    readonly body?: Json
  }
  readonly latency?: LatencyConfig
  readonly fault?: FaultSpec | readonly FaultSpec[]
  readonly enter?: RuleFile['enter']
  /** How many requests are answered as usual before the first that it answers. */
  readonly skip?: number
  readonly times?: number | null
  /** The real time after which it expires. */
  readonly for?: string
}
