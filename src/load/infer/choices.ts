// Reads parameters that select records by a status or another choice: `?state=open`, with `all` for every record.

import type { FilterConfig } from '../../behaviours/respond/config.ts'
import type { Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import type { Json } from '../../kernel/json.ts'
import type { SchemaReader } from './schema.ts'

/** The values of a parameter that select by a field, and the one that selects everything. */
export interface Choices {
  readonly values: readonly Json[]
  readonly all: string
}

const ALL = /^(?:all|any|both|everything|\*)$/i

/**
 * Returns the choices of a parameter for the field of its name; `undefined` without a value for everything. That is the one
 * which the field cannot have; for a field without an enum, one that is called so.
 */
export function choicesOf(
  { schema, default: usual }: Parameter,
  field: Node,
  schemas: SchemaReader,
): Choices | undefined {
  const { items } = schemas.shape(schema.node)
  const named = schemas.enumOf(items ?? schema.node)
  const own = schemas.enumOf(field)
  const isText = schemas.types(field).has('string')
  const rest = named.filter(value => (own.length > 0 ? !own.includes(value) : isText && ALL.test(String(value))))
  const [all] = rest
  const values = named.filter(value => value !== all)
  const isKnown = usual === undefined || [usual].flat().every(one => named.includes(one as Json))
  return rest.length === 1 && typeof all === 'string' && values.length > 0 && isKnown ? { values, all } : undefined
}

/** An operation that may list records, and its settings. */
interface Selecting {
  readonly operation: Operation
  readonly respond: Readonly<Record<string, Json>>
}

/** The values that lists select records by, for fields that have no enum themselves. */
export function choicesIn(own: readonly Selecting[]): ReadonlyMap<string, readonly Json[]> {
  const selecting = own.flatMap(({ operation, respond }) =>
    ((respond.filter ?? []) as readonly (string | FilterConfig)[]).flatMap(one => {
      if (typeof one === 'string' || one.all === undefined) return []
      const parameter = operation.parameters.find(({ in: place, name }) => place === 'query' && name === one.parameter)
      const { enum: named } = (parameter?.schema.node.value ?? {}) as { readonly enum?: readonly Json[] }
      const values = (named ?? []).filter(value => value !== one.all)
      return values.length === 0 ? [] : [[one.field ?? one.parameter, values] as const]
    }),
  )
  return new Map(selecting)
}
