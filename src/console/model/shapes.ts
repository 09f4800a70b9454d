// Replies of the control plane, as far as the console reads them. `GET /openapi.json` documents them.

import type { RecordedRequest } from '../../http/control/types.ts'

/** A request of the journal, with what is kept of its reply while a console watches. */
export interface Recorded extends RecordedRequest {
  readonly replyHeaders?: Readonly<Record<string, string>>
}

/** A request that was sent on behalf of the page: what `POST /requests` and a replay answer. */
export interface Sent {
  readonly request: Recorded
  readonly reply: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | null
    readonly base64?: true
    /** The fault on the wire, where one struck: the client would have got no whole reply. */
    readonly wire?: string
  }
}

/** An order for the next answers of an operation. */
export interface AnswerOrder {
  readonly operation?: string
  readonly method?: string
  readonly path?: string
  readonly when?: string
  readonly consumer?: string
  readonly reply?: { readonly status?: number; readonly body?: unknown; readonly example?: string }
  readonly delay?: string
  readonly fault?: { readonly kind: string; readonly status?: number }
  /** How often it is given; null until it is removed. */
  readonly times?: number | null
}

export interface GivenAnswer extends AnswerOrder {
  readonly id: string
  /** null for every world. */
  readonly world: string | null
  readonly left: number | null
  /** How often it was given. */
  readonly given: number
  readonly until?: string
}

/** How an operation did in the last minutes. */
export interface Measured {
  readonly requests: number
  readonly perSecond: number
  /** 5xx, or no reply at all. */
  readonly errors: number
  /** 4xx. */
  readonly refused: number
  /** Milliseconds; null where there was no request. */
  readonly p50: number | null
  readonly p90: number | null
  readonly p95: number | null
  readonly p99: number | null
  readonly max: number | null
  /** One for each step, the oldest first. */
  readonly series: readonly {
    readonly requests: number
    readonly errors: number
    readonly p50: number | null
    readonly p95: number | null
  }[]
}

export interface MeasuredOperation {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
  readonly summary?: string
  readonly phase: string
  readonly deprecated: boolean
  readonly chain: readonly { readonly name: string; readonly detail?: string }[]
  readonly measured: Measured
}

export interface MeasuredOperations {
  readonly at: string
  readonly seconds: number
  /** Seconds. */
  readonly step: number
  readonly operations: readonly MeasuredOperation[]
  readonly all: Measured
}

/** A JSON Schema that refers to nothing outside itself, as far as forms read it. */
export interface FormSchema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, FormSchema>>
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
}

export interface OperationParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly deprecated?: boolean
  readonly description?: string
  readonly schema?: FormSchema
  readonly example?: unknown
}

export interface NamedExample {
  /** null for the only example of a media type. */
  readonly name: string | null
  readonly value?: unknown
}

export interface DocumentedOperation {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly deprecated: boolean
  readonly chain: readonly { readonly name: string; readonly detail?: string }[]
  /** One of the lists is enough; each names schemes that are needed together. */
  readonly security: readonly (readonly string[])[]
  readonly parameters: readonly OperationParameter[]
  readonly body?: {
    readonly required: boolean
    readonly content: readonly {
      readonly type: string
      readonly examples: readonly NamedExample[]
    }[]
  }
  readonly responses: readonly {
    /** `200`, `4XX`, `default`. */
    readonly status: string
    readonly description: string
    readonly content: readonly { readonly type: string; readonly examples: readonly NamedExample[] }[]
  }[]
  /** A request that the contract accepts. */
  readonly sample: { readonly path: string; readonly query: string; readonly body?: string }
}
