// The values that a resource gives the fields of its records, compiled and checked.

import type { Make } from '../../behaviours/resource.ts'
import { compileValue, SOME_REQUEST } from '../../behaviours/respond/values.ts'
import type { Contract } from '../../contract/contract.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { type Diagnostics, suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json, type JsonObject, parsePointer } from '../../kernel/json.ts'
import type { LocateWithin } from '../../plan/record-states.ts'
import type { ResourceFile } from '../../plan/simulation-file.ts'

/** Compiles the fields of a block: each must be a field of the schema, and its value must be valid. */
export function compileFields(
  block: ResourceFile,
  key: 'defaults' | 'set',
  schema: SchemaUse,
  contract: Contract,
  at: LocateWithin,
  report: Diagnostics,
): ReadonlyMap<string, Make> {
  const makes = new Map<string, Make>()
  for (const [field, value] of Object.entries(block[key] ?? {})) {
    const node = schema.shape.properties.get(field)
    if (node === undefined) {
      const hint = suggest(field, schema.shape.properties.keys())
      report.error('unknown-field', `${block.schema} has no field "${field}"`, at([key, field], 'key'), hint)
      continue
    }
    let sound = true
    const make = compileValue(value, node, contract, [field], (path, message, hint) => {
      report.error('unknown-expression', message, at([key, ...path]), hint)
      sound = false
    })
    if (sound) makes.set(field, make)
  }
  if (makes.size === 0) return makes
  // Values with request expressions are validated when the record is written.
  const fixed = [...makes].filter(([, make]) => make.scoped !== true)
  const tried = Object.fromEntries(fixed.map(([field, make]) => [field, make(SOME_REQUEST) as Json]))
  if (fitsRecord(block, schema, record => ({ ...record, ...tried }))) return makes
  for (const { pointer, message } of schema.check(tried, true) ?? []) {
    const path = parsePointer(pointer) ?? []
    if (path[0] === undefined || !makes.has(path[0])) continue
    const place = at([key, ...path])
    report.error('invalid-default', `this ${SINGULAR[key]} breaks ${block.schema}: ${pointer} ${message}`, place)
  }
  return makes
}

/**
 * Whether the first seed fits the schema with some of its fields changed, which then fit too. This saves checking the fields
 * by themselves: that fails for want of the others, and explaining a failure costs the most.
 */
export function fitsRecord(
  { seed }: ResourceFile,
  schema: SchemaUse,
  change: (record: JsonObject) => Record<string, Json>,
): boolean {
  const [first] = Array.isArray(seed) ? seed : []
  return isObject(first) && schema.check(change(first as JsonObject), true) === undefined
}

const SINGULAR = { defaults: 'default', set: 'value' } as const
