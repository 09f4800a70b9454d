// The records that a resource begins with: from a fixture, from the gateway file, or made from its schema. Those that are read are
// checked against the schema and against each other, and must fit the memory, because the engine ends a process that has none left.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { findReferences, type References } from '../../behaviours/references.ts'
import { fitsIds, type Resource, recordMistakes } from '../../behaviours/resource.ts'
import type { Contract } from '../../contract/contract.ts'
import { reportPlaceholders } from '../../expression/template.ts'
import type { Diagnostics, Place } from '../../kernel/diagnostic.ts'
import { readNamed } from '../../kernel/file/read-source.ts'
import type { Path, Source } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, memberAt, parsePointer, stringifyJson } from '../../kernel/json.ts'
import { attempted } from '../../kernel/memo.ts'
import { Chance, hashOf } from '../../sample/chance.ts'
import { heapLimit } from '../../world/budget.ts'
import { drawUuid } from '../../world/draws.ts'
import type { Id } from '../../world/records/types.ts'
import { idIn, indexKeyOf, withField, withId } from '../../world/records/values.ts'
import { recordFitter } from './fit-records.ts'

const SEEDS_ARE_DATA = 'seeds are taken literally; use ${now} and ${uuid} in "defaults" and "set"'

/**
 * Returns a function that reads the records of a resource, and the absolute paths of the fixtures that it has read.
 *
 * @param source the gateway file, and `file` its path
 * @param home the folder that file names in messages are relative to
 * @param fitting set where the records were written for another contract
 */
export function createSeedReader(
  source: Source,
  file: string,
  home: string,
  report: Diagnostics,
  fitting?: SeedFitting,
) {
  const files: string[] = []
  const admits = countSeeds(report)
  const checked = (resource: Resource, from: Source, base: Path) =>
    fitting === undefined ? checkSeeds(resource, from, base, report) : fitSeeds(resource, fitting, from, base)
  /** @param seed the path of a fixture, or the records themselves */
  const read = (resource: Resource, seed: string | readonly Json[]): readonly JsonObject[] => {
    const base: Path = ['resources', resource.name, 'seed']
    const place = source.locate(base)
    if (typeof seed !== 'string') {
      const isAdmitted = admits(bytesOfRecords(seed), `those of ${resource.name}`, place)
      reportPlaceholders(seed, SEEDS_ARE_DATA, (code, message, path, hint, part) =>
        report.error(code, message, source.locate([...base, ...path], part === 'key' ? 'key' : 'value'), hint),
      )
      return isAdmitted ? checked(resource, source, base) : []
    }
    const path = resolve(dirname(file), seed)
    const name = relative(home, path) || path
    files.push(path)
    if (!admits(bytesOfFile(path), name, place)) return []
    const fixture = readNamed(path, name, place, report, 'records')
    if (fixture === undefined) return []
    // A fixture may be large, and few have a template.
    if (/\$\{|\{\{/.test(fixture.text)) warnOfTemplates(fixture, report)
    return checked(resource, fixture, [])
  }
  return { read, files }
}

/** The maximum number of templates in a fixture to warn of. */
const MOST_TEMPLATES = 10

/** Warns of templates in the records of a fixture, which may hold any text. */
function warnOfTemplates(fixture: Source, report: Diagnostics): void {
  let count = 0
  reportPlaceholders(fixture.value, SEEDS_ARE_DATA, (code, message, path, hint, part) => {
    count += 1
    if (count > MOST_TEMPLATES) return
    report.warning(code, message, fixture.locate(path, part === 'key' ? 'key' : 'value'), hint)
  })
}

/** @param base the place of the records in the source */
function checkSeeds(resource: Resource, source: Source, base: Path, report: Diagnostics): readonly JsonObject[] {
  const value = memberAt(source.value, base)
  if (!Array.isArray(value)) {
    const key = isObject(value) && Object.keys(value).find(key => Array.isArray(value[key]))
    const hint = key ? `make the list under "${key}" the whole file` : undefined
    report.error('invalid-seed', 'seeds must be a list of records', source.locate(base), hint)
    return []
  }
  const { idField, name, ids, within } = resource
  const { required } = resource.schema.shape
  const seen = new Map<unknown, number>()
  for (const [index, record] of value.entries()) {
    const path = [...base, index]
    const refuse = (message: string, at: Path = []): void =>
      report.error('invalid-seed', message, source.locate([...path, ...at]))
    if (!isObject(record)) {
      refuse('a record must be an object')
      continue
    }
    for (const fault of recordMistakes(resource, record as JsonObject) ?? []) {
      refuse(`this record of ${name} breaks its schema: ${fault}`, parsePointer(fault.replace(/ .*/s, '')))
    }
    const id = idIn(idField, record as JsonObject)
    const key = indexKeyOf(record as JsonObject, idField, within)
    if (!fitsIds(id, { ids })) {
      if (id === undefined && !required.has(idField)) refuse(`a record of ${name} must have the field ${idField}`)
      continue
    }
    const twin = seen.get(key)
    if (twin !== undefined) {
      const { line } = source.locate([...base, twin])
      const message = `duplicate ${idField} ${String(id)}: the record on line ${line} has it too`
      report.error('duplicate-id', message, source.locate([...path, idField]))
    }
    seen.set(key, index)
  }
  return value as JsonObject[]
}

/** The contract that records are fitted to, and the report of those that cannot be. */
interface SeedFitting {
  readonly contract: Contract
  readonly leftOut: Diagnostics
}

/** Fits records to the schema of a resource. Those that cannot be fitted are left out, with a warning. */
function fitSeeds(
  resource: Resource,
  { contract, leftOut }: SeedFitting,
  source: Source,
  base: Path,
): readonly JsonObject[] {
  const value = memberAt(source.value, base)
  const fit = recordFitter(resource, contract)
  return (Array.isArray(value) ? value : []).flatMap((record, index) => {
    if (!isObject(record)) return []
    const fitted = fit(record as JsonObject, index)
    const [fault] = recordMistakes(resource, fitted) ?? []
    const id = idIn(resource.idField, fitted)
    if (fault === undefined && fitsIds(id, resource)) return [fitted]
    const message = `this record of ${resource.name} is left out: ${fault ?? `its ${resource.idField} is of another type`}`
    leftOut.warning(
      'left-out',
      message,
      source.locate([...base, index]),
      'give this world records by its snapshot, or change the next contract',
    )
    return []
  })
}

/** Shares of the heap: beyond them seeds are warned of, or refused. */
const LARGE = 0.5
const TOO_LARGE = 0.9
/** Bytes that the program takes by itself. */
const PROGRAM = 12e6

/**
 * Returns a function that adds up the bytes of seeds: whether so many fit beside those before them. It reports those that are
 * large or do not fit.
 *
 * @param limit bytes of the heap
 */
export function countSeeds(report: Diagnostics, limit = heapLimit()) {
  let needed = PROGRAM
  return (bytes: number, name: string, place: Place): boolean => {
    needed += bytes
    if (bytes === 0 || needed <= LARGE * limit) return true
    const fits = needed <= TOO_LARGE * limit
    const [code, relation] = fits ? ['large-seed', ' of'] : ['seed-too-large', ', too much for']
    const memory = `about ${Math.ceil(needed / 1e6)} MB${relation} the ${Math.floor(limit / 1e6)} MB of memory`
    const hint = `NODE_OPTIONS=--max-old-space-size=${Math.ceil((needed * 3) / 2 ** 20)}, or fewer records`
    report[fits ? 'warning' : 'error'](code, `the seeds up to ${name} take ${memory}`, place, hint)
    return fits
  }
}

/** Bytes of a record or an object within it, beside its text, which is kept twice. Measured with small records. */
const OBJECT = 190
/** How much of a file, and how many records of a list, are looked at. Less than that always fits. */
const SAMPLE = 65_536
const LOOKED_AT = 200

/** The bytes that records will take, judged by a sample of their text: objects of JSON, or items of YAML. */
const bytesOf = (sample: string, share: number): number =>
  share * (2 * sample.length + OBJECT * (Math.max(sample.split('{').length, sample.split(/^ *- /m).length) - 1))

export function bytesOfRecords(records: readonly unknown[]): number {
  if (records.length < LOOKED_AT) return 0
  const step = Math.floor(records.length / LOOKED_AT)
  const some = records.filter((_, i) => i % step === 0).map(record => stringifyJson(record) ?? '')
  return bytesOf(some.join(''), records.length / some.length)
}

/** 0 for a file that cannot be read. */
const bytesOfFile = (path: string): number =>
  attempted(() => {
    const stat = statSync(path)
    if (!stat.isFile() || stat.size < SAMPLE) return 0
    const file = openSync(path, 'r')
    const sample = Buffer.alloc(SAMPLE)
    readSync(file, sample, 0, SAMPLE, Math.floor((stat.size - SAMPLE) / 2))
    closeSync(file)
    return bytesOf(sample.toString('latin1'), stat.size / SAMPLE)
  }) ?? 0

// Records made from the schema of their resource, the same for the same seed. Their ids are made first, for all resources,
// so that references have something to point at, in circles too.

export interface WantedRecords {
  readonly resource: Resource
  readonly count: number
  /** The id that the contract shows in the path of a record: the first record has it. */
  readonly shown: Id | undefined
  /** Ids that no other record may have. */
  readonly taken: ReadonlySet<unknown>
  /** The resources of the owners that paths name, by the field with the owner's id. */
  readonly owners: ReadonlyMap<string, string>
}

interface Generated {
  readonly records: readonly JsonObject[]
  /** The fields that could not point at anything: the resource they name has no records. */
  readonly unowned: readonly string[]
}

/** How often an invalid record is generated again. */
const ATTEMPTS = 4
/** Comparisons of values with schemas, after which records are made of fields of those before: a second or two. */
const MOST_WORK = 300_000
/** The number of records that are made in full at any cost. */
const FEWEST = 10
/** How many values a record may have where there are many records. */
const LEAN = 60
const MANY = 100

/**
 * @param resources all of them, with the seeds that the others have
 * @param seed the same seed, the same records
 */
export function generateRecords(
  wanted: readonly WantedRecords[],
  resources: ReadonlyMap<string, Resource>,
  contract: Contract,
  seed: number,
): ReadonlyMap<string, Generated> {
  const ids = new Map<string, readonly Id[]>(wanted.map(one => [one.resource.name, idsOf(one, seed)]))
  const idsIn = (name: string): readonly Id[] => {
    const owners = resources.get(name)
    return ids.get(name) ?? owners?.seeds.map(record => idIn(owners.idField, record) as Id) ?? []
  }
  const generated = new Map(
    wanted.map(one => [one.resource.name, recordsOf(one, ids.get(one.resource.name) ?? [], idsIn, contract, seed)]),
  )
  const seeded = [...resources].map(([name, { idField, seeds }]) => {
    return [name, { idField, seeds: generated.get(name)?.records ?? seeds }] as const
  })
  const references = findReferences(contract, new Map(seeded))
  for (const { resource, count, owners } of wanted) {
    const { records, unowned } = generated.get(resource.name) as Generated
    if (count <= MANY) generated.set(resource.name, { records: linked(records, resource, owners, references), unowned })
  }
  return generated
}

/** Returns records whose fields name existing records: `authorId` has the id of an author. */
function linked(
  records: readonly JsonObject[],
  resource: Resource,
  owners: ReadonlyMap<string, string>,
  references: References,
): readonly JsonObject[] {
  const { schema, idField } = resource
  const fields = [...references.fields(schema.node)].filter(
    ([field]) => field !== idField && !owners.has(field) && !resource.references.has(field),
  )
  return records.map((record, index) => {
    let current = record
    for (const [field, refer] of fields) {
      if (current[field] === undefined) continue
      const next = { ...current, [field]: refer(current[field] as Json, index + 1) }
      if (recordMistakes(resource, next) === undefined) current = next
    }
    return current
  })
}

function recordsOf(
  { resource, count, owners: ownersInPaths }: WantedRecords,
  ids: readonly Id[],
  idsIn: (name: string) => readonly Id[],
  contract: Contract,
  seed: number,
): Generated {
  const { name, schema, idField, references } = resource
  const sampler = schema.sampler
  const unowned = new Set<string>()
  const links = [...references].flatMap(([field, { to }]) => {
    const node = schema.shape.properties.get(field)
    if (node === undefined) return []
    const { types } = contract.use(node)
    return [{ field, to, many: types.has('array'), nullable: types.has('null'), owners: idsIn(to) }]
  })
  const budget = count > MANY ? LEAN : undefined
  const bodies: JsonObject[] = []
  const begun = sampler.work
  /** The record but for its id and its references. */
  const body = (index: number, attempt: number, chance: Chance): JsonObject | undefined => {
    if (sampler.work - begun < MOST_WORK || (bodies.length < FEWEST && index < 2 * FEWEST)) {
      const options = { seed: chance.between(1, 2 ** 30), dynamic: index + attempt > 0, name, budget }
      const { value, fits } = sampler.sample(schema.key, options)
      if (!isObject(value)) return undefined
      if (fits) bodies.push(value as JsonObject)
      return value as JsonObject
    }
    if (bodies.length === 0) return undefined
    const [one, other] = [chance.pick(bodies), chance.pick(bodies)]
    // Some fields may belong together: then it is one body as it is.
    if (attempt > 1) return one
    const mixed = Object.entries(one).map(([field, said]): [string, Json] => {
      return [field, Object.hasOwn(other, field) && chance.next() < 0.5 ? (other[field] as Json) : said]
    })
    return Object.fromEntries(mixed)
  }
  const make = (index: number, attempt: number): JsonObject | undefined => {
    const chance = new Chance(hashOf(`${name}\n${seed}\n${index}\n${attempt}`))
    const value = body(index, attempt, chance)
    if (value === undefined) return undefined
    const members = new Map<string, Json>(Object.entries(withId(idField, ids[index] as Id, value)))
    for (const { field, to, many, nullable, owners } of links) {
      // A record refers to an earlier one of its kind, so that trees have a root.
      const from = to === name ? owners.slice(0, index) : owners
      if (many) members.set(field, from.length === 0 ? [] : [...new Set([chance.pick(from), chance.pick(from)])])
      else if (from.length > 0) members.set(field, chance.pick(from))
      else if (!schema.shape.required.has(field)) members.delete(field)
      else if (nullable) members.set(field, null)
      else if (to === name) members.set(field, ids[index] as Id)
      else unowned.add(field)
    }
    let record: JsonObject = Object.fromEntries(members)
    for (const [field, to] of ownersInPaths) {
      const owners = idsIn(to)
      if (owners.length > 0) record = withField(field, owners[index % owners.length] as Id, record)
    }
    return recordMistakes(resource, record) === undefined ? record : undefined
  }
  const records = ids.flatMap((_, index) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const record = make(index, attempt)
      if (record !== undefined) return [record]
    }
    return []
  })
  return { records, unowned: [...unowned] }
}

function idsOf({ resource, count, taken, shown }: WantedRecords, seed: number): Id[] {
  const { name, schema, idField, ids: kind, assign, newId, canName } = resource
  const used = new Set<unknown>(taken)
  const sampler = schema.sampler
  const natural = assign === 'client' && kind === 'text' ? sampler.within(schema.key, [idField]) : undefined
  const ids: Id[] = shown === undefined || count === 0 || used.has(shown) ? [] : [shown]
  for (const id of ids) used.add(id)
  for (let ordinal = 1; ids.length < count && ordinal <= count + used.size * 2 + MANY; ordinal++) {
    const own = natural && naturalId(natural, ordinal)
    const drawn = assign === 'uuid' ? drawUuid(seed, name, ordinal) : newId?.(ordinal)
    const choices = kind === 'integer' ? [ordinal] : [own, drawn]
    const id = choices.find(one => one !== undefined && !used.has(one))
    if (id === undefined) continue
    used.add(id)
    ids.push(id)
  }
  return ids

  /** A key that a client would have chosen: a name, a code. */
  function naturalId(parts: readonly unknown[], ordinal: number): string | undefined {
    const chance = hashOf(`${name} id\n${seed}\n${ordinal}`)
    const { value, fits } = sampler.sampleAll(parts, { seed: chance, dynamic: ordinal > 1, name: idField })
    return fits && typeof value === 'string' && value !== '' && canName(value) ? value : undefined
  }
}
