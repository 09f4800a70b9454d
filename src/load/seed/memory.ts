// Checks whether seeds fit the memory before the world is made of them, because the engine ends a process that has none left.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { Diagnostics, Place } from '../../kernel/diagnostic.ts'
import { stringifyJson } from '../../kernel/json.ts'
import { heapLimit } from '../../world/budget.ts'

/** Bytes of a record or an object within it, beside its text, which is kept twice. Measured with small records. */
const OBJECT = 190
/** How much of a file is looked at. */
const SAMPLE = 65_536
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

  /** Whether the records of a file fit beside the seeds before them; reports those that are large or do not fit. */
  admits(path: string, name: string, place: Place, report: Diagnostics): boolean {
    return this.#admitsBytes(estimate(path), name, place, report)
  }

  /** As `admits`, for records in the gateway file itself. */
  admitsRecords(records: readonly unknown[], name: string, place: Place, report: Diagnostics): boolean {
    return this.#admitsBytes(estimateRecords(records), name, place, report)
  }

  #admitsBytes(bytes: number, name: string, place: Place, report: Diagnostics): boolean {
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

/** How many records of a list are looked at. */
const LOOKED_AT = 200

/** The bytes that records will take beside themselves, judged by some of them. */
function estimateRecords(records: readonly unknown[]): number {
  const step = Math.max(1, Math.floor(records.length / LOOKED_AT))
  const some = records.filter((_, i) => i % step === 0).map(record => stringifyJson(record) ?? '')
  if (records.length < LOOKED_AT) return 0
  const bytes = some.reduce((sum, text) => sum + 2 * text.length + OBJECT * (text.split('{').length - 1), 0)
  return (bytes / some.length) * records.length
}

/** The bytes that the records of a file will take, judged by a piece out of its middle; 0 for a file that cannot be read. */
function estimate(path: string): number {
  try {
    const stat = statSync(path)
    if (!stat.isFile() || stat.size < SAMPLE) return 0
    const { size } = stat
    const file = openSync(path, 'r')
    try {
      const sample = Buffer.alloc(SAMPLE)
      const text = sample.toString('latin1', 0, readSync(file, sample, 0, SAMPLE, Math.floor((size - SAMPLE) / 2)))
      // Objects of JSON, or items of YAML.
      const objects = Math.max(text.split('{').length, text.split(/^ *- /m).length) - 1
      return 2 * size + OBJECT * objects * (size / SAMPLE)
    } finally {
      closeSync(file)
    }
  } catch {
    return 0
  }
}
