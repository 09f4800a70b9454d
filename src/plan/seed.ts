// Resources and the records they begin with: checked against the contract before anything is served.

import { dirname, relative, resolve } from 'node:path'
import { check, type Resource } from '../behaviours/respond/resource.ts'
import type { Contract } from '../contract/contract.ts'
import type { SchemaUse } from '../contract/dialect.ts'
import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { isObject, type Json, type JsonObject, parsePointer } from '../kernel/json.ts'
import { readNamed } from '../kernel/read-source.ts'
import type { Path, Source } from '../kernel/source.ts'
import type { ResourceFile } from './simulation.ts'

export interface Seeding {
  readonly resources: ReadonlyMap<string, Resource>
  /** Absolute paths of the fixtures. */
  readonly files: readonly string[]
}

const MAX_RECORDS = 100_000
const NIL_UUID = '00000000-0000-4000-8000-000000000000'

/**
 * @param file the gateway file: fixtures are named relative to it
 * @param home what file names in messages are relative to
 */
export function readResources(
  declared: Readonly<Record<string, ResourceFile>>,
  contract: Contract,
  source: Source,
  file: string,
  home: string,
  report: Diagnostics,
): Seeding {
  const resources = new Map<string, Resource>()
  const files: string[] = []
  for (const [name, block] of Object.entries(declared)) {
    report.broken.add(name) // until it turns out to be sound
    const at = (path: Path, part: 'key' | 'value' = 'value') => source.locate(['resources', name, ...path], part)
    const schema = contract.schemas.get(block.schema)
    if (schema === undefined) {
      const hint = suggest(block.schema, contract.schemas.keys())
      report.error('unknown-schema', `the contract has no schema "${block.schema}"`, at(['schema']), hint)
      continue
    }
    const idField = block.id?.field ?? 'id'
    const assign = block.id?.assign ?? 'sequence'
    const { properties, types } = schema.shape
    if (types.length > 0 && !types.includes('object')) {
      report.error('no-object', `${block.schema} is no object, as records are`, at(['schema']))
      continue
    }
    const idNode = properties.get(idField)
    if (idNode === undefined) {
      const hint = suggest(idField, properties.keys())
      const message = `${block.schema} has no field "${idField}" to name its records by`
      report.error('unknown-field', message, at(block.id?.field === undefined ? ['schema'] : ['id', 'field']), hint)
      continue
    }
    const faultsOf = (id: Json) =>
      schema.check({ [idField]: id })?.filter(({ pointer }) => pointer === `/${idField}`) ?? []
    const resource: Resource = {
      name,
      schema,
      idField,
      assign,
      ids: assign === 'sequence' || (assign === 'client' && faultsOf(1).length === 0) ? 'integer' : 'text',
      defaults: (block.defaults ?? {}) as JsonObject,
      unknownFields: block.unknownFields ?? 'drop',
      maxRecords: block.maxRecords ?? MAX_RECORDS,
      references: checkReferences(block, declared, schema, at, report),
      seeds: [],
    }
    const idFaults = assign === 'client' ? [] : faultsOf(assign === 'sequence' ? 1 : NIL_UUID)
    if (idFaults.length > 0) {
      const message = `ids by ${assign} do not fit ${block.schema}: /${idField} ${idFaults[0]?.message}`
      const hint = assign === 'sequence' ? 'assign: uuid makes text' : 'assign: sequence makes integers'
      report.error('wrong-id-type', message, at(block.id?.assign === undefined ? ['schema'] : ['id', 'assign']), hint)
      continue
    }
    report.broken.delete(name)
    checkDefaults(resource, block, at, report)
    const { seed } = block
    if (seed === undefined) {
      resources.set(name, resource)
      continue
    }
    let seedSource: Source | undefined = source
    let base: Path = ['resources', name, 'seed']
    if (typeof seed === 'string') {
      const path = resolve(dirname(file), seed)
      files.push(path)
      seedSource = readNamed(path, relative(home, path) || path, at(['seed']), report)
      base = []
    }
    const seeds = seedSource && checkSeeds(resource, seedSource, base, report)
    if (seeds !== undefined && seeds.length >= resource.maxRecords) {
      const message = `${seeds.length} seeds, which never go, leave no room for another record`
      report.error('max-records', message, at(['maxRecords']), `more than ${seeds.length}`)
    }
    resources.set(name, { ...resource, seeds: seeds ?? [] })
  }
  return { resources, files }
}

function checkReferences(
  { references = {}, schema: name }: ResourceFile,
  declared: Readonly<Record<string, ResourceFile>>,
  { shape }: SchemaUse,
  at: (path: Path, part?: 'key' | 'value') => ReturnType<Source['locate']>,
  report: Diagnostics,
): ReadonlyMap<string, string> {
  for (const [field, owner] of Object.entries(references)) {
    if (!shape.properties.has(field)) {
      const hint = suggest(field, shape.properties.keys())
      report.error('unknown-field', `${name} has no field "${field}"`, at(['references', field], 'key'), hint)
    }
    if (!Object.hasOwn(declared, owner)) {
      const hint = suggest(owner, Object.keys(declared))
      report.error('unknown-resource', `there is no resource "${owner}"`, at(['references', field]), hint)
    }
  }
  return new Map(Object.entries(references))
}

function checkDefaults(
  { schema, defaults }: Resource,
  block: ResourceFile,
  at: (path: Path, part?: 'key' | 'value') => ReturnType<Source['locate']>,
  report: Diagnostics,
): void {
  for (const key of Object.keys(defaults)) {
    if (schema.shape.properties.has(key)) continue
    const hint = suggest(key, schema.shape.properties.keys())
    report.error('unknown-field', `${block.schema} has no field "${key}"`, at(['defaults', key], 'key'), hint)
  }
  for (const { pointer, message } of schema.check(defaults, true) ?? []) {
    const path = parsePointer(pointer) ?? []
    if (path[0] === undefined || !Object.hasOwn(defaults, path[0])) continue
    report.error(
      'invalid-default',
      `this default breaks ${block.schema}: ${pointer} ${message}`,
      at(['defaults', ...path]),
    )
  }
}

function checkSeeds(resource: Resource, source: Source, base: Path, report: Diagnostics): JsonObject[] | undefined {
  const value = base.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], source.value)
  if (!Array.isArray(value)) {
    const key = isObject(value) && Object.keys(value).find(key => Array.isArray(value[key]))
    const hint = key ? `the list under "${key}" should be all there is` : undefined
    report.error('invalid-seed', 'seeds are a list of records', source.locate(base), hint)
    return undefined
  }
  const { idField, name, ids } = resource
  const { required } = resource.schema.shape
  const seen = new Map<unknown, number>()
  for (const [index, record] of value.entries()) {
    const path = [...base, index]
    if (!isObject(record)) {
      report.error('invalid-seed', 'a record must be an object', source.locate(path))
      continue
    }
    for (const fault of check(resource, record as JsonObject) ?? []) {
      const [pointer = '', ...words] = fault.split(' ')
      const place = source.locate([...path, ...(parsePointer(pointer) ?? [])])
      report.error('invalid-seed', `this record of ${name} breaks its schema: ${pointer} ${words.join(' ')}`, place)
    }
    const id = record[idField]
    const fits = ids === 'text' ? typeof id === 'string' : typeof id === 'number' || typeof id === 'bigint'
    if (!fits) {
      if (id === undefined && !required.has(idField))
        report.error('invalid-seed', `a record of ${name} needs its ${idField}`, source.locate(path))
      continue
    }
    const twin = seen.get(id)
    if (twin !== undefined) {
      const { line } = source.locate([...base, twin])
      const message = `the ${idField} ${String(id)} is taken by the record on line ${line}`
      report.error('duplicate-id', message, source.locate([...path, idField]))
    }
    seen.set(id, index)
  }
  return value as JsonObject[]
}
