// Drops an id that a client gives and that no path can name.

import type { Parameter } from '../../contract/document/parameters.ts'
import { expressionsOf } from '../../contract/paths.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { type Id, idIn } from '../../world/collection.ts'
import { withField } from '../../world/record-field.ts'
import type { Site } from '../behaviour.ts'
import type { Resource } from './resource.ts'

/**
 * Returns a function that drops the id of a new record if the operation that reads it cannot name it: an empty text, or 626
 * where the path parameter has `maximum: 10`. The server assigns an id then.
 */
export function compileNameable(resource: Resource, site: Site): (fields: JsonObject) => JsonObject {
  if (resource.assign !== 'client') return fields => fields
  const { idField } = resource
  const parameter = namingParameter(resource, site)
  const isNameable = (id: Id): boolean => {
    if (id === '') return false
    const read = parameter?.read([String(id)])
    return read === undefined || ('value' in read && parameter?.schema.check(read.value, read.exact) === undefined)
  }
  return fields => {
    const id = idIn(idField, fields) as Id | undefined
    return id === undefined || isNameable(id) ? fields : withField(idField, undefined as unknown as Json, fields)
  }
}

/** The path parameter that names a record where it is read. */
function namingParameter({ name }: Resource, { readers, contract }: Site): Parameter | undefined {
  const path = readers.get(name)?.[0]
  const reader = contract.operations.find(one => one.method === 'GET' && one.path === path)
  const last = expressionsOf(path ?? '').at(-1)
  return reader?.parameters.find(one => one.in === 'path' && one.name === last)
}
