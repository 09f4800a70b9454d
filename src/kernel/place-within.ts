// Locates a part of a YAML or JSON scalar in the file.

import type { Place } from './diagnostic.ts'

/**
 * Returns the place of the characters from `start` to `end` of a scalar's value. For a scalar of several lines it returns
 * the place of the whole scalar.
 */
export function placeWithin(place: Place, start: number, end: number): Place {
  return new PlaceWithin(place, start, end)
}

/** Computed on first use: most places are compared by their id only. */
class PlaceWithin implements Place {
  readonly id: string
  readonly #place: Place
  readonly #start: number
  readonly #end: number

  constructor(place: Place, start: number, end: number) {
    this.#place = place
    this.#start = start
    this.#end = end
    this.id = `${place.id ?? `${place.file}:${place.line}:${place.column}`}@${start}-${end}`
  }

  get file(): string {
    return this.#place.file
  }

  get line(): number {
    return this.#place.line
  }

  get text(): string {
    return this.#place.text
  }

  get column(): number {
    return this.#offsets?.[0] === undefined ? this.#place.column : this.#place.column + this.#offsets[0]
  }

  get length(): number {
    const offsets = this.#offsets
    return offsets === undefined ? this.#place.length : Math.max(1, offsets[1] - offsets[0])
  }

  /** The start and end of the part, counted from the scalar's first character in the file. */
  get #offsets(): readonly [number, number] | undefined {
    const written = this.#place.text.slice(this.#place.column - 1)
    const quote = /^["'|>]/.exec(written)?.[0]
    if (quote === '|' || quote === '>') return undefined
    if (quote === undefined) return [this.#start, this.#end]
    const step = quote === '"' ? /\\(?:x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|.)|[\s\S]/iy : /''|[\s\S]/y
    const offsets: number[] = []
    step.lastIndex = 1
    while (offsets.length <= this.#end) {
      offsets.push(step.lastIndex)
      if (written[step.lastIndex] === quote && !(quote === "'" && written[step.lastIndex + 1] === "'")) break
      if (step.exec(written) === null) break
    }
    const at = (index: number): number => offsets[Math.min(index, offsets.length - 1)] ?? 1
    return [at(this.#start), at(this.#end)]
  }
}
