// Reads the requests of a collection's operations: the fields that they give, and the parameters of their paths.

import type { Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import { fieldNode } from '../../contract/field-node.ts'
import { expressionsOf } from '../../contract/paths.ts'
import type { Json } from '../../kernel/json.ts'
import { plainName } from '../../kernel/plain-name.ts'
import { requestSchema } from './bodies.ts'
import type { InferredCollection } from './collections.ts'

import { singleIn, singleSent } from './reply.ts'
import type { SchemaReader } from './schema.ts'

/** The `set` of a change that has no body and names fields in its query: `POST /boats/{id}?name=Ada`. */
export function setByQuery(
  { body, parameters }: Operation,
  properties: ReadonlyMap<string, Node>,
  idField: string,
  schemas: SchemaReader,
): Readonly<Record<string, Json>> {
  if (body !== undefined) return {}
  const set = parameters.flatMap(({ in: place, name, schema }) => {
    const field = properties.get(name)
    if (place !== 'query' || field === undefined || name === idField || !schemas.isScalar(field)) return []
    const types = schemas.types(field)
    const isIts = schema.types.size > 0 && [...schema.types].every(type => types.has(type))
    const member = /^[a-z]\w*$/i.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
    return isIts ? [[name, `\${request.query${member}}`] as const] : []
  })
  return set.length === 0 ? {} : { set: Object.fromEntries(set) }
}

/** Whether a request says which record it is about: its path does not, and its body may. */
export function namesInBody(
  operation: Operation,
  word: string,
  idField: string,
  records: readonly Node[],
  schemas: SchemaReader,
): boolean {
  const request = expressionsOf(operation.path).length === 0 ? requestSchema(operation) : undefined
  // A list changes several records at once.
  if (request !== undefined && schemas.shape(request).items !== undefined) return false
  const single = request && singleIn(request, word, records, schemas)
  return single !== undefined && fieldNode(schemas.shape(single.record), idField, schemas.contract) !== undefined
}

/** The fields that a request gives a new record, in the form that their spellings share; `undefined` if it may give any. */
export function fieldsGiven(
  operation: Operation,
  word: string,
  records: readonly Node[],
  schemas: SchemaReader,
): ReadonlySet<string> | undefined {
  const single = singleSent(operation, word, records, schemas)
  if (single === undefined) return undefined
  const fields = [...schemas.shape(single.record).properties].filter(([, node]) => !schemas.isReadOnly(node))
  return new Set(fields.map(([name]) => plainName(name)))
}

/** The path parameters of a collection's operations, by name. */
export const parametersOf = ({ own, item }: InferredCollection): ReadonlyMap<string, Parameter> =>
  new Map(
    [...item.values(), ...own.values()].flatMap(({ parameters }) =>
      parameters.filter(one => one.in === 'path').map(one => [one.name, one] as const),
    ),
  )
