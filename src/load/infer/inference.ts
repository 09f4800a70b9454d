// The result of an inference.

import type { Operation } from '../../contract/contract.ts'
import type { Json } from '../../kernel/json.ts'
import type { Assign } from '../../world/collection.ts'
import type { ServerSet } from './defaults.ts'

/** A schema that may store the records of a resource, and their id then. */
export interface SchemaCandidate {
  readonly schema: string
  readonly idField: string
  /** Whether the schema has no field for the id, because it is the one of the request: records get one besides. */
  readonly added: boolean
  readonly assign: Assign
  /** How the server assigns an id if the request has none. */
  readonly byServer: Assign
  readonly server: ServerSet
}

export interface InferredResource {
  readonly name: string
  /** The likeliest first; the trial decides. */
  readonly candidates: readonly SchemaCandidate[]
  readonly because: string
}

export interface InferredOperation {
  readonly operation: Operation
  readonly resource: string
  readonly action: 'list' | 'create' | 'read' | 'replace' | 'update' | 'delete'
  /** Whether the resource is of no use without it. */
  readonly essential: boolean
  /** Whether it is about one record that its path does not name: `/me`. */
  readonly fixed: boolean
  /** The value of `respond`. */
  readonly respond: Readonly<Record<string, Json>>
  readonly because: string
}

export interface Inference {
  readonly resources: readonly InferredResource[]
  readonly operations: readonly InferredOperation[]
}
