// Resources and the records they begin with: checked against the contract before anything is served.

import type { Make, Resource, ResourceReference } from '../../behaviours/resource.ts'
import { isUnshown, ownerField, type RespondConfig, withinsOf } from '../../behaviours/respond/config.ts'
import { compileFields, SOME_REQUEST } from '../../behaviours/respond/values.ts'
import { type Contract, fieldNode, type Operation } from '../../contract/contract.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { type Diagnostics, suggest } from '../../kernel/diagnostic.ts'
import type { Path, Source } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, parsePointer, pointer } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { parseSize } from '../../kernel/units.ts'
import type { House } from '../../plan/house.ts'
import { compileStates, type LocateWithin } from '../../plan/record-states.ts'
import type { ResourceFile, SimulationFile } from '../../plan/simulation-file.ts'
import type { Assign, Id, NewId } from '../../world/records/types.ts'
import { withId } from '../../world/records/values.ts'
import { compileNewId, exampleIds, isReadBack, namingParameters, shownId } from './new-ids.ts'
import { createSeedReader, generateRecords, type WantedRecords } from './seed-records.ts'

export interface Seeding {
  readonly resources: ReadonlyMap<string, Resource>
  /** Absolute paths of the fixtures. */
  readonly files: readonly string[]
}

const MAX_RECORDS = 100_000
const MAX_BYTES = '256MB'
const NIL_UUID = '00000000-0000-4000-8000-000000000000'

interface ResourcesToRead {
  readonly settings: Omit<SimulationFile, 'contract'>
  readonly contract: Contract
  readonly source: Source
  /** The gateway file. */
  readonly file: string
  readonly home: string
  readonly house: House
  readonly report: Diagnostics
  /**
   * Set where the records were written for another contract and are fitted to this one: those that cannot be fitted are left out,
   * and reported here.
   */
  readonly leftOut?: Diagnostics | undefined
}

/**
 * @param file the gateway file: fixtures are named relative to it
 * @param home the folder that file names in messages are relative to
 * @param leftOut set where the records were written for another contract and are fitted to this one: those that cannot be
 */
export function readResources({
  settings,
  contract,
  source,
  file,
  home,
  house,
  report,
  leftOut,
}: ResourcesToRead): Seeding {
  const { resources: declared = {}, operations = {}, seed: chance = 0 } = settings
  const resources = new Map<string, Resource>()
  const wanted: WantedRecords[] = []
  const reader = createSeedReader(source, file, home, report, leftOut && { contract, leftOut })
  const users = respondingOperations(contract, { operations })
  for (const [name, block] of Object.entries(declared)) {
    report.broken.add(name) // until it turns out to be sound
    const at: LocateWithin = (path, part) => source.locate(['resources', name, ...path], part)
    const own = users.get(name) ?? []
    const resource = compileResource({ name, block, declared, contract, at, report, settings, house }, own, chance)
    if (resource === undefined) continue
    report.broken.delete(name)
    const { maxRecords, idField } = resource
    const { seed = { generate: 0 } } = block
    let seeds: readonly JsonObject[] = []
    let count = 0
    if (isObject(seed)) {
      count = (seed as { readonly generate: number }).generate
      const taken = exampleIds(operationsThat(CREATING, name, own), idField, contract)
      const shown = shownId(operationsThat(NAMING, name, own), resource)
      wanted.push({ resource, count, shown, taken, owners: ownersIn(own, resource) })
    } else {
      seeds = reader.read(resource, seed as string | readonly Json[])
      count = seeds.length
    }
    resources.set(name, { ...resource, seeds })
    if (count < maxRecords) continue
    const message = `"maxRecords" must be more than the number of seeds (${count}), which are never removed`
    report.error('max-records', message, at(['maxRecords']), `more than ${count}`)
  }
  for (const [name, { records, unowned }] of generateRecords(wanted, resources, contract, chance)) {
    const resource = resources.get(name) as Resource
    resources.set(name, { ...resource, seeds: records })
    for (const field of unowned) {
      const message = `the records to generate must refer to a record of ${resource.references.get(field)?.to}, which has none`
      report.error('no-owner', message, source.locate(['resources', name, 'references', field], 'key'))
    }
    const count = wanted.find(one => one.resource.name === name)?.count ?? 0
    if (records.length === count || unowned.length > 0) continue
    const message = `only ${records.length} of ${count} records could be generated that match the schema and have distinct ids`
    report.warning('fewer-records', message, source.locate(['resources', name, 'seed', 'generate']))
  }
  const ground = { contract, language: house.languages.ofRecords }
  for (const [name, resource] of resources) {
    const { states: block } = declared[name] as ResourceFile
    const states = block && compileStates(block, resource, ground, source, report)
    resources.set(name, { ...resource, states })
  }
  return { resources, files: reader.files }
}

const CREATING = ['create'] as const
/** The actions that name a record by the last parameter of their path. */
export const NAMING = ['read', 'update', 'replace', 'delete'] as const

interface RespondingOperation {
  readonly operation: Operation
  readonly respond: RespondConfig
}

/**
 * The operations that do something with the records of each resource. They are found for all resources at once, because a large
 * document has hundreds of resources and a thousand operations.
 */
function respondingOperations(
  contract: Contract,
  file: Pick<SimulationFile, 'operations'>,
): ReadonlyMap<unknown, readonly RespondingOperation[]> {
  const byResource = new Map<unknown, RespondingOperation[]>()
  for (const operation of contract.operations) {
    const respond = respondBlock(operation, file)
    if (respond === undefined) continue
    for (const name of new Set(['list' as const, ...CREATING, ...NAMING].map(action => respond[action]))) {
      if (name === undefined) continue
      getOrMake(byResource, name, () => []).push({ operation, respond })
    }
  }
  return byResource
}

/** The block `respond` of an operation, if it has one. */
export function respondBlock(
  { id, method, path }: Operation,
  { operations = {} }: Pick<SimulationFile, 'operations'>,
): RespondConfig | undefined {
  const respond = (operations[id] ?? operations[`${method} ${path}`])?.respond
  return isObject(respond) ? (respond as RespondConfig) : undefined
}

const operationsThat = (
  actions: readonly ((typeof CREATING)[number] | (typeof NAMING)[number])[],
  name: string,
  own: readonly RespondingOperation[],
): Operation[] =>
  own.filter(({ respond }) => actions.some(action => respond[action] === name)).map(({ operation }) => operation)

/** The schema of a component's name, or at a JSON Pointer into the contract: `#/components/schemas/Book`. */
export function schemaNamed(name: string, contract: Contract): SchemaUse | undefined {
  const node = contract.at(name)
  return contract.schemas.get(name) ?? (node && contract.use(node))
}

/** The block of a resource, to be checked and compiled. */
interface ResourceSite {
  readonly name: string
  readonly block: ResourceFile
  readonly declared: Readonly<Record<string, ResourceFile>>
  readonly contract: Contract
  readonly at: LocateWithin
  readonly report: Diagnostics
  readonly settings: ResourcesToRead['settings']
  readonly house: House
}

/**
 * Returns the resource without seeds and states; `undefined` if its schema or its ids are invalid.
 *
 * @param own the operations on it
 */
function compileResource(
  site: ResourceSite,
  own: readonly RespondingOperation[],
  chance: number,
): Resource | undefined {
  const { name, block, contract, at, report } = site
  const { id = {} } = block
  const schema = recordSchema(site)
  if (schema === undefined) return undefined
  const idField = idFieldOf(block, schema)
  const idPointer = pointer(schema.shape.properties.has(idField) ? [idField] : idField.split('.'))
  const faultsOf = (value: Json) => {
    if (isUnshown(idField) || fitsRecord(block, schema, record => withId(idField, value as Id, record))) return []
    return schema.check(withId(idField, value as Id, {}), true)?.filter(one => one.pointer === idPointer) ?? []
  }
  let newId: NewId | null | undefined
  const [readers = [], creators] = [NAMING, CREATING].map(actions => operationsThat(actions, name, own))
  const naming = namingParameters(readers)
  const makeId = (): NewId | undefined => {
    if (newId === undefined)
      newId = compileNewId({ name, schema, idField, readers, creators }, contract, chance) ?? null
    return newId ?? undefined
  }
  const sampleOf = (one: Assign): Json =>
    one === 'sequence' ? 1 : one === 'generate' ? (makeId()?.(1) ?? 1) : NIL_UUID
  const isFitting = (one: Assign) => faultsOf(sampleOf(one)).length === 0
  const assign = id.assign ?? (['sequence', 'generate', 'uuid'] as const).find(isFitting) ?? 'sequence'
  const ids = assign === 'sequence' || (assign === 'client' && faultsOf(1).length === 0) ? 'integer' : 'text'
  const sourced = { ...site, schema, idField, operations: own }
  const source = site.house.recordSources.map(keys => keys.compile(sourced)).find(one => one !== undefined)
  const resource: Resource = {
    name,
    schema,
    idField,
    within: checkNamed(site, schema, id.within, 'id', 'within'),
    unshown: [...unshownOf(block, own, { schema, idField }), ...(source?.marks ?? [])],
    assign,
    change: id.change ?? 'refuse',
    ids,
    newId: ids === 'text' && assign !== 'uuid' ? makeId() : undefined,
    canName: id => naming.every(parameter => isReadBack(parameter, [id])),
    defaults: compileOwnFields(site, 'defaults', schema),
    set: compileOwnFields(site, 'set', schema),
    filled: new Set(checkNamed(site, schema, block.filled, 'filled')),
    unknownFields: block.unknownFields === 'warn' ? 'drop' : (block.unknownFields ?? 'drop'),
    warnsOfUnknown: block.unknownFields === 'warn',
    maxRecords: block.maxRecords ?? MAX_RECORDS,
    maxBytes: parseSize(block.maxBytes ?? MAX_BYTES) as number,
    references: new Map([...checkReferences(site, schema), ...unshownReferences(site, own, { schema, idField })]),
    seeds: [],
    states: undefined,
    source,
  }
  const [fault] = assign === 'client' ? [] : faultsOf(sampleOf(assign))
  if (fault === undefined) return resource
  const message = `ids assigned by ${assign} do not match ${block.schema}: /${idField} ${fault.message}`
  const hint = assign === 'sequence' ? 'write assign: generate for text' : 'write assign: sequence for integers'
  report.error('wrong-id-type', message, at(id.assign === undefined ? ['schema'] : ['id', 'assign']), hint)
  return undefined
}

/** The field with the ids of records: that of the setting, `id`, or one that replies do not show. */
const idFieldOf = ({ id = {} }: ResourceFile, { shape }: SchemaUse): string =>
  id.field ?? (shape.properties.has('id') ? 'id' : '{id}')

/** The schema of its records: an object, with the field for the id that a setting names. */
function recordSchema({ block: { schema: name, id = {} }, contract, at, report }: ResourceSite): SchemaUse | undefined {
  const schema = schemaNamed(name, contract)
  if (schema === undefined) {
    const hint = suggest(name, contract.schemas.keys())
    report.error('unknown-schema', `the contract has no schema "${name}"`, at(['schema']), hint)
    return undefined
  }
  const { types, properties } = schema.shape
  if (types.length > 0 && !types.includes('object')) {
    const message = `${name} is not an object schema, so it cannot describe records`
    report.error('no-object', message, at(['schema']))
    return undefined
  }
  const { field = '{id}' } = id
  if (isUnshown(field) || fieldNode(schema.shape, field, contract) !== undefined) return schema
  const hint = suggest(field, properties.keys()) ?? 'leave it out to keep an id that replies do not show'
  report.error('unknown-field', `${name} has no field "${field}" for the id`, at(['id', 'field']), hint)
  return undefined
}

/** Returns the fields that a setting names. */
function checkNamed(
  site: ResourceSite,
  { shape }: SchemaUse,
  fields: readonly string[] = [],
  ...path: Path
): readonly string[] {
  for (const [i, field] of fields.entries()) {
    if (isUnshown(field) || fieldNode(shape, field, site.contract) !== undefined) continue
    reportUnknown(site, field, [...path, i], 'value', shape)
  }
  return fields
}

function reportUnknown(
  { block: { schema }, at, report }: ResourceSite,
  field: string,
  path: Path,
  part: 'key' | 'value',
  { properties }: SchemaUse['shape'],
): void {
  report.error('unknown-field', `${schema} has no field "${field}"`, at(path, part), suggest(field, properties.keys()))
}

function checkReferences(site: ResourceSite, schema: SchemaUse): ReadonlyMap<string, ResourceReference> {
  const { block, declared, at, report } = site
  const { shape } = schema
  return new Map(
    Object.entries(block.references ?? {}).map(([field, written]) => {
      const { to, onDelete = 'restrict' } = typeof written === 'string' ? { to: written } : written
      if (!shape.properties.has(field)) reportUnknown(site, field, ['references', field], 'key', shape)
      const target = Object.hasOwn(declared, to) ? declared[to] : undefined
      const place = at(typeof written === 'string' ? ['references', field] : ['references', field, 'to'])
      const uniqueIn = target?.id?.within ?? []
      if (target === undefined) {
        const hint = suggest(to, Object.keys(declared))
        report.error('unknown-resource', `there is no resource "${to}"`, place, hint)
      } else if (uniqueIn.length > 0) {
        const message = `"${field}" alone cannot name a record of ${to}, whose ids are unique only within ${uniqueIn.join(', ')}`
        report.error('invalid-value', message, place)
      }
      if (onDelete === null && shape.required.has(field)) {
        const refuses = (value: Json) =>
          schema.check({ [field]: value })?.some(one => one.pointer === `/${field}`) === true
        if (refuses(null) && refuses([])) {
          const message = `"${field}" cannot be emptied: it is required and cannot be null`
          const where = at(['references', field, 'onDelete'])
          report.error('invalid-value', message, where, 'write restrict or cascade')
        }
      }
      return [field, { to, onDelete: onDelete ?? 'null' }] as const
    }),
  )
}

/** The values that it gives the fields of its records: each must be a field of the schema, and its value must be valid. */
function compileOwnFields(site: ResourceSite, key: 'defaults' | 'set', schema: SchemaUse): ReadonlyMap<string, Make> {
  const { block, contract, house, at, report } = site
  const makes = compileFields(
    block[key],
    schema.shape,
    { contract, language: house.languages.ofRecords },
    `${block.schema} has`,
    (code, message, path, hint, part) => report.error(code, message, at([key, ...path], part), hint),
  )
  if (makes.size === 0) return makes
  // Values with request expressions are validated when the record is written.
  const fixed = [...makes].filter(([, make]) => make.scoped !== true)
  const tried = Object.fromEntries(fixed.map(([field, make]) => [field, make(SOME_REQUEST) as Json]))
  if (fitsRecord(block, schema, record => ({ ...record, ...tried }))) return makes
  const what = key === 'set' ? 'value' : 'default'
  for (const { pointer: text, message } of schema.check(tried, true) ?? []) {
    const path = parsePointer(text) ?? []
    if (path[0] === undefined || !makes.has(path[0])) continue
    const said = `this ${what} breaks ${block.schema}: ${text} ${message}`
    report.error('invalid-default', said, at([key, ...path]))
  }
  return makes
}

/**
 * Whether the first seed fits the schema with some of its fields changed, which then fit too. This saves checking the fields
 * by themselves: that fails for want of the others, and explaining a failure costs the most.
 */
function fitsRecord(
  { seed }: ResourceFile,
  schema: SchemaUse,
  change: (record: JsonObject) => Record<string, Json>,
): boolean {
  const [first] = Array.isArray(seed) ? seed : []
  return isObject(first) && schema.check(change(first as JsonObject), true) === undefined
}

/** The schema of records, and the field with their ids. */
type RecordIds = Pick<Resource, 'schema' | 'idField'>

/** The resources of the owners that paths to the records name, by the field with the owner's id. */
const ownersIn = (own: readonly RespondingOperation[], records: RecordIds): ReadonlyMap<string, string> =>
  new Map(
    own.flatMap(({ respond }) =>
      withinsOf(respond.within).flatMap(owner =>
        owner.resource === undefined ? [] : [[ownerField(owner, records), owner.resource] as const],
      ),
    ),
  )

/** The owners that no reply shows, as references: their records are deleted with them. */
const unshownReferences = ({ declared }: ResourceSite, own: readonly RespondingOperation[], records: RecordIds) =>
  [...ownersIn(own, records)].flatMap(([field, to]) => {
    const owner = declared[to]
    // An id that is unique only within other owners does not name one record.
    if (!isUnshown(field) || owner === undefined || owner.id?.within !== undefined) return []
    return [[field, { to, onDelete: 'cascade' }] as const]
  })

/** The fields that records are kept with and that no reply shows: owners in paths, and an id that the schema does not have. */
function unshownOf({ id }: ResourceFile, own: readonly RespondingOperation[], records: RecordIds): readonly string[] {
  const owners = own.flatMap(({ respond }) => withinsOf(respond.within).map(owner => ownerField(owner, records)))
  return [...new Set([...(id?.within ?? []), records.idField, ...owners].filter(isUnshown))]
}
