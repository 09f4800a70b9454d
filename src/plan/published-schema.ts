// The JSON Schema of gateway.yaml for editors and validators, with the names of a contract. Without them it is
// config/gateway.schema.json, which `npm run generate` writes.

import type { SettingSchema } from '../behaviours/behaviour.ts'
import { RESPONDERS } from '../behaviours/respond/index.ts'
import { isObject, mapValues } from '../kernel/json.ts'
import type { Plan } from './plan.ts'

export type PublishedSchema = SettingSchema

/** Reads the schema of every gateway.yaml, on demand: it is generated with this module. */
export async function publishedSchema(): Promise<PublishedSchema> {
  const { default: schema } = await import('../../config/gateway.schema.json', { with: { type: 'json' } })
  return schema
}

/** The keys of `respond` whose values are names of resources. */
const RECORD_KEYS = RESPONDERS.filter(({ records }) => records !== undefined).map(({ kind }) => kind)

/**
 * Returns a schema with `change` applied to each part, from the inside out.
 *
 * @param change gets the path of the part, in which `*` is any name
 */
export function mapParts(
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

/** The paths of the keys whose values are names of the contract or of resources, by the kind of name. */
const NAMED = {
  schemas: ['resources.*.schema'],
  resources: ['resources.*.references.*', ...[...RECORD_KEYS, 'within.resource'].map(key => `respond.${key}`)],
  query: [
    ...['filter', 'filter.parameter', 'search', 'limit', 'offset', 'page', 'page.parameter', 'cursor'],
    ...['expand', 'sort', 'sort.parameter', 'sort.order'],
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
export async function schemaFor({ contract, simulation: { file, consumerNames } }: Plan): Promise<PublishedSchema> {
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
  return mapParts(await publishedSchema(), (part, path) => withKeys(withNames(part, path), path))
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
