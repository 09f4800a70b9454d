// The content of a validated gateway.yaml as types.

import type { Json } from '../kernel/json.ts'
import type { Assign } from '../world/collection.ts'
import type { CorsFile } from './cors.ts'
import type { JournalFile } from './journal.ts'
import type { StatesFile } from './record-states.ts'
import type { StateFile } from './state.ts'
import type { TlsFile } from './tls.ts'
import type { BehaviourConfigs, WeatherFile } from './weather.ts'
import type { WorldsFile } from './worlds.ts'

/** The content of gateway.yaml, as written and checked. */
export interface SimulationFile {
  readonly contract?: string | Readonly<Record<string, unknown>>
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
  readonly defaults?: BehaviourConfigs
  readonly tags?: Readonly<Record<string, BehaviourConfigs>>
  readonly operations?: Readonly<Record<string, BehaviourConfigs>>
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
    readonly added?: boolean
    readonly assign?: Assign
    readonly change?: 'refuse' | 'ignore'
  }
  readonly seed?: string | readonly Json[] | { readonly generate: number }
  readonly references?: Readonly<Record<string, string | ReferenceFile>>
  readonly defaults?: Readonly<Record<string, Json>>
  readonly set?: Readonly<Record<string, Json>>
  readonly unknownFields?: 'drop' | 'keep' | 'refuse'
  readonly maxRecords?: number
  readonly maxBytes?: string
  readonly states?: StatesFile
}

export interface ReferenceFile {
  readonly to: string
  readonly onDelete?: 'restrict' | 'cascade' | null
}
