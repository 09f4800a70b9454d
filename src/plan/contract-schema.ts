// The JSON Schema of gateway.yaml for one contract. Names from the contract become enums, so that an editor completes
// operations, parameters, schemas, fields and tags.

import type { Contract, Operation } from '../contract/contract.ts'
import type { Plan } from './plan.ts'
import { type PublishedSchema, publishedSchema } from './published-schema.ts'

interface Names {
  readonly schemas: readonly string[]
  readonly schemes: readonly string[]
  readonly resources: readonly string[]
  readonly query: readonly string[]
  readonly path: readonly string[]
  /** The fields of the records of all resources, or of all schemas if there are no resources. */
  readonly fields: readonly string[]
}

/** Returns the schema of the gateway.yaml that a plan was compiled from. */
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
      return keys.map(key => [key, describe(one)] as const)
    }),
  )
  const tags = [...new Set(contract.operations.flatMap(one => one.tags))].sort()
  const consumers = Object.keys(file.consumers ?? {})
  return change(named, (shape, path) => {
    const each = shape.additionalProperties as PublishedSchema
    switch (path.at(-1)) {
      case 'operations':
        return closed(shape, Object.entries(operations), each)
      case 'tags':
        return closed(
          shape,
          tags.map(tag => [tag, undefined] as const),
          each,
        )
      case 'consumers':
        return path.length > 1
          ? closed(
              shape,
              consumers.map(name => [name, undefined] as const),
              each,
            )
          : shape
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

const describe = ({ method, path, summary }: Operation): string =>
  `${method} ${path}${summary === undefined ? '' : `: ${summary}`}`

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
