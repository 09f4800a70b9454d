// Replies of the control plane, as far as the console reads them. `GET /openapi.json` documents them.

import type { FormParameter, Measure, OperationForm, RecordedRequest } from '../../http/control/types.ts'

/** A request of the journal, with the data that is kept while a console watches. */
export type Recorded = RecordedRequest

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
  /** How many requests are answered as usual first. */
  readonly skip?: number
  /** How often it is given; null until it is removed. */
  readonly times?: number | null
}

export interface GivenAnswer extends AnswerOrder {
  readonly id: string
  /** null for every world. */
  readonly world: string | null
  readonly left: number | null
  /** How many requests are still answered as usual. */
  readonly toSkip?: number
  /** How often it was given. */
  readonly given: number
  readonly until?: string
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
  readonly measured: Measure
}

export interface MeasuredOperations {
  readonly at: string
  readonly seconds: number
  /** Seconds. */
  readonly step: number
  readonly operations: readonly MeasuredOperation[]
  readonly all: Measure
}

/** The keywords of a self-contained JSON Schema that forms use. */
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

export type OperationParameter = Omit<FormParameter, 'schema' | 'deprecated'> & {
  readonly schema?: FormSchema
  readonly deprecated?: boolean
}

export type DocumentedOperation = Omit<OperationForm, 'parameters'> & {
  readonly parameters: readonly OperationParameter[]
}
