// Mends a record that a valid request could not make valid: adds values that only a server knows below the first level, and
// converts the client's values to the record's form, such as an id to the object that it names. Runs only for invalid
// records, and never for rules of the request's own schema.

import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { isObject, type Json, type JsonObject, parsePointer } from '../../kernel/json.ts'
import type { Violation } from '../../kernel/schema-errors.ts'
import type { Making } from '../resource.ts'

/** The maximum number of rounds. Each round may reveal deeper mistakes. */
const ROUNDS = 6
/** The maximum number of mistakes that are mended at once. */
const MOST = 200

/** The fields of a record that the client is responsible for. */
export interface Sayable {
  /** Returns whether the request describes the field. */
  declares(name: string): boolean
  /** Returns whether a missing field is the client's mistake. */
  refuses(name: string): boolean
  /** Whether unknown fields stay in the record and are not mistakes. */
  readonly keepsOthers?: boolean
}

/** Returns the valid record; `undefined` if the client must correct the request. */
export function mend(
  record: JsonObject,
  given: JsonObject,
  schema: SchemaUse,
  about: Sayable,
  making: Making,
): JsonObject | undefined {
  const check = (value: Json) => {
    const violations = schema.check(value, true)
    if (violations === undefined || about.keepsOthers !== true) return violations
    const others = violations.filter(({ keyword }) => !EXTRA.has(keyword))
    return others.length === 0 ? undefined : others
  }
  let current: Json = record
  for (let round = 0; round < ROUNDS; round++) {
    const violations = check(current)
    if (violations === undefined) return current as JsonObject
    if (violations.length > MOST) return undefined
    for (const violation of violations) {
      const path = parsePointer(violation.pointer) ?? []
      const [top] = path
      if (top === undefined) return undefined
      const missing = violation.keyword === 'required'
      if (missing && path.length === 1 ? about.refuses(top) : Object.hasOwn(given, top) && !about.declares(top)) {
        return undefined
      }
      current = putAt(current, path, better(current, path, violation, schema, making))
    }
  }
  return check(current) === undefined ? (current as JsonObject) : undefined
}

const EXTRA: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties'])

/** Returns the value for the place of a violation; `undefined` if there is none. */
function better(
  whole: Json,
  path: readonly string[],
  { keyword }: Violation,
  schema: SchemaUse,
  making: Making,
): Json | undefined {
  if (EXTRA.has(keyword)) return undefined
  const sampler = schema.sampler
  const parts = sampler.within(schema.key, path)
  const seed = Math.floor(making.draw(`mend ${path.join('/')}`) * 2 ** 31) + 1
  const name = path.at(-1)
  const { value, fits } = sampler.sampleAll(parts.length > 0 ? parts : [{}], {
    seed,
    ...(name === undefined ? {} : { name }),
  })
  const made = fits ? value : undefined
  const old = path.reduce<Json | undefined>((at, key) => (at as Record<string, Json> | undefined)?.[key], whole)
  if (old === undefined || made === undefined) return made
  return inFormOf(made, old)
}

const NAMING = ['id', 'uuid', 'key', 'slug', 'code', 'name', 'value']

/** Converts a client's value to the record's form: an id to an object, an object to its id, a number to text. */
function inFormOf(made: Json, said: Json): Json {
  if (Array.isArray(made)) return Array.isArray(said) || made.length === 0 ? made : [inFormOf(made[0] as Json, said)]
  if (isObject(made) && (typeof said === 'string' || typeof said === 'number')) {
    const name = NAMING.find(one => typeof made[one] === typeof said)
    return name === undefined ? made : { ...(made as JsonObject), [name]: said }
  }
  if (isObject(said)) {
    const name = NAMING.find(one => typeof said[one] === typeof made)
    return name === undefined ? made : (said[name] as Json)
  }
  if (typeof made === 'string' && typeof said === 'number') return String(said)
  if (typeof made === 'number' && typeof said === 'string' && said.trim() !== '' && Number.isFinite(Number(said))) {
    return Number(said)
  }
  return made
}

/** Returns the value with the part at a place replaced or removed. */
function putAt(value: Json, [key, ...rest]: readonly string[], next: Json | undefined): Json {
  if (key === undefined) return next ?? null
  if (Array.isArray(value)) {
    const items = value.map((item, i) => (String(i) === key ? putAt(item, rest, next) : item))
    return next === undefined && rest.length === 0 ? items.filter((_, i) => String(i) !== key) : items
  }
  if (!isObject(value)) return value
  const members = new Map<string, Json>(Object.entries(value as JsonObject))
  const inner = rest.length === 0 ? next : putAt(members.get(key) ?? {}, rest, next)
  if (inner === undefined) members.delete(key)
  else members.set(key, inner)
  return Object.fromEntries(members)
}
