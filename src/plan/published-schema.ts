// The JSON Schema of gateway.yaml for editors and validators: standard keywords only, accepted by strict validators, with
// shared parts defined once.

import { behaviours } from '../behaviours/index.ts'
import type { Contract } from '../contract/contract.ts'
import { isObject, type Json } from '../kernel/json.ts'
import { type Schema, Schemas } from '../kernel/schema.ts'
import { FORMATS } from './formats.ts'
import type { Plan } from './plan.ts'
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

interface Names {
  readonly schemas: readonly string[]
  readonly schemes: readonly string[]
  readonly resources: readonly string[]
  readonly query: readonly string[]
  readonly path: readonly string[]
  /** The fields of the records of all resources, or of all schemas if there are no resources. */
  readonly fields: readonly string[]
}

/**
 * Returns the schema of the gateway.yaml that a plan was compiled from. Names from the contract become enums, so that an
 * editor completes operations, parameters, schemas, fields and tags.
 */
export function schemaFor({ contract, simulation: { file } }: Plan): PublishedSchema {
  const resources = Object.entries(file.resources ?? {})
  const schemas = [...contract.schemas.keys()]
  const own = [...new Set(resources.map(([, { schema }]) => schema))]
  const names: Names = {
    schemas,
    schemes: [...contract.securitySchemes.keys()],
    resources: resources.map(([name]) => name),
    query: parametersOf(contract, 'query'),
    path: parametersOf(contract, 'path'),
    fields: [...new Set((own.length > 0 ? own : schemas).flatMap(schema => fieldsOf(contract, schema)))].sort(),
  }
  const base = publishedSchema()
  const { $defs, ...rest } = base as { readonly $defs: Readonly<Record<string, PublishedSchema>> }
  const named: PublishedSchema = {
    ...withNames(rest, [], names),
    $defs: Object.fromEntries(Object.entries($defs).map(([name, shape]) => [name, withNames(shape, [name], names)])),
  }
  const perResource = (each: PublishedSchema) =>
    Object.fromEntries(
      resources.map(([name, { schema }]) => [name, withFields(each, fieldsOf(contract, schema))] as const),
    )
  const operations = Object.fromEntries(
    contract.operations.flatMap(one => {
      const keys = [...new Set([one.id, `${one.method} ${one.path}`])]
      const summary = one.summary === undefined ? '' : `: ${one.summary}`
      return keys.map(key => [key, `${one.method} ${one.path}${summary}`] as const)
    }),
  )
  const tags = [...new Set(contract.operations.flatMap(one => one.tags))].sort().map(tag => [tag, undefined] as const)
  const consumers = Object.keys(file.consumers ?? {}).map(name => [name, undefined] as const)
  return change(named, (shape, path) => {
    const each = shape.additionalProperties as PublishedSchema
    switch (path.at(-1)) {
      case 'operations':
        return closed(shape, Object.entries(operations), each)
      case 'tags':
        return closed(shape, tags, each)
      case 'consumers':
        return path.length > 1 ? closed(shape, consumers, each) : shape
      case 'resources':
        return { ...shape, properties: perResource(each) }
      default:
        return shape
    }
  })
}

const parametersOf = (contract: Contract, place: string): string[] => [
  ...new Set(
    contract.operations.flatMap(one => one.parameters.filter(({ in: at }) => at === place).map(({ name }) => name)),
  ),
]

function fieldsOf(contract: Contract, schema: string): string[] {
  const use = contract.schemas.get(schema)
  return use === undefined ? [] : [...contract.shapeOf(use.node).properties.keys()]
}

/** Returns a block whose only keys are names of the contract. */
function closed(
  shape: PublishedSchema,
  keys: readonly (readonly [string, string | undefined])[],
  each: PublishedSchema,
): PublishedSchema {
  const properties = keys.map(([key, description]) => [
    key,
    description === undefined ? each : { ...each, description },
  ])
  return { ...shape, properties: Object.fromEntries(properties), additionalProperties: false }
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

/** The names that are allowed for a key, by the end of its path. */
const NAMED: Readonly<Record<string, { readonly names: keyof Names; readonly open?: boolean }>> = {
  'resources.*.schema': { names: 'schemas', open: true },
  ...Object.fromEntries(
    ['list', 'create', 'read', 'replace', 'update', 'delete', 'within.resource'].map(key => [
      `respond.${key}`,
      { names: 'resources' },
    ]),
  ),
  'resources.*.references.*': { names: 'resources' },
  ...Object.fromEntries(
    [
      'filter',
      'filter.parameter',
      'search',
      'limit',
      'offset',
      'page',
      'cursor',
      'sort',
      'sort.parameter',
      'order',
    ].map(key => [`respond.${key}`, { names: 'query' }]),
  ),
  'respond.within.parameter': { names: 'path' },
  'respond.within.field': { names: 'fields', open: true },
  'respond.filter.field': { names: 'fields', open: true },
}

/** Adds the names of the contract to each text that must be one of them, or, with `open`, usually is. */
function withNames(schema: PublishedSchema, start: readonly string[], all: Names): PublishedSchema {
  return change(
    schema,
    (shape, path) => {
      if (path.join('.') === 'consumers.*' && all.schemes.length > 0) {
        const each = shape.additionalProperties as PublishedSchema
        const schemes = Object.fromEntries(all.schemes.map(name => [name, each]))
        return { ...shape, properties: { ...schemes, ...(shape.properties as object) }, additionalProperties: false }
      }
      const found = NAMED[path.join('.')]
      const names = found === undefined ? [] : all[found.names]
      if (shape.type !== 'string' || names.length === 0) return shape
      const { examples: _, ...rest } = shape
      if (found?.open !== true) return { ...rest, enum: names }
      const { type, ...about } = rest
      return { ...about, anyOf: [{ enum: names }, { type }] }
    },
    start,
  )
}

/** Returns the schema with `replace` applied to each part, from the inside out. */
function change(
  schema: PublishedSchema,
  replace: (shape: PublishedSchema, path: readonly string[]) => PublishedSchema,
  path: readonly string[] = [],
): PublishedSchema {
  const inside = (value: unknown, at: readonly string[]): unknown =>
    typeof value === 'object' && value !== null ? change(value as PublishedSchema, replace, at) : value
  const members = (value: unknown) =>
    Object.fromEntries(Object.entries(value as object).map(([name, child]) => [name, inside(child, [...path, name])]))
  const out: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties') out[keyword] = members(value)
    else if (keyword === 'additionalProperties') out[keyword] = inside(value, [...path, '*'])
    else if (keyword === 'items') out[keyword] = inside(value, path)
    else if (keyword === 'anyOf') out[keyword] = (value as unknown[]).map(one => inside(one, path))
    else out[keyword] = value
  }
  return replace(out, path)
}
