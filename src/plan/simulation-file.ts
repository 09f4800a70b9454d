// The types of what people write, once checked: gateway.yaml, weather, and orders for answers.

import type { ConfigOf } from '../behaviours/behaviour.ts'
import type { FaultSpec } from '../behaviours/fault/index.ts'
import type { LatencyConfig } from '../behaviours/latency.ts'
import type { KeysOf } from '../behaviours/respond/config.ts'
import type { Json } from '../kernel/json.ts'
import type { journal, limits, listen, resourceKeys, states, worlds } from './block-keys.ts'

/** The content of gateway.yaml, as written and checked. */
export interface SimulationFile extends BehaviourBlocks {
  /** A path, a path and those of its overlays, or the document itself. */
  readonly contract?: string | readonly string[] | Readonly<Record<string, unknown>>
  readonly include?: string | readonly string[]
  readonly seed?: number
  readonly listen?: ConfigOf<typeof listen>
  readonly limits?: ConfigOf<typeof limits>
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
  /** Credentials by security scheme, and the blocks of wings. */
  readonly [scheme: string]: string | readonly string[] | object | undefined
}

/** A resource; the record sources of wings have further keys. */
export type ResourceFile = KeysOf<typeof resourceKeys> & { readonly schema: string }

export type CorsFile = NonNullable<ConfigOf<typeof listen>['cors']>
export type TlsFile = NonNullable<ConfigOf<typeof listen>['tls']>
export type WorldsFile = ConfigOf<typeof worlds>

/** A permanent world on another contract. */
export type NamedWorldFile = NonNullable<WorldsFile['named']>[string]

export type JournalFile = ConfigOf<typeof journal>

export type StateFile = 'memory' | StateBlock

export interface StateBlock {
  /** A key of engines that processes share. */
  readonly reads?: 'strong' | 'local'
  readonly onSeedChange?: 'keep' | 'reset'
  readonly history?: true
}

export type StatesFile = ConfigOf<typeof states>
export type EdgeFile = StatesFile['from'][string][string]

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
