// Resources and the records they begin with: checked against the contract before anything is served.

import { dirname, relative, resolve } from 'node:path'
import type { Resource } from '../../behaviours/resource.ts'
import type { Contract } from '../../contract/contract.ts'
import { fieldNode } from '../../contract/field-node.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { reportPlaceholders } from '../../expression/template.ts'
import { type Diagnostics, suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json, pointer } from '../../kernel/json.ts'
import { readNamed } from '../../kernel/read-source.ts'
import type { Path, Source } from '../../kernel/source.ts'
import { parseSize } from '../../kernel/units.ts'
import { compileStates, type LocateWithin } from '../../plan/record-states.ts'
import type { ResourceFile, SimulationFile } from '../../plan/simulation-file.ts'
import type { Assign, Id } from '../../world/records/types.ts'
import { withId } from '../../world/records/values.ts'
import { checkReferences, checkWithin, unshownOf } from './check-resource.ts'
import { checkSeeds } from './check-seeds.ts'
import { exampleIds } from './example-ids.ts'
import { generateRecords, type Wanted } from './generate-records.ts'
import { SeedMemory } from './memory.ts'
import { compileNewId } from './new-ids.ts'
import { compileFields, fitsRecord } from './resource-fields.ts'
import { ResourceOperations } from './resource-operations.ts'

export interface Seeding {
  readonly resources: ReadonlyMap<string, Resource>
  /** Absolute paths of the fixtures. */
  readonly files: readonly string[]
}

const MAX_RECORDS = 100_000
const MAX_BYTES = '256MB'
const NIL_UUID = '00000000-0000-4000-8000-000000000000'

/**
 * @param file the gateway file: fixtures are named relative to it
 * @param home the folder that file names in messages are relative to
 */
export function readResources(
  { resources: declared = {}, operations = {}, seed: chance = 0 }: Omit<SimulationFile, 'contract'>,
  contract: Contract,
  source: Source,
  file: string,
  home: string,
  report: Diagnostics,
): Seeding {
  const resources = new Map<string, Resource>()
  const files: string[] = []
  const wanted: Wanted[] = []
  const memory = new SeedMemory()
  const users = new ResourceOperations(contract, operations)
  for (const [name, block] of Object.entries(declared)) {
    report.broken.add(name) // until it turns out to be sound
    const at = (path: Path, part: 'key' | 'value' = 'value') => source.locate(['resources', name, ...path], part)
    const schema = schemaNamed(block.schema, contract)
    if (schema === undefined) {
      const hint = suggest(block.schema, contract.schemas.keys())
      report.error('unknown-schema', `the contract has no schema "${block.schema}"`, at(['schema']), hint)
      continue
    }
    const idField = block.id?.field ?? 'id'
    const { properties, types } = schema.shape
    if (types.length > 0 && !types.includes('object')) {
      report.error(
        'no-object',
        `${block.schema} is not an object schema, so it cannot describe records`,
        at(['schema']),
      )
      continue
    }
    const idNode = fieldNode(schema.shape, idField, contract)
    if (idNode === undefined && block.id?.added !== true) {
      const hint = suggest(idField, properties.keys()) ?? 'write added: true to add it to the records'
      const message = `${block.schema} has no field "${idField}" for the id`
      report.error('unknown-field', message, at(block.id?.field === undefined ? ['schema'] : ['id', 'field']), hint)
      continue
    }
    const idPointer = pointer(properties.has(idField) ? [idField] : idField.split('.'))
    const faultsOf = (id: Json) => {
      if (fitsRecord(block, schema, record => withId(idField, id as Id, record))) return []
      return schema.check(withId(idField, id as Id, {}), true)?.filter(({ pointer }) => pointer === idPointer) ?? []
    }
    const makeId = once(() =>
      compileNewId(name, schema, idField, users.naming(name), contract, chance, users.creating(name)),
    )
    const sampleOf: Readonly<Record<Assign, () => Json>> = {
      sequence: () => 1,
      uuid: () => NIL_UUID,
      generate: () => makeId()?.(1) ?? 1,
      client: () => NIL_UUID,
    }
    const findFitting = () =>
      (['sequence', 'generate', 'uuid'] as const).find(one => faultsOf(sampleOf[one]()).length === 0)
    const assign = block.id?.assign ?? findFitting() ?? 'sequence'
    const ids = assign === 'sequence' || (assign === 'client' && faultsOf(1).length === 0) ? 'integer' : 'text'
    const resource: Resource = {
      name,
      schema,
      idField,
      within: checkWithin(block, schema, contract, at, report),
      unshown: unshownOf(block, users.responders(name)),
      assign,
      change: block.id?.change ?? 'refuse',
      ids,
      newId: ids === 'text' && assign !== 'uuid' ? makeId() : undefined,
      defaults: compileFields(block, 'defaults', schema, contract, at, report),
      set: compileFields(block, 'set', schema, contract, at, report),
      unknownFields: block.unknownFields ?? 'drop',
      maxRecords: block.maxRecords ?? MAX_RECORDS,
      maxBytes: parseSize(block.maxBytes ?? MAX_BYTES) as number,
      references: checkReferences(block, declared, schema, at, report),
      seeds: [],
      states: undefined,
    }
    const idFaults = assign === 'client' ? [] : faultsOf(sampleOf[assign]())
    if (idFaults.length > 0) {
      const message = `ids assigned by ${assign} do not match ${block.schema}: /${idField} ${idFaults[0]?.message}`
      const hint = assign === 'sequence' ? 'write assign: generate for text' : 'write assign: sequence for integers'
      report.error('wrong-id-type', message, at(block.id?.assign === undefined ? ['schema'] : ['id', 'assign']), hint)
      continue
    }
    report.broken.delete(name)
    const { seed } = block
    if (seed === undefined) {
      resources.set(name, resource)
      continue
    }
    if (isObject(seed)) {
      const taken = exampleIds(users.creating(name), idField, contract)
      wanted.push({ resource, count: (seed as { generate: number }).generate, taken })
      checkRoom(resource, wanted.at(-1)?.count ?? 0, at, report)
      resources.set(name, resource)
      continue
    }
    let seedSource: Source | undefined = source
    let base: Path = ['resources', name, 'seed']
    if (typeof seed === 'string') {
      const path = resolve(dirname(file), seed)
      files.push(path)
      const name = relative(home, path) || path
      seedSource = memory.admits(path, name, at(['seed']), report)
        ? readNamed(path, name, at(['seed']), report, { decimals: true })
        : undefined
      base = []
    } else {
      const admitted = memory.admitsRecords(seed as readonly Json[], `those of ${name}`, at(['seed']), report)
      if (!admitted) seedSource = undefined
      reportPlaceholders(seed, SEEDS_ARE_DATA, (code, message, path, hint, part) =>
        report.error(code, message, source.locate([...base, ...path], part === 'key' ? 'key' : 'value'), hint),
      )
    }
    const seeds = seedSource && checkSeeds(resource, seedSource, base, report)
    checkRoom(resource, seeds?.length ?? 0, at, report)
    resources.set(name, { ...resource, seeds: seeds ?? [] })
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
  for (const [name, resource] of resources) {
    const block = (declared[name] as ResourceFile).states
    if (block === undefined) continue
    const states = compileStates(block, resource, contract, source, ['resources', name, 'states'], report)
    resources.set(name, { ...resource, states })
  }
  return { resources, files }
}

const SEEDS_ARE_DATA = 'seeds are taken literally; use ${now} and ${uuid} in "defaults" and "set"'

function checkRoom({ maxRecords }: Resource, seeds: number, at: LocateWithin, report: Diagnostics): void {
  if (seeds < maxRecords) return
  const message = `"maxRecords" must be more than the number of seeds (${seeds}), which are never removed`
  report.error('max-records', message, at(['maxRecords']), `more than ${seeds}`)
}

/** The schema of a component's name, or at a JSON Pointer into the contract: `#/components/schemas/Book`. */
export function schemaNamed(name: string, contract: Contract): SchemaUse | undefined {
  const node = contract.at(name)
  return contract.schemas.get(name) ?? (node === undefined ? undefined : contract.use(node))
}

function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
