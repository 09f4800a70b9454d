// Describes mistakes in the shape of gateway.yaml, and removes the invalid parts so that the rest can be checked too. Knows
// no key by name.

import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { isObject, parsePointer } from '../kernel/json.ts'
import type { Check, Schema } from '../kernel/schema.ts'
import type { Violation } from '../kernel/schema-errors.ts'
import type { Path, Source } from '../kernel/source.ts'

/** A format of the schema: a description of valid texts, and the texts that are invalid only because of a maximum. */
interface Like {
  readonly like: string
  readonly above?: { readonly pattern: string; readonly rule: string }
}
export type Likes = Readonly<Record<string, Like>>

export interface ShapeCheck {
  readonly schema: Schema
  readonly formats: Likes
  /** The message and the hint for a file that has none of the schema's keys. Unset: each of its keys is reported. */
  readonly stranger?: { readonly message: string; readonly hint: string }
}

/**
 * Reports the mistakes in the value of a source.
 *
 * @param check validates the value, also after parts have been removed
 * @returns the value without its invalid parts; `undefined` if nothing remains
 */
export function checkShape(source: Source, check: Check, shape: ShapeCheck, report: Diagnostics): unknown {
  let { value } = source
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
      if (format?.above !== undefined && new RegExp(`^(?:${format.above.pattern})$`).test(String(params.given)))
        return say('invalid-value', `${name} must ${format.above.rule}`, 'value')
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

// Finds the invalid parts of a configuration, and removes them.

/**
 * Returns the part to remove for a violation. Lists are removed whole, because removing an item would renumber the others.
 */
export function culpritOf(value: unknown, { pointer, keyword, params }: Violation): string[] {
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

/** Returns the tree of the paths of the parts to remove. */
export function treeOf(paths: readonly string[][]): RemovalTree {
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

/** Returns a copy of a value without the parts in the tree. */
export function without(value: unknown, tree: RemovalTree): unknown {
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

// Hints for an unknown key: a similar key, the block that it belongs to, or a missing indent.

/** A key at the top level that follows an empty block probably lacks its indent. */
export function underEmptyBlock(key: string, path: Path, value: unknown, schema: Schema): string | undefined {
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
export function suggestKey(key: string, known: readonly string[], schema: Schema): string | undefined {
  const own = ownWord(key, known)
  if (own !== undefined) return `write "${own}" here`
  const near = suggest(key, known)
  if (near?.startsWith('did you mean') || known.includes(key)) return near
  const homes = homesOf(key, schema)
  return homes.length > 0 && homes.length <= 4 ? `put it under ${homes.join(' or ')}` : near
}

/** Joins names: `defaults, tags or operations`. */
export const listed = (homes: readonly string[]): string => {
  const names = homes.map(home => home.replace(/: NAME$/, ''))
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** Returns the top-level blocks that have a key. */
export function homesOf(key: string, schema: Schema): string[] {
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

// Keys of other tools with their names in gateway.yaml, and hints for blocks that are often written in another form.

/** Keys by the foreign word in lower case, without dashes and underscores. */
const OURS: Readonly<Record<string, readonly string[]>> = {
  latency: ['delay', 'wait', 'sleep', 'latencyms', 'delayms', 'fixeddelaymilliseconds', 'responsedelay'],
  rateLimit: ['throttle', 'throttling', 'ratelimiting', 'quota'],
  fault: ['faults', 'errorrate', 'failure', 'failures', 'chaosmonkey'],
  capacity: ['concurrency', 'maxconcurrency', 'maxconnections'],
  listen: ['server', 'servers', 'http', 'bind'],
  operations: ['routes', 'endpoints', 'mappings', 'stubs', 'handlers', 'mocks', 'paths', 'interactions'],
  respond: ['response', 'responses', 'reply', 'returns', 'answer'],
  consumers: ['users', 'clients', 'apikeys', 'accounts', 'auth', 'authentication', 'credentials', 'tokens'],
  resources: ['collections', 'entities', 'models', 'data', 'db', 'database', 'databuckets', 'store'],
  weather: ['chaos', 'scenarios', 'profiles', 'presets'],
  contract: ['spec', 'openapi', 'specification', 'document', 'definition'],
  deprecation: ['deprecated', 'deprecations'],
  sunset: ['removal', 'removed', 'retire', 'until'],
  worlds: ['sandboxes', 'sessions', 'tenants'],
  journal: ['history', 'recording', 'requestlog'],
  authenticate: ['security', 'secure'],
  port: ['listenport', 'httpport'],
  host: ['address', 'hostname'],
  seed: ['fixtures', 'records', 'seeds', 'initial'],
  schema: ['model', 'type'],
  status: ['statuscode', 'code', 'httpstatus'],
  limit: ['max', 'requests', 'rate'],
}

const BY_WORD = new Map(Object.entries(OURS).flatMap(([ours, words]) => words.map(word => [word, ours] as const)))

/** Returns the key for a word of another tool, if it is one of these. */
export function ownWord(word: string, known: readonly string[]): string | undefined {
  const ours = BY_WORD.get(word.toLowerCase().replace(/[-_ ]/g, ''))
  return ours !== undefined && known.includes(ours) ? ours : undefined
}

const BLOCKS: Readonly<Record<string, string>> = {
  consumers: 'consumers: { demo: { apiKey: demo-key } }, where apiKey is the name of a security scheme of the contract',
  'consumers.*': 'by security scheme of the contract: { apiKey: … }',
  resources: 'resources: { books: { schema: Book } }',
  'resources.*': '{ schema: Book }, where Book is a schema of the contract',
  operations: 'operations: { listBooks: { latency: 200ms } }',
  listen: 'listen: { port: 4010 }',
  latency: 'latency: 200ms, or { p50: 20ms, p99: 200ms }',
  fault: 'fault: { kind: status, status: 503, probability: 5% }',
  rateLimit: 'rateLimit: 100/m, or { limit: 100/m, burst: 20 }',
  capacity: 'capacity: { concurrency: 8 }',
  respond: 'respond: { list: books }, or { status: 200 }',
  deprecation: 'deprecation: { since: 2025-12-05, sunset: 2030-12-05 }',
  weather: 'weather: { rush-hour: { defaults: { latency: 200ms } } }',
}

/** Hints for a block that must be a map, by its path. */
export const blockAt = (path: readonly (string | number)[]): string | undefined =>
  BLOCKS[path.join('.')] ?? (path.length === 2 ? BLOCKS[`${path[0]}.*`] : undefined) ?? BLOCKS[String(path.at(-1))]
