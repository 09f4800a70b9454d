// Reads the records that a resource begins with: from a fixture, or from the gateway file. They are checked against the schema
// and against each other, and must fit the memory, because the engine ends a process that has none left.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { type Resource, recordMistakes } from '../../behaviours/resource.ts'
import { reportPlaceholders } from '../../expression/template.ts'
import type { Diagnostics, Place } from '../../kernel/diagnostic.ts'
import { readNamed } from '../../kernel/file/read-source.ts'
import type { Path, Source } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, parsePointer, stringifyJson } from '../../kernel/value/json.ts'
import { heapLimit } from '../../world/budget.ts'
import { idIn, indexKeyOf } from '../../world/records/values.ts'

const SEEDS_ARE_DATA = 'seeds are taken literally; use ${now} and ${uuid} in "defaults" and "set"'

export class SeedReader {
  /** Absolute paths of the fixtures that were read. */
  readonly files: string[] = []
  readonly #source: Source
  readonly #file: string
  readonly #home: string
  readonly #report: Diagnostics
  readonly #memory = new SeedMemory()

  /**
   * @param source the gateway file, and `file` its path
   * @param home the folder that file names in messages are relative to
   */
  constructor(source: Source, file: string, home: string, report: Diagnostics) {
    this.#source = source
    this.#file = file
    this.#home = home
    this.#report = report
  }

  /** @param seed the path of a fixture, or the records themselves */
  read(resource: Resource, seed: string | readonly Json[]): readonly JsonObject[] {
    const base: Path = ['resources', resource.name, 'seed']
    const place = this.#source.locate(base)
    const report = this.#report
    if (typeof seed !== 'string') {
      const isAdmitted = this.#memory.admits(bytesOfRecords(seed), `those of ${resource.name}`, place, report)
      reportPlaceholders(seed, SEEDS_ARE_DATA, (code, message, path, hint, part) =>
        report.error(code, message, this.#source.locate([...base, ...path], part === 'key' ? 'key' : 'value'), hint),
      )
      return isAdmitted ? checkSeeds(resource, this.#source, base, report) : []
    }
    const path = resolve(dirname(this.#file), seed)
    const name = relative(this.#home, path) || path
    this.files.push(path)
    if (!this.#memory.admits(bytesOfFile(path), name, place, report)) return []
    const fixture = readNamed(path, name, place, report, 'records')
    return fixture === undefined ? [] : checkSeeds(resource, fixture, [], report)
  }
}

/** @param base the place of the records in the source */
function checkSeeds(resource: Resource, source: Source, base: Path, report: Diagnostics): readonly JsonObject[] {
  const value = base.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], source.value)
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
    if (!isObject(record)) {
      report.error('invalid-seed', 'a record must be an object', source.locate(path))
      continue
    }
    for (const fault of recordMistakes(resource, record as JsonObject) ?? []) {
      const [pointer = '', ...words] = fault.split(' ')
      const place = source.locate([...path, ...(parsePointer(pointer) ?? [])])
      report.error('invalid-seed', `this record of ${name} breaks its schema: ${pointer} ${words.join(' ')}`, place)
    }
    const id = idIn(idField, record as JsonObject)
    const key = indexKeyOf(record as JsonObject, idField, within)
    const fits = ids === 'text' ? typeof id === 'string' : typeof id === 'number' || typeof id === 'bigint'
    if (!fits) {
      if (id === undefined && !required.has(idField))
        report.error('invalid-seed', `a record of ${name} must have the field ${idField}`, source.locate(path))
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

/** Shares of the heap: beyond them seeds are warned of, or refused. */
const LARGE = 0.5
const TOO_LARGE = 0.9
/** Bytes that the program takes by itself. */
const PROGRAM = 12e6

export class SeedMemory {
  readonly #limit: number
  #needed = PROGRAM

  /** @param limit bytes of the heap */
  constructor(limit = heapLimit()) {
    this.#limit = limit
  }

  /** Whether records of so many bytes fit beside the seeds before them; reports those that are large or do not fit. */
  admits(bytes: number, name: string, place: Place, report: Diagnostics): boolean {
    this.#needed += bytes
    if (bytes === 0 || this.#needed <= LARGE * this.#limit) return true
    const needed = `${Math.ceil(this.#needed / 1e6)} MB`
    const has = `${Math.floor(this.#limit / 1e6)} MB`
    const hint = `NODE_OPTIONS=--max-old-space-size=${Math.ceil((this.#needed * 3) / 2 ** 20)}, or fewer records`
    if (this.#needed <= TOO_LARGE * this.#limit) {
      report.warning('large-seed', `the seeds up to ${name} take about ${needed} of the ${has} of memory`, place, hint)
      return true
    }
    const message = `the seeds up to ${name} take about ${needed}, too much for the ${has} of memory`
    report.error('seed-too-large', message, place, hint)
    return false
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
function bytesOfFile(path: string): number {
  try {
    const stat = statSync(path)
    if (!stat.isFile() || stat.size < SAMPLE) return 0
    const file = openSync(path, 'r')
    try {
      const sample = Buffer.alloc(SAMPLE)
      readSync(file, sample, 0, SAMPLE, Math.floor((stat.size - SAMPLE) / 2))
      return bytesOf(sample.toString('latin1'), stat.size / SAMPLE)
    } finally {
      closeSync(file)
    }
  } catch {
    return 0
  }
}
