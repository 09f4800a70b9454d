// The JSON Schema of gateway.yaml for editors and validators: standard keywords only, accepted by strict validators, with
// shared parts defined once.

import { behaviours } from '../behaviours/index.ts'
import { isObject, type Json } from '../kernel/json.ts'
import { type Schema, Schemas } from '../kernel/schema.ts'
import { FORMATS } from './formats.ts'
import { simulationSchema } from './simulation-schema.ts'

export type PublishedSchema = { readonly [keyword: string]: unknown }

/** The schemas of the short forms of gateway.yaml: see `expandShortForms`. */
const SHORT: Readonly<Record<string, PublishedSchema>> = {
  latency: { type: 'string', format: 'duration' },
  rateLimit: { type: 'string', format: 'rate' },
}

/** Any text may be an environment variable. */
const PLACEHOLDER = '\\$\\{[A-Za-z_]\\w*(?::-[^}]*)?\\}'

/** Examples for keys, by the end of their path. */
const EXAMPLES: Readonly<Record<string, readonly Json[]>> = {
  contract: ['./openapi.yaml'],
  seed: [42],
  host: ['127.0.0.1', '0.0.0.0'],
  controlHost: ['127.0.0.1'],
  'worlds.default': ['staging'],
  'consumers.*': [{ apiKey: '${DEMO_KEY:-demo-key}' }],
  'consumers.*.scopes': [['read', 'write']],
  'consumers.*.*': ['${DEMO_KEY:-demo-key}'],
  'respond.filter.all': ['all'],
  'respond.item': [{ customer: '${record.value}' }],
  'errors.body': [{ code: '${problem.code}', message: '${problem.detail}' }],
  'errors.codes': [{ not_found: 'NOT_FOUND' }],
  'resources.*': [{ schema: 'Book', seed: './books.yaml' }],
  'resources.*.schema': ['Book'],
  'resources.*.seed': ['./books.yaml', [{ id: 1, title: 'Emma' }]],
  'resources.*.references': [{ authorId: 'authors' }],
  'states.field': ['status'],
  'resources.*.defaults': [{ genre: 'novel' }],
  'deprecation.successor': ['/books?genre={genre}'],
  'deprecation.policy': ['https://example.com/deprecations'],
  'authenticate.realm': ['books'],
  'capacity.concurrency': [8],
  'rateLimit.burst': [20],
  'fault.probability': [0.05, '5%'],
  'fault.every': [10],
  'fault.status': [503],
  'respond.list': ['books'],
  'respond.filter': [['genre'], [{ parameter: 'from', field: 'createdAt', is: 'at-least' }]],
  'filter.parameter': ['from'],
  'filter.field': ['createdAt'],
  'respond.search': ['q'],
  'respond.limit': ['limit'],
  'respond.offset': ['offset'],
  'respond.page': ['page'],
  'respond.cursor': ['after'],
  'respond.sort': ['sort', { parameter: 'sort', unknownFields: 'ignore' }],
  'sort.parameter': ['sort'],
  'respond.by': ['-createdAt'],
  'respond.order': ['order'],
  'respond.create': ['books'],
  'respond.read': ['books'],
  'respond.replace': ['books'],
  'respond.update': ['books'],
  'respond.delete': ['books'],
  'respond.status': [200, 501],
  'respond.example': ['sold-out'],
  'respond.file': ['./replies/book.json'],
  'rules.times': [2],
  'seed.generate': [1000],
  'references.*.to': ['authors'],
  'respond.headers': [{ 'cache-control': 'max-age=60' }],
  'respond.body': [{ status: 'ok' }, { data: '${page.items}', total: '${page.total}' }],
  'within.parameter': ['shelfId'],
  'within.field': ['shelfId'],
  'within.resource': ['shelves'],
}

const examplesOf = (path: readonly string[]): readonly Json[] | undefined => {
  for (let i = 0; i < path.length; i++) {
    const found = EXAMPLES[path.slice(i).join('.')]
    if (found !== undefined) return found
  }
  return undefined
}

/** Blocks that are allowed in several places. */
const SHARED = new Set(['rules', ...behaviours.map(({ name }) => name)])
/** Keywords for values of one type. If a value may have several types, each keyword goes with its own. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'additionalProperties', 'required', 'minProperties', 'patternProperties', 'propertyNames'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['pattern', 'format', 'minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'exclusiveMinimum'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum'],
}

/** Publishes a schema: see the head of this file. */
export function publish(schema: Schema): PublishedSchema {
  const $defs: Record<string, PublishedSchema> = {}
  const texts = new Map<string, string>()
  /** Defines the schema of each behaviour once, wherever it may be configured. */
  const share = (name: string, made: PublishedSchema): PublishedSchema => {
    const text = JSON.stringify(made)
    let key = texts.get(text)
    if (key === undefined) {
      key = Object.hasOwn($defs, name) ? `${name}${Object.keys($defs).length}` : name
      texts.set(text, key)
      $defs[key] = made
    }
    return { $ref: `#/$defs/${key}` }
  }
  const convert = (value: unknown, path: readonly string[]): unknown => {
    if (!isObject(value)) return value
    const shape = value as PublishedSchema
    const out: Record<string, unknown> = {}
    for (const [keyword, item] of Object.entries(shape)) {
      if (keyword === 'properties' || keyword === 'patternProperties') {
        const members = Object.entries(item as object).map(([name, child]) => {
          const at = [...path, keyword === 'properties' ? name : '*']
          const made = convert(child, at) as PublishedSchema
          return [name, SHARED.has(name) ? share(name, made) : made]
        })
        out[keyword] = Object.fromEntries(members)
      } else if (keyword === 'additionalProperties') out[keyword] = convert(item, [...path, '*'])
      else if (keyword === 'items') out[keyword] = convert(item, path)
      else if (keyword === 'anyOf' || keyword === 'oneOf')
        out[keyword] = (item as unknown[]).map(one => convert(one, path))
      else out[keyword] = item
    }
    return annotate(split(standard(withShortForm(out, path))), path)
  }
  const made = convert(schema, []) as PublishedSchema
  return { ...made, $defs }
}

/** Adds the short form of a behaviour. */
function withShortForm(shape: Record<string, unknown>, path: readonly string[]): Record<string, unknown> {
  const name = path.at(-1) as string
  const short = SHORT[name]
  if (name === 'probability') {
    const { description, ...number } = shape
    return { description, anyOf: [number, { type: 'string', pattern: `^(?:\\d+(?:\\.\\d+)? ?%|${PLACEHOLDER})$` }] }
  }
  if (short === undefined || !('properties' in shape)) return shape
  const { description, ...long } = shape
  return { description, anyOf: [...((split(long).anyOf as PublishedSchema[]) ?? [long]), standard({ ...short })] }
}

/**
 * Replaces a non-standard format by a pattern with examples, since strict validators know the standard formats only. A
 * variable of the environment may stand for any text.
 */
function standard(shape: Record<string, unknown>): Record<string, unknown> {
  const { format, ...rest } = shape
  if (typeof shape.pattern === 'string' && !shape.pattern.includes(PLACEHOLDER)) {
    return { ...shape, pattern: `(?:${shape.pattern})|${PLACEHOLDER}` }
  }
  const own = typeof format === 'string' ? FORMATS[format as keyof typeof FORMATS] : undefined
  if (own === undefined) return shape
  const examples = own.like.split(/, | or /).map(text => text.replaceAll('"', ''))
  return { ...rest, pattern: `^(?:${own.pattern}|.*${PLACEHOLDER}.*)$`, examples }
}

/** Splits a value of several types into schemas with one type each; null may be combined with one other type. */
function split(shape: Record<string, unknown>): Record<string, unknown> {
  const { type, description, examples, ...rest } = shape
  const types = Array.isArray(type) ? (type as string[]) : []
  const several = types.filter(one => one !== 'null')
  if (several.length < 2) return shape
  const owned = (one: string) =>
    Object.fromEntries(
      Object.entries(rest).filter(
        ([keyword]) =>
          KEYWORDS[one]?.includes(keyword) || !Object.values(KEYWORDS).some(keywords => keywords.includes(keyword)),
      ),
    )
  const shared = {
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
  }
  return { ...shared, anyOf: types.map(one => ({ type: one, ...owned(one) })) }
}

const SCHEMAS = new Schemas()

/** Adds `default`, as the description says it, and `examples`. */
function annotate(shape: Record<string, unknown>, path: readonly string[]): Record<string, unknown> {
  const text = /Default: (.*?)\.?$/s.exec(String(shape.description ?? ''))?.[1]
  const fallback = text === undefined ? undefined : literalOf(text)
  const examples = examplesOf(path) ?? shape.examples
  const check = fallback === undefined ? undefined : SCHEMAS.compile(shape)
  return {
    ...shape,
    ...(fallback !== undefined && check?.(fallback) === undefined ? { default: fallback } : {}),
    ...(examples === undefined ? {} : { examples }),
  }
}

/** Returns the value of a default in a description; `undefined` for prose. */
function literalOf(text: string): Json | undefined {
  const bare = text.replaceAll('`', '')
  try {
    return JSON.parse(bare.replace(/(?<=[[,]\s*)[A-Za-z]\w*(?=\s*[\],])/g, '"$&"')) as Json
  } catch {
    return /\s/.test(bare) ? undefined : bare
  }
}

/** Makes the schema of every gateway.yaml. */
export function publishedSchema(): PublishedSchema {
  published ??= publish(simulationSchema)
  return published
}

/** Made on first use: it takes a fifth of a second. */
let published: PublishedSchema | undefined
