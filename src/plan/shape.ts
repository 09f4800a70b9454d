// Describes mistakes in the shape of gateway.yaml, and removes the invalid parts so that the rest can be checked too. Knows
// no key by name.

import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { isObject, parsePointer } from '../kernel/json.ts'
import type { Check, Schema } from '../kernel/schema.ts'
import type { Violation } from '../kernel/schema-errors.ts'
import type { Path, Source } from '../kernel/source.ts'
import { blockAt, ownWord } from './foreign-words.ts'

/** A format of the schema, and a description of valid texts. */
export type Likes = Readonly<Record<string, { readonly like: string }>>

export interface ShapeCheck {
  readonly schema: Schema
  /** Validates this value, also after parts have been removed. */
  checkFor(value: unknown): Check
  readonly formats: Likes
  /** The message and the hint for a file that has none of the schema's keys. Unset: each of its keys is reported. */
  readonly stranger?: { readonly message: string; readonly hint: string }
}

/**
 * Reports the mistakes in the value of a source.
 *
 * @returns the value without its invalid parts; `undefined` if nothing remains
 */
export function checkShape(source: Source, shape: ShapeCheck, report: Diagnostics): unknown {
  let { value } = source
  const check = shape.checkFor(value)
  let violations = check(value, true)
  if (violations !== undefined && shape.stranger !== undefined && isAnotherFile(value, shape.schema)) {
    report.error('not-a-gateway-file', shape.stranger.message, source.locate([]), shape.stranger.hint)
    return undefined
  }
  for (const violation of violations ?? []) reportViolation(source, violation, shape, report)
  if (violations?.omitted !== undefined) {
    report.omit(violations.omitted)
    return undefined
  }
  // Removing a part may make its parent incomplete, and so on outwards.
  for (let depth = 0; violations !== undefined; depth++) {
    const culprits = violations.map(violation => culpritOf(value, violation))
    if (depth > 10 || culprits.some(path => path.length === 0)) return undefined
    // Names that others can refer to are one level below the top.
    for (const path of culprits) if (path.length === 2) report.broken.add(path[1] as string)
    value = without(value, treeOf(culprits))
    violations = check(value, true)
  }
  return value
}

/** Returns whether none of the keys is known. */
const isAnotherFile = (value: unknown, schema: Schema): boolean => {
  const known = (schema as { properties?: object }).properties ?? {}
  return !isObject(value) || !Object.keys(known).some(key => Object.hasOwn(value, key))
}

/**
 * Returns the part to remove for a violation. Lists are removed whole, because removing an item would renumber the others.
 */
function culpritOf(value: unknown, { pointer, keyword, params }: Violation): string[] {
  const steps = parsePointer(pointer) ?? []
  const path = keyword === 'required' ? steps.slice(0, -1) : steps
  if (params.propertyName !== undefined) path.push(String(params.propertyName))
  let at = value
  for (const [i, key] of path.entries()) {
    // The items of other lists keep their places only if the list is removed as a whole.
    if (Array.isArray(at) && (path[i - 1] !== 'rules' || i === path.length - 1)) return path.slice(0, i)
    at = (at as Record<string, unknown> | undefined)?.[key]
  }
  return path
}

/** A tree of the keys to remove. A key that leads to another map is kept and searched. */
type RemovalTree = Map<string, RemovalTree | undefined>

function treeOf(paths: readonly string[][]): RemovalTree {
  const tree: RemovalTree = new Map()
  for (const path of paths) {
    let at: RemovalTree | undefined = tree
    for (const key of path.slice(0, -1)) {
      if (at.has(key)) at = at.get(key)
      else {
        const next: RemovalTree = new Map()
        at.set(key, next)
        at = next
      }
      if (at === undefined) break
    }
    at?.set(path.at(-1) as string, undefined)
  }
  return tree
}

const NOTHING: RemovalTree = new Map()

function without(value: unknown, tree: RemovalTree): unknown {
  if (Array.isArray(value)) return value.map((item, i) => without(item, tree.get(`${i}`) ?? NOTHING))
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    if (!tree.has(name)) return [[name, item]]
    const inside = tree.get(name)
    if (inside !== undefined) return [[name, without(item, inside)]]
    // Without its condition a rule would hold for every request.
    return name === 'when' ? [[name, 'false']] : []
  })
  return Object.fromEntries(entries)
}

function reportViolation(
  source: Source,
  violation: Violation,
  { formats, schema }: ShapeCheck,
  report: Diagnostics,
): unknown {
  const { pointer, message, keyword, params } = violation
  const path: Path = parsePointer(pointer) ?? []
  const holder = path.slice(0, -1)
  const name = nameOf(source.value, path)
  const say = (code: string, text: string, part: 'key' | 'value', hint?: string) => {
    const place = source.locate(path, part)
    // The value depends on an environment variable that is not set.
    if (!report.has('missing-variable', place)) report.error(code, text, place, hint)
  }
  const format = formats[(params.format ?? params.declaredFormat) as string]
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(path.at(-1))
      const homes = path.length === 1 ? homesOf(key, schema) : []
      // The key is beside the blocks that accept it, and no block is more likely than the others.
      if (homes.length > 2)
        return say('unknown-key', `"${key}" is not a key here; it belongs under ${listed(homes)}`, 'key')
      const hint = underEmptyBlock(key, path, source.value, schema) ?? suggestKey(key, params.known as string[], schema)
      return say('unknown-key', `unknown key "${key}"`, 'key', hint)
    }
    case 'required': {
      const place = source.locate(holder, 'key')
      const about = (params.about as string | undefined)?.split(/\. /, 1)[0]?.replace(/\.$/, '')
      return report.error('missing-key', `"${String(path.at(-1))}" is missing`, place, about)
    }
    case 'format':
      return say(
        'invalid-unit',
        `${name} must be ${article(String(params.format))}`,
        'value',
        `write, for instance, ${format?.like}`,
      )
    case 'type': {
      if (format !== undefined && params.given === 'number') {
        return say('missing-unit', `${name} needs a unit`, 'value', `write, for instance, ${format.like}`)
      }
      const types = [params.type].flat().filter(type => type !== 'null')
      const words = types.map(type => TYPES[String(type)] ?? String(type)).join(' or ')
      if (params.given === null) return say('wrong-type', `${name} is empty; it must be ${words}`, 'key')
      const hint = types.includes('object') ? blockAt(path) : quoted(path, params.given)
      return say('wrong-type', `${name} must be ${words}`, 'value', hint)
    }
    case 'enum': {
      const allowed = (params.allowedValues as unknown[]).map(String)
      const { propertyName } = params
      if (propertyName === undefined) {
        return say('invalid-value', `${name} ${message}`, 'value', suggest(String(params.given), allowed))
      }
      const place = source.locate([...path, String(propertyName)], 'key')
      const text = `unknown key "${propertyName}"`
      return report.error('unknown-key', text, place, suggest(String(propertyName), allowed))
    }
    case 'minProperties':
      return say('missing-key', `${name} is empty`, 'key')
    case 'propertyNames':
      return undefined
    default:
      return say('invalid-value', `${name} ${message}`, 'value')
  }
}

/** A condition is text: YAML reads `when: true` as a boolean. */
const quoted = (path: Path, given: unknown): string | undefined =>
  path.at(-1) === 'when' && (typeof given === 'boolean' || given === 'number')
    ? 'write the condition as an expression in quotes, such as when: "true"'
    : undefined

const article = (word: string): string => `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`

const TYPES: Readonly<Record<string, string>> = {
  object: 'a block of keys',
  array: 'a list',
  string: 'text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
}

/** Returns the key in quotes; for an item of a list, the list's key. */
function nameOf(value: unknown, path: Path): string {
  const key = path.at(-1)
  if (key === undefined) return 'the file'
  const holder = path.slice(0, -1).reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], value)
  return Array.isArray(holder) ? `an item of "${String(path.at(-2))}"` : `"${String(key)}"`
}

/** A key at the top level that follows an empty block probably lacks its indent. */
function underEmptyBlock(key: string, path: Path, value: unknown, schema: Schema): string | undefined {
  if (path.length !== 1 || !isObject(value)) return undefined
  const { properties = {} } = schema as { properties?: Record<string, Block> }
  const empty = Object.keys(properties).filter(name => (value as Record<string, unknown>)[name] === null)
  // There may be a hundred thousand unknown keys.
  if (empty.length === 0) return undefined
  const order = orderOf(value)
  const at = (name: string): number => order.get(name) ?? Number.POSITIVE_INFINITY
  const before = Object.keys(properties)
    .filter(name => at(name) < at(key))
    .sort((a, b) => at(a) - at(b))
    .at(-1)
  if (before === undefined || (value as Record<string, unknown>)[before] !== null) return undefined
  return isObject(properties[before]?.additionalProperties) ? `indent it to put it under "${before}"` : undefined
}

/** The places of a value's keys, computed once for all of them. */
const orders = new WeakMap<object, ReadonlyMap<string, number>>()

function orderOf(value: object): ReadonlyMap<string, number> {
  const known = orders.get(value)
  if (known !== undefined) return known
  const order = new Map(Object.keys(value).map((name, at) => [name, at]))
  orders.set(value, order)
  return order
}

/** Suggests a similar key, or the block that has the key, or the list of keys. */
function suggestKey(key: string, known: readonly string[], schema: Schema): string | undefined {
  const own = ownWord(key, known)
  if (own !== undefined) return `write "${own}" here`
  const near = suggest(key, known)
  if (near?.startsWith('did you mean') || known.includes(key)) return near
  const homes = homesOf(key, schema)
  return homes.length > 0 && homes.length <= 4 ? `put it under ${homes.join(', ')}` : near
}

/** Joins names: `defaults, tags or operations`. */
const listed = (homes: readonly string[]): string => {
  const names = homes.map(home => home.replace(/: NAME$/, ''))
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** Returns the top-level blocks that have a key. */
function homesOf(key: string, schema: Schema): string[] {
  const { properties = {} } = schema as { properties?: Record<string, Block> }
  return Object.entries(properties).flatMap(([name, block]) => {
    if (Object.hasOwn(block.properties ?? {}, key)) return [name]
    const { additionalProperties: each } = block
    return isObject(each) && Object.hasOwn((each as Block).properties ?? {}, key) ? [`${name}: NAME`] : []
  })
}

interface Block {
  readonly properties?: Record<string, unknown>
  readonly additionalProperties?: unknown
}
