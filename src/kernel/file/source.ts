// A file of the author's: its text, its value, and the place of each value in the text.

import type { Place } from '../diagnostic.ts'
import { pointer } from '../value/json.ts'
import { type Show, withoutSecrets } from './secrets.ts'

export type Path = readonly (string | number)[]
export type Environment = Readonly<Record<string, string | undefined>>

/** Computes the place of a path. */
export type Locate = (path: Path, part: 'key' | 'value') => Place

/** A parsed file. Its value is plain data; a large integer in it is a bigint, and `0.10` a `Decimal`. */
export class Source {
  readonly file: string
  readonly value: unknown
  /** Whether a value is an unquoted scalar. */
  readonly isPlain: (path: Path) => boolean
  readonly #text: string | (() => string)
  readonly #locate: Locate

  /** @param text is written on first use, if there is only a value */
  constructor(
    file: string,
    value: unknown,
    text: string | (() => string),
    locate: Locate,
    isPlain: (path: Path) => boolean = () => false,
  ) {
    this.file = file
    this.value = value
    this.isPlain = isPlain
    this.#text = text
    this.#locate = locate
  }

  /** The text that it was read from. */
  get text(): string {
    return typeof this.#text === 'string' ? this.#text : this.#text()
  }

  /** Returns a source with the same text and another value; `origin` maps a path of that value to one of this text. */
  derive(value: unknown, origin: (path: Path) => Path = path => path): Source {
    const locate: Locate = (path, part) => this.#locate(origin(path), part)
    return new Source(this.file, value, this.#text, locate, path => this.isPlain(origin(path)))
  }

  /**
   * Returns the place of the value at `path`, or of its key. For a path that does not exist it returns the deepest part
   * that does. The line is computed on first use.
   */
  locate(path: Path, part: 'key' | 'value' = 'value'): Place {
    const id = `${this.file}#${part}${pointer(path)}`
    return new LazyPlace(this.file, id, () => this.#locate(path, part))
  }
}

class LazyPlace implements Place {
  readonly file: string
  readonly id: string
  #place: Place | (() => Place)

  constructor(file: string, id: string, place: () => Place) {
    this.file = file
    this.id = id
    this.#place = place
  }

  get #computed(): Place {
    if (typeof this.#place === 'function') this.#place = this.#place()
    return this.#place
  }

  get line(): number {
    return this.#computed.line
  }

  get column(): number {
    return this.#computed.column
  }

  get length(): number {
    return this.#computed.length
  }

  get text(): string {
    return this.#computed.text
  }
}

/** Returns the place of a whole file, for mistakes that are found before it has been read. */
export const placeOfFile = (file: string): Place => ({ file, line: 1, column: 1, length: 1, text: '' })

/** Converts offsets in a text to places: a line and a column, and the line itself without secrets. */
export class TextPlaces {
  readonly #file: string
  readonly #text: string
  readonly #show: Show
  /** The offsets at which lines begin, as far as they have been looked for. */
  readonly #lines: number[] = [0]

  constructor(file: string, text: string) {
    this.#file = file
    this.#text = text
    this.#show = withoutSecrets(text)
  }

  /** Returns the place of the text between two offsets, or of its part on the first line. */
  at(from: number, to: number): Place {
    const text = this.#text
    const line = this.#lineOf(from)
    const start = this.#lines[line - 1] as number
    const end = text.indexOf('\n', start)
    const whole = text.slice(start, end === -1 ? undefined : end)
    const length = Math.max(1, Math.min(to - from, whole.trimEnd().length - (from - start)))
    return { file: this.#file, line, column: from - start + 1, length, text: this.#show(start, whole) }
  }

  #lineOf(offset: number): number {
    const lines = this.#lines
    let last = lines.at(-1) as number
    while (last <= offset) {
      const end = this.#text.indexOf('\n', last)
      if (end === -1 || end >= offset) break
      last = end + 1
      lines.push(last)
    }
    let [low, high] = [0, lines.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((lines[middle] as number) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/**
 * Returns the place of the characters from `start` to `end` of a scalar's value. For a scalar of several lines it returns
 * the place of the whole scalar.
 */
export function placeWithin(place: Place, start: number, end: number): Place {
  const id = `${place.id ?? `${place.file}:${place.line}:${place.column}`}@${start}-${end}`
  // Computed on first use: most places are compared by their id only.
  return new LazyPlace(place.file, id, () => {
    const [from, to] = offsetsWithin(place.text.slice(place.column - 1), start, end) ?? [0, place.length]
    const { file, line, column, text } = place
    return { file, line, column: column + from, length: Math.max(1, to - from), text }
  })
}

/** Returns where a part of a scalar begins and ends, counted from the scalar's first character in the file. */
function offsetsWithin(written: string, start: number, end: number): readonly [number, number] | undefined {
  const quote = /^["'|>]/.exec(written)?.[0]
  if (quote === '|' || quote === '>') return undefined
  if (quote === undefined) return [start, end]
  const step = quote === '"' ? /\\(?:x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|.)|[\s\S]/iy : /''|[\s\S]/y
  const offsets: number[] = []
  step.lastIndex = 1
  while (offsets.length <= end) {
    offsets.push(step.lastIndex)
    if (written[step.lastIndex] === quote && !(quote === "'" && written[step.lastIndex + 1] === "'")) break
    if (step.exec(written) === null) break
  }
  const at = (index: number): number => offsets[Math.min(index, offsets.length - 1)] ?? 1
  return [at(start), at(end)]
}
