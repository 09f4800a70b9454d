// Checks gateway.yaml, and orders of the control plane, against their schemas: describes the mistakes, and removes the invalid
// parts so that the rest can be checked too. Knows no key by name, except in hints for what is often written in another way.

import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import type { Path, Source } from '../kernel/file/source.ts'
import { isObject, mapValues, memberAt, parsePointer, pointer } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import { type Check, type Schema, Schemas } from '../kernel/schema/schema.ts'
import type { Violation } from '../kernel/schema/violations.ts'
import { answerSchema, blockSchemasOf, orderSchema } from './block-schemas.ts'
import { FORMATS, roundSettings } from './formats.ts'
import type { House } from './house.ts'
import type { AnswerOrder, SimulationFile, WeatherOrder } from './simulation-file.ts'
import { simulationSchemaOf } from './simulation-schema.ts'

const tests = mapValues<{ readonly test: (text: string) => boolean }, (text: string) => boolean>(
  FORMATS,
  ({ test }) => test,
)

/**
 * Returns a function that rounds the settings of a source, checks their shape, and returns the valid parts; `undefined` if there
 * are none. It compiles only the part of the schema that the sources so far use, which takes a fifth of the time.
 */
export function checkerOf<Valid>(schema: Schema, stranger?: Stranger): Checker<Valid> {
  const all = namesIn(schema)
  let names: ReadonlySet<string> = new Set()
  let check: Check | undefined
  return (source: Source, report: Diagnostics): Valid | undefined => {
    roundSettings(source.value)
    const used = namesIn(source.value, all)
    if (check === undefined || [...used].some(name => !names.has(name))) {
      names = new Set([...names, ...used])
      check = new Schemas({}, tests).compile(narrow(schema, names) as Schema, true)
    }
    return checkShape(source, check, schema, report, stranger) as Valid | undefined
  }
}

/**
 * Returns the schema for values that have only these members, at any depth. The schemas of all other members are removed;
 * their names and descriptions stay, so that they are still known.
 */
export function narrow(schema: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(schema)) return schema.map(one => narrow(one, names))
  if (!isObject(schema)) return schema
  const member = (part: unknown, name: string) =>
    names.has(name) ? narrow(part, names) : { description: (part as { description?: string }).description }
  return mapValues(schema, (part, keyword) =>
    keyword === 'properties' ? mapValues(part as Record<string, unknown>, member) : narrow(part, names),
  )
}

/** Collects the names of all members at any depth; with `known`, only names among those. */
function namesIn(value: unknown, known?: ReadonlySet<string>, names = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return names
  for (const [name, item] of Object.entries(value)) {
    if (!Array.isArray(value) && (known === undefined || known.has(name))) names.add(name)
    namesIn(item, known, names)
  }
  return names
}

type Checker<Valid> = (source: Source, report: Diagnostics) => Valid | undefined

/** The checks of what people write; see `checkerOf`. */
interface Checks {
  /** Checks a gateway file. */
  readonly simulation: Checker<SimulationFile>
  /** Checks weather from the control plane. */
  readonly order: Checker<WeatherOrder>
  /** Checks an order for an answer. */
  readonly answer: Checker<AnswerOrder>
}

const checks = new WeakMap<House, Checks>()

/** Returns the checks of a house, the same ones each time. */
export const checksOf = (house: House): Checks =>
  getOrMake(checks, house, () => {
    const blocks = blockSchemasOf(house)
    return {
      simulation: checkerOf(simulationSchemaOf(house), {
        message: 'this is neither a gateway file nor an OpenAPI document',
        hint: 'begin a gateway file with contract: ./openapi.yaml',
      }),
      order: checkerOf(orderSchema(blocks)),
      answer: checkerOf(answerSchema(blocks, house)),
    }
  })

/** The message and the hint for a file that has none of the schema's keys. */
interface Stranger {
  readonly message: string
  readonly hint: string
}

/**
 * Reports the mistakes in the value of a source.
 *
 * @param check validates the value, also after parts have been removed
 * @param stranger unset: each unknown key is reported
 * @returns the value without its invalid parts; `undefined` if nothing remains
 */
function checkShape(
  source: Source,
  check: Check,
  schema: Schema,
  report: Diagnostics,
  stranger: Stranger | undefined,
): unknown {
  let { value } = source
  let violations = check(value, true)
  if (violations !== undefined && stranger !== undefined && isAnotherFile(value, schema)) {
    report.error('not-a-gateway-file', stranger.message, source.locate([]), stranger.hint)
    return undefined
  }
  for (const violation of violations ?? []) reportViolation(source, violation, schema, report)
  if (violations?.omitted !== undefined) {
    report.omit(violations.omitted)
    return undefined
  }
  // Removing a part may make its parent incomplete, and so on outwards.
  for (let depth = 0; violations !== undefined; depth++) {
    const culprits = violations.map(violation => culpritOf(value, violation))
    if (depth > 10 || culprits.some(path => path.length === 0)) return undefined
    // Names that others can refer to are one level below the top.
    for (const path of culprits) {
      if (path.length === 2) report.broken.add(path[1] as string)
      report.broken.add(pointer(path.slice(0, -1)))
    }
    value = leaveOut(value, new Set(culprits.map(pointer)))
    violations = check(value, true)
  }
  return value
}

/** Returns whether none of the keys is known. */
const isAnotherFile = (value: unknown, schema: Schema): boolean =>
  !isObject(value) || !Object.keys(blocksIn(schema)).some(key => Object.hasOwn(value, key))

/**
 * Returns the part to remove for a violation. Lists are removed whole, because removing an item would renumber the others.
 */
function culpritOf(value: unknown, { pointer: at, keyword, params }: Violation): string[] {
  const steps = parsePointer(at) ?? []
  const path = keyword === 'required' ? steps.slice(0, -1) : steps
  if (params.propertyName !== undefined) path.push(String(params.propertyName))
  let part = value
  for (const [i, key] of path.entries()) {
    // The settings of a rule can be removed, because a rule keeps its place.
    if (Array.isArray(part) && (path[i - 1] !== 'rules' || i === path.length - 1)) return path.slice(0, i)
    part = (part as Record<string, unknown> | undefined)?.[key]
  }
  return path
}

/** Takes the place of a rule, so that the others keep theirs. */
const NEVER = { when: 'false', times: 1 }

/** Returns a copy of a value without the parts at some pointers. @param at the pointer to the value */
export function leaveOut(value: unknown, gone: ReadonlySet<string>, at = ''): unknown {
  if (![...gone].some(one => one.startsWith(`${at}/`))) return value
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => {
      if (!gone.has(`${at}/${i}`)) return [leaveOut(item, gone, `${at}/${i}`)]
      return at.endsWith('/rules') ? [NEVER] : []
    })
  }
  if (!isObject(value)) return value
  const kept = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    const part = at + pointer([name])
    if (!gone.has(part)) return [[name, leaveOut(item, gone, part)]]
    // Without its condition a rule would hold for every request.
    return name === 'when' ? [[name, 'false']] : []
  })
  return Object.fromEntries(kept)
}

function reportViolation(source: Source, violation: Violation, schema: Schema, report: Diagnostics): unknown {
  const { message, keyword, params } = violation
  const path: Path = parsePointer(violation.pointer) ?? []
  const name = nameAt(source.value, path)
  const say = (code: string, text: string, part: 'key' | 'value', hint?: string) =>
    report.error(code, text, source.locate(path, part), hint)
  const format = FORMATS[(params.format ?? params.declaredFormat) as keyof typeof FORMATS]
  const about = (params.about as string | undefined)?.split(/\. (?!Default)/, 1)[0]?.replace(/\.$/, '')
  const example = format === undefined ? about : `write, for instance, ${format.like}`
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(path.at(-1))
      const hint = suggestKey(key, params.known as string[], schema)
      return say('unknown-key', `unknown key "${key}"`, 'key', hint)
    }
    case 'required': {
      const place = source.locate(path.slice(0, -1), 'key')
      return report.error('missing-key', `"${String(path.at(-1))}" is missing`, place, about)
    }
    case 'format': {
      if (
        format !== undefined &&
        'above' in format &&
        new RegExp(`^(?:${format.above.pattern})$`).test(`${params.given}`)
      )
        return say('invalid-value', `${name} must ${format.above.rule}`, 'value', example)
      const article = /^[aeiou]/.test(String(params.format)) ? 'an' : 'a'
      return say('invalid-unit', `${name} must be ${article} ${params.format}`, 'value', example)
    }
    case 'type': {
      if (format !== undefined && params.given === 'number') {
        return say('missing-unit', `${name} needs a unit`, 'value', example)
      }
      const types = [params.type].flat().filter(type => type !== 'null')
      const words = types.map(type => TYPES[String(type)] ?? String(type)).join(' or ')
      const hint = quoted(path, params.given, types) ?? blockAt(path, memberAt(source.value, path)) ?? about
      if (params.given === null) return say('wrong-type', `${name} is empty; it must be ${words}`, 'key', hint)
      return say('wrong-type', `${name} must be ${words}`, 'value', hint)
    }
    case 'enum': {
      const allowed = (params.allowedValues as unknown[]).map(String)
      const { propertyName } = params
      if (propertyName === undefined) {
        const hint = ownWord(String(params.given), allowed) ?? suggest(String(params.given), allowed)
        return say('invalid-value', `${name} ${message}`, 'value', hint)
      }
      const place = source.locate([...path, String(propertyName)], 'key')
      return report.error('unknown-key', `unknown key "${propertyName}"`, place, suggest(String(propertyName), allowed))
    }
    case 'minProperties':
      return say('missing-key', `${name} is empty`, 'key', blockAt(path) ?? 'remove it, or fill it in')
    case 'propertyNames':
      return undefined
    default:
      return say('invalid-value', `${name} ${message}`, 'value', path.at(-1) === 'when' ? IN_QUOTES : about)
  }
}

const IN_QUOTES = 'write the condition as an expression in quotes, such as when: "true"'

/** A condition is text: YAML reads `when: true` as a boolean. A number in quotes is text. */
const quoted = (path: Path, given: unknown, types: readonly unknown[]): string | undefined =>
  path.at(-1) === 'when'
    ? IN_QUOTES
    : types.includes('integer') && /^\d+$/.test(`${given}`)
      ? `write ${given} without quotes`
      : undefined

const TYPES: Readonly<Record<string, string>> = {
  object: 'a block of keys',
  array: 'a list',
  string: 'text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
}

/** Returns the key in quotes; for an item of a list, the list's key. */
function nameAt(value: unknown, path: Path): string {
  const key = path.at(-1)
  if (key === undefined) return 'the file'
  const holder = memberAt(value, path.slice(0, -1))
  // The short form of a latency is written as a fixed one.
  return Array.isArray(holder) ? `an item of "${path.at(-2)}"` : `"${key === 'fixed' ? 'latency' : key}"`
}

interface BlockSchema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly additionalProperties?: unknown
}

const blocksIn = (schema: Schema): Readonly<Record<string, BlockSchema>> =>
  (schema as { readonly properties?: Readonly<Record<string, BlockSchema>> }).properties ?? {}

/** Suggests a similar key, or the block that has the key, or the list of keys. */
function suggestKey(key: string, known: readonly string[], schema: Schema): string | undefined {
  const own = ownWord(key, known)
  if (own !== undefined) return own
  const { $defs = {} } = schema as { readonly $defs?: Readonly<Record<string, BlockSchema>> }
  const has = (block: string) => Object.hasOwn($defs[block]?.properties ?? {}, key)
  const holder = known.includes('respond') ? ['respond', ...known].find(has) : undefined
  if (holder !== undefined) return `write ${holder}: { ${key}: … }`
  const near = suggest(key, known)
  if (near?.startsWith('did you mean') || known.includes(key)) return near
  const homes = homesOf(key, schema, known.includes('contract'))
  return homes.length > 0 && homes.length <= 4 ? `put it under ${homes.join(' or ')}` : near
}

/**
 * Returns the top-level blocks that have a key: those with all of its settings, where some have a part of them.
 *
 * @param isTop whether the key is at the top, too: elsewhere only a behaviour is likely to belong there
 */
function homesOf(key: string, schema: Schema, isTop: boolean): string[] {
  const found = Object.entries(blocksIn(schema)).flatMap(([name, { properties = {}, additionalProperties: each }]) => {
    if (Object.hasOwn(properties, key)) return [{ name, setting: properties[key] }]
    const own = isObject(each) ? ((each as BlockSchema).properties ?? {}) : {}
    return Object.hasOwn(own, key) ? [{ name: `${name}: NAME`, setting: own[key] }] : []
  })
  const whole = found.filter(({ setting }) => isObject(setting) && '$ref' in setting)
  return (whole.length > 0 || !isTop ? whole : found).map(({ name }) => name)
}

/** Suggests one of some words for a word of another tool. */
function ownWord(word: string, known: readonly string[]): string | undefined {
  const own = OUR_WORDS.get(word.toLowerCase().replace(/[-_ ]/g, ''))
  return own !== undefined && known.includes(own) ? `write "${own}" here` : undefined
}

/** Our words, by those of other tools in lower case, without dashes and underscores. */
const OUR_WORDS = new Map(
  Object.entries({
    latency: 'delay wait sleep latencyms delayms fixeddelaymilliseconds responsedelay',
    rateLimit: 'throttle throttling ratelimiting quota',
    fault: 'faults errorrate failure failures chaosmonkey',
    capacity: 'concurrency maxconcurrency maxconnections',
    listen: 'server servers http bind',
    operations: 'routes endpoints mappings stubs handlers mocks paths interactions',
    respond: 'response responses reply returns answer then do action',
    when: 'if condition match matches request where',
    p50: 'avg average mean median typical',
    hang: 'timeout timedout',
    reset: 'disconnect econnreset',
    consumers: 'users clients apikeys accounts auth authentication credentials tokens',
    resources: 'collections entities models data db database databuckets store',
    weather: 'chaos scenarios profiles presets',
    contract: 'spec openapi specification document definition',
    deprecation: 'deprecated deprecations',
    sunset: 'removal removed retire until',
    worlds: 'sandboxes sessions tenants',
    journal: 'history recording requestlog',
    authenticate: 'security secure',
    port: 'listenport httpport',
    host: 'address hostname',
    seed: 'fixtures records seeds initial',
    schema: 'model type',
    status: 'statuscode code httpstatus error',
    from: 'transitions edges next',
    body: 'json payload',
    forward: 'proxy',
    probability: 'chance odds percentage share',
    limit: 'max requests rate',
  }).flatMap(([ours, words]) => words.split(' ').map(word => [word, ours] as const)),
)

const BLOCKS: Readonly<Record<string, string>> = {
  consumers: 'consumers: { demo: { apiKey: demo-key } }, where apiKey is the name of a security scheme of the contract',
  'consumers.*.*': 'a credential: { apiKey: demo-key }, where apiKey is the name of a security scheme of the contract',
  'consumers.*': 'by security scheme of the contract: { apiKey: … }',
  resources: 'resources: { books: { schema: Book } }',
  'resources.*': '{ schema: Book }, where Book is a schema of the contract',
  operations: 'operations: { listBooks: { latency: 200ms } }',
  listen: 'listen: { port: 4010 }',
  latency: 'latency: 200ms, or { p50: 20ms, p99: 200ms }',
  fault: 'fault: { kind: status, status: 503, probability: 5% }',
  shadow: 'shadow: { share: 10% }',
  rateLimit: 'rateLimit: 100/m, or { limit: 100/m, burst: 20 }',
  capacity: 'capacity: { concurrency: 8 }',
  respond: 'respond: { list: books }, or { status: 200 }',
  deprecation: 'deprecation: { since: 2025-12-05, sunset: 2030-12-05 }',
  rules: 'rules: [{ when: …, respond: { status: 500 } }]',
  weather: 'weather: { rush-hour: { defaults: { latency: 200ms } } }',
}

/** Returns how the value at a path is written. The states that follow one are often written as a list. */
const blockAt = (path: Path, given?: unknown): string | undefined =>
  path.at(-2) === 'from' && given !== undefined
    ? `${String(path.at(-1))}: { ${[given]
        .flat()
        .map(one => `${one}: {}`)
        .join(', ')} }`
    : (BLOCKS[path.join('.')] ??
      BLOCKS[[path[0], ...path.slice(1).fill('*')].join('.')] ??
      BLOCKS[String(path.findLast(step => !/^\d+$/.test(`${step}`)))])
