// The JSON Schema of gateway.yaml for editors and validators: standard keywords only, accepted by strict validators, with
// shared parts defined once.

import type { SettingSchema } from '../behaviours/behaviour.ts'
import { ACTIONS } from '../behaviours/respond/config.ts'
import { isObject, type Json, mapValues } from '../kernel/json.ts'
import { Schemas, TYPE_OF } from '../kernel/schema/schema.ts'
import { FORMATS } from './formats.ts'
import type { Plan } from './plan.ts'
import { simulationSchema } from './simulation-schema.ts'

export type PublishedSchema = SettingSchema

/** The schemas of the short forms of gateway.yaml: see `expandShortForms`. */
const SHORT: Readonly<Record<string, PublishedSchema>> = {
  latency: { type: 'string', format: 'duration' },
  rateLimit: { type: 'string', format: 'rate' },
}

/** Any text may be an environment variable. */
const PLACEHOLDER = '\\$\\{[A-Za-z_]\\w*(?::-[^}]*)?\\}'

/** The keys of `respond` whose values are names of resources. */
const RECORD_KEYS = ['list', ...ACTIONS]

/** Examples for keys, by the end of their path. */
const EXAMPLES: Readonly<Record<string, readonly Json[]>> = {
  contract: ['./openapi.yaml', ['./openapi.yaml', './fixes.overlay.yaml']],
  next: ['./openapi-next.yaml'],
  seed: [42],
  host: ['127.0.0.1', '0.0.0.0'],
  controlHost: ['127.0.0.1'],
  'worlds.default': ['staging'],
  'upstream.url': ['https://staging.example.com/v1', '${STAGING_URL}'],
  'upstream.tls.ca': ['./ca.pem'],
  'upstream.tls.key': ['./client-key.pem'],
  'upstream.tls.cert': ['./client-cert.pem'],
  'named.*': [{ contract: './openapi-next.yaml' }],
  'named.*.contract': ['./openapi-next.yaml'],
  'named.*.clock.now': ['2030-12-06', '+30d'],
  'named.*.clock.shift': ['30d'],
  'named.*.weather': ['storm'],
  'named.*.seeds': [{ books: './books-next.yaml' }],
  'seeds.*': ['./books-next.yaml'],
  'consumers.*': [{ apiKey: '${DEMO_KEY:-demo-key}' }],
  'consumers.*.scopes': [['read', 'write']],
  'consumers.*.*': ['${DEMO_KEY:-demo-key}'],
  'respond.filter.all': ['all'],
  'within.count': ['reviewsCount'],
  'respond.item': [{ customer: '${record.value}' }],
  'errors.body': [{ code: '${problem.code}', message: '${problem.detail}' }],
  'errors.codes': [{ not_found: 'NOT_FOUND' }],
  'resources.*': [{ schema: 'Book', seed: './books.yaml' }],
  'resources.*.id.from': ['title'],
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
  'shadow.share': [0.1, '10%'],
  'fault.every': [10],
  'fault.status': [503],
  'respond.filter': [['genre'], [{ parameter: 'from', field: 'createdAt', is: 'at-least' }]],
  'filter.parameter': ['from'],
  'filter.field': ['createdAt'],
  ...Object.fromEntries(RECORD_KEYS.map(key => [`respond.${key}`, ['books']])),
  ...Object.fromEntries(['limit', 'offset', 'end', 'page', 'order'].map(key => [`respond.${key}`, [key]])),
  'respond.size': [20],
  'respond.expand': [['expand']],
  'respond.search': ['q'],
  'respond.cursor': ['after'],
  'respond.sort': ['sort', { parameter: 'sort', unknownFields: 'ignore' }],
  'sort.parameter': ['sort'],
  'respond.by': ['-createdAt'],
  'respond.status': [200, 501],
  'respond.example': ['sold-out'],
  'respond.file': ['./replies/book.json'],
  'rules.times': [2],
  'rules.enter': [{ order: 'paid' }],
  'seed.generate': [1000],
  'seeds.*.generate': [1000],
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

/**
 * Returns a schema with `change` applied to each part, from the inside out.
 *
 * @param change gets the path of the part, in which `*` is any name
 */
function mapParts(
  schema: PublishedSchema,
  change: (part: PublishedSchema, path: readonly string[]) => PublishedSchema,
  path: readonly string[] = [],
): PublishedSchema {
  const inside = (value: unknown, ...at: string[]): unknown =>
    isObject(value) ? mapParts(value, change, [...path, ...at]) : value
  const changed = mapValues(schema, (value, keyword) => {
    if (MAPS.includes(keyword)) {
      const isPattern = keyword === 'patternProperties'
      return mapValues(value as PublishedSchema, (one, name) => inside(one, isPattern ? '*' : name))
    }
    if (keyword === 'additionalProperties') return inside(value, '*')
    if (keyword === 'anyOf' || keyword === 'oneOf') return (value as unknown[]).map(one => inside(one))
    return keyword === 'items' ? inside(value) : value
  })
  return change(changed, path)
}

const MAPS = ['properties', 'patternProperties', '$defs']

/** Adds the short form of a behaviour. */
function withShortForm(shape: PublishedSchema, path: readonly string[]): PublishedSchema {
  const name = path.at(-1) as string
  const short = SHORT[name]
  if (name === 'probability' || name === 'share') {
    const { description, ...number } = shape
    return { description, anyOf: [number, { type: 'string', pattern: `^(?:\\d+(?:\\.\\d+)? ?%|${PLACEHOLDER})$` }] }
  }
  if (short === undefined || !('properties' in shape)) return shape
  const { description, ...long } = shape
  return { description, anyOf: [...((splitTypes(long).anyOf as PublishedSchema[]) ?? [long]), standard({ ...short })] }
}

/**
 * Replaces a non-standard format by a pattern with examples, since strict validators know the standard formats only. A
 * variable of the environment may stand for any text.
 */
function standard(shape: PublishedSchema): PublishedSchema {
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
function splitTypes(shape: PublishedSchema): PublishedSchema {
  const { type, description, examples, ...rest } = shape
  const types = Array.isArray(type) ? (type as string[]) : []
  const several = types.filter(one => one !== 'null')
  if (several.length < 2) return shape
  const owned = (one: string) =>
    Object.fromEntries(
      Object.entries(rest).filter(([keyword]) => {
        const type = TYPE_OF.get(keyword)
        return type === undefined || type === (one === 'integer' ? 'number' : one)
      }),
    )
  return { description, examples, anyOf: types.map(one => ({ type: one, ...owned(one) })) }
}

const SCHEMAS = new Schemas()

/** Adds `default`, as the description says it, and `examples`. */
function annotate(shape: PublishedSchema, path: readonly string[]): PublishedSchema {
  const text = /Default: (.*?)\.?$/s.exec(String(shape.description ?? ''))?.[1]
  const fallback = text === undefined ? undefined : literalOf(text)
  const examples = examplesOf(path) ?? shape.examples
  const check = fallback === undefined ? undefined : SCHEMAS.compile(shape)
  return {
    ...shape,
    ...(fallback !== undefined && check?.(fallback) === undefined ? { default: fallback } : {}),
    examples,
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

/** Made on first use: it takes a fifth of a second. */
let published: PublishedSchema | undefined

/** Makes the schema of every gateway.yaml. */
export function publishedSchema(): PublishedSchema {
  published ??= mapParts(simulationSchema as PublishedSchema, (part, path) =>
    annotate(splitTypes(standard(withShortForm(part, path))), path),
  )
  return published
}

/** The paths of the keys whose values are names of the contract or of resources, by the kind of name. */
const NAMED = {
  schemas: ['resources.*.schema'],
  resources: ['resources.*.references.*', ...[...RECORD_KEYS, 'within.resource'].map(key => `respond.${key}`)],
  query: [
    ...['filter', 'filter.parameter', 'search', 'limit', 'offset', 'end', 'page', 'cursor'],
    ...['expand', 'sort', 'sort.parameter', 'order'],
  ].map(key => `respond.${key}`),
  path: ['respond.within.parameter'],
  fields: ['respond.within.field', 'respond.filter.field'],
}

/** The kinds of which others are accepted, too. */
const OPEN = new Set(['schemas', 'fields'])

/**
 * Returns the schema of the gateway.yaml that a plan was compiled from. Names from the contract become enums, so that an
 * editor completes operations, parameters, schemas, fields and tags.
 */
export function schemaFor({ contract, simulation: { file, consumerNames } }: Plan): PublishedSchema {
  const { operations } = contract
  const resources = Object.entries(file.resources ?? {})
  const schemas = [...contract.schemas.keys()]
  const own = [...new Set(resources.map(([, { schema }]) => schema))]
  const fieldsIn = (schema: string): string[] => {
    const use = contract.schemas.get(schema)
    return use === undefined ? [] : [...contract.shapeOf(use.node).properties.keys()]
  }
  const parameters = (place: string) =>
    operations.flatMap(one => one.parameters.flatMap(({ in: at, name }) => (at === place ? [name] : [])))
  const names: Readonly<Record<keyof typeof NAMED, readonly string[]>> = {
    schemas,
    resources: resources.map(([name]) => name),
    query: [...new Set(parameters('query'))],
    path: [...new Set(parameters('path'))],
    // The fields of all records, or of all schemas if there are no resources.
    fields: [...new Set((own.length > 0 ? own : schemas).flatMap(fieldsIn))].sort(),
  }
  /** Adds names to a text that must be one of them, or, of an open kind, usually is. */
  const withNames = (part: PublishedSchema, path: readonly string[]): PublishedSchema => {
    const at = path.join('.')
    const kind = (Object.keys(NAMED) as (keyof typeof NAMED)[]).find(one => NAMED[one].includes(at))
    const known = kind === undefined ? [] : names[kind]
    if (kind === undefined || part.type !== 'string' || known.length === 0) return part
    const { examples: _, ...rest } = part
    if (!OPEN.has(kind)) return { ...rest, enum: known }
    const { type, ...about } = rest
    return { ...about, anyOf: [{ enum: known }, { type }] }
  }
  const described = new Map<string, string>()
  for (const { id, method, path, summary } of operations) {
    const name = `${method} ${path}`
    for (const key of [id, name]) described.set(key, summary === undefined ? name : `${name}: ${summary}`)
  }
  const tags = [...new Set(operations.flatMap(one => one.tags))].sort()
  /** Completes the blocks whose keys are names. */
  const withKeys = (part: PublishedSchema, path: readonly string[]): PublishedSchema => {
    const each = part.additionalProperties as PublishedSchema
    const last = path.at(-1)
    if (last === 'operations') return closed(part, [...described.keys()], described)
    if (last === 'tags') return closed(part, tags)
    if (last === 'consumers' && path.length > 1) return closed(part, consumerNames)
    if (path.join('.') === 'consumers.*' && contract.securitySchemes.size > 0) {
      const schemes = Object.fromEntries([...contract.securitySchemes.keys()].map(name => [name, each]))
      return { ...part, properties: { ...schemes, ...(part.properties as object) }, additionalProperties: false }
    }
    if (last !== 'resources') return part
    const made = resources.map(([name, { schema }]) => [name, withFields(each, fieldsIn(schema))])
    return { ...part, properties: Object.fromEntries(made) }
  }
  return mapParts(publishedSchema(), (part, path) => withKeys(withNames(part, path), path))
}

/** Returns a block whose only keys are names of the contract. */
function closed(part: PublishedSchema, keys: readonly string[], texts?: ReadonlyMap<string, string>): PublishedSchema {
  const each = part.additionalProperties as PublishedSchema
  const properties = keys.map(key => [key, texts === undefined ? each : { ...each, description: texts.get(key) }])
  return { ...part, properties: Object.fromEntries(properties), additionalProperties: false }
}

/** Returns the schema of a resource whose records have these fields. */
function withFields(resource: PublishedSchema, fields: readonly string[]): PublishedSchema {
  if (fields.length === 0) return resource
  const { id, references, defaults, ...others } = resource.properties as Readonly<Record<string, PublishedSchema>>
  const { field, ...rest } = (id?.properties ?? {}) as Readonly<Record<string, PublishedSchema>>
  const keys = { propertyNames: { enum: fields } }
  return {
    ...resource,
    properties: {
      ...others,
      id: { ...id, properties: { ...rest, field: { ...field, enum: fields } } },
      references: { ...references, ...keys },
      defaults: { ...defaults, ...keys },
    },
  }
}
