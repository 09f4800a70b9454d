// One bound for the records of all worlds together. Counts bytes, independent of collections.

import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'

/** A write was refused because the records of all worlds together would take more memory than they may. */
export class Full extends Error {
  override readonly name = 'Full'
}

/** The memory of a record besides its text: its objects and its nodes in the trees. Measured with small records. */
const RECORD = 190

/** The estimated bytes that a record takes: its JSON text is kept, and the values that it was written from. */
export const weigh = (text: string): number => RECORD + 2 * text.length

/**
 * The share of the heap beyond which no record is added. A request takes memory too, and above 80 % the engine ends a process
 * whose collections take most of its time and free little: on a slow machine with a small heap, this one.
 */
const MOST_HEAP = 0.75

export interface Bounds {
  /** Bytes, as `weigh` estimates them. */
  readonly max: number
  /** Bytes that all objects together may take. */
  readonly heap: number
  /** The bytes of the worlds that there are: `spent` also counts those that were dropped. */
  readonly count: () => number
  /**
   * Drops the least recently used sandbox except that of `writer`. Returns its bytes; `undefined` if there is none.
   */
  readonly drop: (writer?: object) => number | undefined
}

export class Budget {
  #bounds: Bounds
  /** At least the bytes of all records. */
  #spent = 0
  /** How many bytes objects took after the last collection of garbage, without the records that were there then. */
  #others = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get max(): number {
    return this.#bounds.max
  }

  /** Continues with another bound. */
  limit(max: number): void {
    this.#bounds = { ...this.#bounds, max }
  }

  /** Reserves this many bytes for records that must be kept. */
  spend(bytes: number): void {
    this.#spent += bytes
  }

  /** Makes room for this many bytes, which `writer` has not reserved yet. Throws `Full` if there is none. */
  reserve(bytes: number, writer: object): void {
    if (bytes <= 0 || this.#fits(bytes)) return
    this.#spent = this.#bounds.count()
    while (!this.#fits(bytes)) {
      const dropped = this.#bounds.drop(writer)
      if (dropped === undefined)
        throw new Full('the records of all worlds together have reached the memory limit (worlds.maxBytes)')
      this.#spent -= dropped
    }
  }

  #fits(bytes: number): boolean {
    const total = this.#spent + bytes
    return total <= this.#bounds.max && this.#others + total <= MOST_HEAP * this.#bounds.heap
  }

  /** Records the size of the heap after a garbage collection. */
  measured(used: number): void {
    this.#spent = this.#bounds.count()
    this.#others = used - this.#spent
  }
}

// The memory that the engine gives to JavaScript objects: how much there may be. The one reader of the engine's numbers.

/** The size of one space for young objects, in MiB: V8 has changed its default twice. */
const semiSpace = (node: number): number => (node < 24 ? 16 : node < 26 ? 64 : 32)

/** The engine counts three spaces for young objects into its limit; records live in the rest. */
const YOUNG = 3 * semiSpace(Number.parseInt(process.versions.node, 10)) * 2 ** 20

/** The maximum of bytes of old objects (`--max-old-space-size`); above it the engine ends the process. */
export function heapLimit(): number {
  const { heap_size_limit: limit } = getHeapStatistics()
  return Math.max(limit - YOUNG, limit / 4)
}

/** Bytes of old objects, including garbage that is not collected yet. */
export const heapUsed = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name: name, space_used_size: used }) => (name.startsWith('new_') ? sum : sum + used),
    0,
  )
