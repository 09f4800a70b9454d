// The types of the control plane's replies, for its clients in this repository and for /openapi.json: `npm run generate` makes
// the schemas of the document of them, and the comment of a member is its description there. Types only: importing it runs
// nothing.

import type { RecordedRequest } from '../../gateway/journal/entry.ts'
import type { Severity } from '../../kernel/diagnostic.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { Schema } from '../../kernel/schema/schema.ts'
import type { DateTime, Fraction } from '../../kernel/units.ts'
import type { DescribedResource } from '../../plan/describe.ts'
import type { AnswerOrder } from '../../plan/simulation-file.ts'
import type { DescribedChange } from '../../state/described-changes.ts'

export type { RecordedBody, RecordedRequest } from '../../gateway/journal/entry.ts'
export type { RequestFilter, Verdict } from '../../gateway/journal/filter.ts'
export type {
  DescribedOperation,
  DescribedPlan,
  DescribedResource,
  DescribedRule,
  OperationOnADay,
} from '../../plan/describe.ts'
export type { AnswerOrder, WeatherFile } from '../../plan/simulation-file.ts'
export type { ClockWords } from '../../world/clock.ts'

/** The program, and where it serves. */
export interface ProgramVersion {
  readonly name: 'understudy'
  readonly version: string
  /** The title of the contract. */
  readonly title: string
  readonly contractVersion: string
  /** The file that is being served. */
  readonly configuration: string
  /** The address of the API, without a base path. */
  readonly api: string
  readonly basePaths: readonly string[]
  /** A first `curl` command; absent if it needs a key that the configuration does not publish. */
  readonly firstCall?: string
  /** The number of processes that serve the API; null for only this one. */
  readonly workers: number | null
  /** Whether a world can be made by naming it. */
  readonly sandboxes: boolean
  readonly defaultWorld: string
  /** By the real clock. */
  readonly now: DateTime
}

/** A mistake with its place. */
export interface Finding {
  readonly severity: Severity
  /** Stable, kebab-case. */
  readonly code: string
  /** The subject of the message, such as an operation, if the message leaves it out. */
  readonly subject?: string
  readonly message: string
  readonly file: string
  readonly line: number
  readonly column: number
  /** In characters, from the column on. */
  readonly length: number
  readonly hint?: string
}

/** A configuration that was loaded. */
export interface AdoptedConfiguration {
  /** false if it was a dry run. */
  readonly reloaded: boolean
  readonly operations: number
  readonly warnings: number
  /** The warnings, with their places. */
  readonly diagnostics: readonly Finding[]
}

export interface ServedConfiguration {
  /** Relative paths are relative to it. */
  readonly file: string
  /** The content of gateway.yaml with environment variables filled in and credentials as ***. */
  readonly written: JsonObject
  readonly effective: {
    readonly seed: number
    readonly listen: JsonObject
    /** Bytes and milliseconds. */
    readonly limits: JsonObject
    /** Milliseconds. */
    readonly worlds: JsonObject
    /** Bytes. */
    readonly journal: JsonObject
    readonly consumers: readonly string[]
  }
}

export interface ConfigurationTexts {
  readonly file: string
  /** The configuration that is being served. */
  readonly applied: string
  /** The current content of its file; null if it cannot be read or does not exist. */
  readonly disk: string | null
  /** Whether both texts are the same. */
  readonly same: boolean
}

/** A resource, as an editor of its records needs it. */
export interface ResourceForm {
  readonly name: string
  readonly idField: string
  readonly ids: 'integer' | 'text'
  /** How a new record gets its id. */
  readonly assigned: 'sequence' | 'uuid' | 'generate' | 'client'
  /** Fields that hold ids of other resources, and which. */
  readonly references: Readonly<Record<string, string>>
  /** Set if the collection of a world has its changes to records of another server: `upstream`. */
  readonly base?: string
  readonly states?: DescribedResource['states']
  readonly schema: Schema
}

/** An answer as it was set, and how often it was used. */
export interface GivenAnswer extends AnswerOrder {
  readonly id: string
  /** null: every world. */
  readonly world: string | null
  /** How many requests it answers; null: without end. */
  readonly times: number | null
  /** How many of them are left. */
  readonly left: number | null
  /** How many requests it has answered. */
  readonly given: number
  /** How many requests are answered as usual before that. */
  readonly toSkip?: number
  /** By the real clock. */
  readonly until?: DateTime
  /** When it is set: the warnings about it. */
  readonly diagnostics?: readonly Finding[]
}

export interface ServedWeather {
  /** null if the weather is clear. */
  readonly name: string | null
  /** By real time. Absent: until it is changed. */
  readonly until?: DateTime
  /** The operations that it changes for all consumers. */
  readonly operations: readonly string[]
  /** The consumers with different weather. */
  readonly consumers: readonly string[]
  /** The weather that the configuration names. */
  readonly known: readonly string[]
  /** The blocks that are in force, as they were put or stand in the configuration. */
  readonly blocks: JsonObject
  /** When it is set: the warnings about it. */
  readonly diagnostics?: readonly Finding[]
}

export interface RequestPage {
  readonly requests: readonly RecordedRequest[]
  /** The number of matching requests, shown or not. */
  readonly total: number
  /** Whether more match than are shown; `limit` shows more of them. */
  readonly more: boolean
  /** The number of requests that were removed to make room. */
  readonly evicted: number
}

/** A request to be sent. */
export interface Sending {
  readonly method: string
  /** Base path included. */
  readonly path: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly world?: string
  /** The time that it is to meet. */
  readonly time?: string
  /** Adds the credential of this consumer. */
  readonly consumer?: string
  /** Adds a generated credential, which is accepted if no consumers are configured. */
  readonly credential?: 'any'
}

export interface SendResult {
  /** The request in the journal, with its headers, bodies and explanation; null if the journal is off. */
  readonly request: RecordedRequest | null
  readonly reply: {
    /** 0 if a fault left the client without a reply. */
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** As text; in base64 if it is not UTF-8. */
    readonly body: string | null
    readonly base64?: true
    /** The connection fault that a client would have got. */
    readonly wire?: string
  }
}

export interface ShownClock {
  /** The time of the clock. */
  readonly now: DateTime
  /** Whether the clock shows real time. */
  readonly real: boolean
  readonly frozen: boolean
  /** Seconds of the world in a real second; 0 if the clock is frozen. */
  readonly rate: Fraction
}

export interface DescribedWorld {
  readonly name: string
  /** Whether the world is permanent; a sandbox may be evicted. */
  readonly permanent: boolean
  /** The host whose requests reach it. */
  readonly host?: string
  /** Whether requests reach it that name no world. */
  readonly default: boolean
  readonly clock: ShownClock
  /** How many, by collection. */
  readonly records: Readonly<Record<string, number>>
}

export interface WorldChange {
  /** Its place in the log. */
  readonly position: number
  /** By the real clock. */
  readonly at: DateTime
  /** The request that made the change; empty for changes without a request. */
  readonly by: string
  readonly changes: readonly DescribedChange[]
}

export interface WorldHistory {
  readonly entries: readonly WorldChange[]
  /** Whether there are older ones that are remembered. */
  readonly more: boolean
  /** The earliest position that can be restored. */
  readonly reach: number
}
