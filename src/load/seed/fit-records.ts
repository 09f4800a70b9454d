// Fits records that were written for one contract to the schema of another.

import type { Resource } from '../../behaviours/resource.ts'
import { freshOf, mend, SOME_REQUEST } from '../../behaviours/respond/values.ts'
import type { Contract } from '../../contract/contract.ts'
import { describeField } from '../../contract/schema/field.ts'
import { isObject, type Json, type JsonObject, put } from '../../kernel/json.ts'
import { Chance, hashOf } from '../../sample/chance.ts'

/**
 * Returns a function that fits a record to a resource: required fields are filled as creates fill them, values are converted, and
 * unknown fields are dropped where a write would drop them. A record that cannot be fitted is returned as far as it can.
 */
export function recordFitter({ schema, idField, defaults, unknownFields, name }: Resource, contract: Contract) {
  const { properties, required, open } = schema.shape
  const known = new Set([idField.split('.', 1)[0] as string, ...properties.keys(), ...required])
  const dropsOthers = !open && unknownFields === 'drop' && properties.size > 0
  const makes = [...required].flatMap(field => {
    const node = properties.get(field)
    const make = defaults.get(field) ?? (node && freshOf(describeField(field, contract.use(node))))
    return make === undefined || field === idField ? [] : [[field, make] as const]
  })
  return (record: JsonObject, index: number): JsonObject => {
    const draw = (what: string): number => new Chance(hashOf(`${name} ${index} ${what}`)).next()
    const making = { ...SOME_REQUEST, draw }
    const fitted: Record<string, Json> = {}
    for (const [field, value] of Object.entries(record)) {
      if (!dropsOthers || known.has(field) || /^\{.*\}$/.test(field)) put(fitted, field, value)
    }
    for (const [field, make] of makes) {
      const value = Object.hasOwn(fitted, field) ? undefined : make(making)
      if (value !== undefined) put(fitted, field, value)
    }
    const mended = mend(fitted, {}, schema, { declares: () => true, refuses: () => false }, making)
    return mended !== undefined && keeps(fitted, mended) ? mended : fitted
  }
}

/** Whether a mended value has all of the old one, perhaps in another form: a year as a number, an object for its id. */
function keeps(old: Json, mended: Json | undefined): boolean {
  if (Array.isArray(old)) {
    const items = Array.isArray(mended) ? mended : []
    return old.length <= items.length && old.every((item, i) => keeps(item, items[i]))
  }
  if (isObject(old)) {
    const members = isObject(mended) ? (mended as JsonObject) : undefined
    if (members === undefined) return Object.values(old as JsonObject).some(one => one === mended)
    return Object.entries(old as JsonObject).every(([name, one]) => keeps(one, members[name]))
  }
  if (isObject(mended)) return Object.values(mended as JsonObject).some(one => String(one) === String(old))
  return old === null || String(old) === String(mended)
}
