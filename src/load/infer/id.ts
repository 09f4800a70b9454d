// Finds the field that names a record, and how a new record gets it.

import type { Parameter } from '../../contract/document/parameters.ts'
import { fieldNode } from '../../contract/field-node.ts'
import type { Shape } from '../../contract/schema/shape.ts'
import { plainName } from '../../kernel/plain-name.ts'
import type { Assign } from '../../world/collection.ts'
import { singular } from './paths.ts'
import type { SchemaReader } from './schema.ts'

const TECHNICAL = ['id', '_id', 'uuid', 'guid', 'gid', 'sid', 'key']
const SPEAKING = ['slug', 'key', 'code', 'login', 'username', 'name', 'identifier', 'number', 'token']

/** The names of a collection's items: its word, and the path parameter if there is one. */
export interface Naming {
  readonly word: string
  readonly parameter: string | undefined
  readonly declared: Parameter | undefined
}

/** The field of a record for its path parameter: with the same name, without the name of the collection, or a usual one. */
export function findId({ word, parameter, declared }: Naming, shape: Shape, schemas: SchemaReader): string | undefined {
  const names = [...shape.properties].filter(([, node]) => isIdNode(node, schemas)).map(([name]) => name)
  const one = plainName(singular(word))
  const given = plainName(parameter ?? 'id')
  // The `username` of a user is a word: a login rather than the name of a person.
  const bare = given === 'username' ? 'login' : given.startsWith(one) ? given.slice(one.length) : given.replace(one, '')
  const isText = declared !== undefined && !declared.schema.types.has('integer') && !declared.schema.types.has('number')
  const fits = (name: string) => !isText || schemas.types(shape.properties.get(name) as never).has('string')
  const asks = /(?:id|uuid|guid|sid|key|identifier)$/.test(given) || parameter === undefined
  const usual = [...TECHNICAL, `${one}id`, `${one}uuid`, `${one}key`, `${one}number`, `${one}name`, `${one}code`]
  const tail = plainName(/[a-z\d]+$|[A-Z][a-z\d]*$/.exec(parameter ?? '')?.[0] ?? '')
  // `/customers/{customer}` does not name the field: prefer a textual `id` to a name, which may not be unique.
  const plain = given === one && names.includes('id') && fits('id') ? ['id'] : []
  const likely = [...plain, tail, ...(asks ? [...usual, ...SPEAKING] : [...SPEAKING, ...usual])]
  const every = () => true
  // A field with the name of the parameter is meant, even if its type differs: untyped path parameters are texts.
  const passes = [
    [[given, bare], fits] as const,
    [[given, bare], every] as const,
    [likely, fits] as const,
    [likely, every] as const,
  ]
  for (const [candidates, accept] of passes) {
    for (const candidate of candidates) {
      const found =
        candidate === '' ? undefined : names.find(name => plainName(name) === plainName(candidate) && accept(name))
      if (found !== undefined) return found
    }
  }
  return within(given, shape, schemas)
}

/** A field of that name in an object of the record: `metadata.name` in Kubernetes. */
function within(name: string, shape: Shape, schemas: SchemaReader): string | undefined {
  for (const [key, node] of shape.properties) {
    if (!HEADS.test(key) || !schemas.isRecord(node)) continue
    const inner = [...schemas.shape(node).properties].find(
      ([one, child]) => plainName(one) === name && isIdNode(child, schemas),
    )
    if (inner !== undefined) return `${key}.${inner[0]}`
  }
  return undefined
}

/** Names of the object that contains a record's id. */
export const HEADS = /^(?:meta|metadata|sys|header|identity|identifier)$/i

function isIdNode(node: Parameters<SchemaReader['types']>[0], schemas: SchemaReader): boolean {
  const types = schemas.types(node)
  return types.has('string') || types.has('integer') || types.has('number')
}

/** How the server names a new record. */
export function assignOf(field: string, shape: Shape, schemas: SchemaReader): Assign {
  const node = fieldNode(shape, field, schemas.contract)
  const types = node === undefined ? new Set<string>() : schemas.types(node)
  if (node === undefined || !types.has('string')) return 'sequence'
  const takesUuid = schemas.format(node) === 'uuid' && schemas.contract.use(node).check(A_UUID, true) === undefined
  return takesUuid ? 'uuid' : 'generate'
}

/** Patterns beside the format may refuse its small letters, or its length. */
const A_UUID = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
