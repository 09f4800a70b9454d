// The records that a resource begins with, checked against its schema and against each other.

import { check, type Resource } from '../../behaviours/resource.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { isObject, type JsonObject, parsePointer } from '../../kernel/json.ts'
import type { Path, Source } from '../../kernel/source.ts'
import { idIn, keyOf } from '../../world/records/values.ts'

export function checkSeeds(
  resource: Resource,
  source: Source,
  base: Path,
  report: Diagnostics,
): JsonObject[] | undefined {
  const value = base.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], source.value)
  if (!Array.isArray(value)) {
    const key = isObject(value) && Object.keys(value).find(key => Array.isArray(value[key]))
    const hint = key ? `make the list under "${key}" the whole file` : undefined
    report.error('invalid-seed', 'seeds must be a list of records', source.locate(base), hint)
    return undefined
  }
  const { idField, name, ids, within } = resource
  const { required } = resource.schema.shape
  const seen = new Map<unknown, number>()
  for (const [index, record] of value.entries()) {
    const path = [...base, index]
    if (!isObject(record)) {
      report.error('invalid-seed', 'a record must be an object', source.locate(path))
      continue
    }
    for (const fault of check(resource, record as JsonObject) ?? []) {
      const [pointer = '', ...words] = fault.split(' ')
      const place = source.locate([...path, ...(parsePointer(pointer) ?? [])])
      report.error('invalid-seed', `this record of ${name} breaks its schema: ${pointer} ${words.join(' ')}`, place)
    }
    const id = idIn(idField, record as JsonObject)
    const key = keyOf(record as JsonObject, idField, within)
    const fits = ids === 'text' ? typeof id === 'string' : typeof id === 'number' || typeof id === 'bigint'
    if (!fits) {
      if (id === undefined && !required.has(idField))
        report.error('invalid-seed', `a record of ${name} must have the field ${idField}`, source.locate(path))
      continue
    }
    const twin = seen.get(key)
    if (twin !== undefined) {
      const { line } = source.locate([...base, twin])
      const message = `duplicate ${idField} ${String(id)}: the record on line ${line} has it too`
      report.error('duplicate-id', message, source.locate([...path, idField]))
    }
    seen.set(key, index)
  }
  return value as JsonObject[]
}
