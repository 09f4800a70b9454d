// A file of the author's: its text, its value, and the place of each value in the text.

import type { Place } from './diagnostic.ts'
import { pointer } from './json.ts'

export type Path = readonly (string | number)[]
export type Environment = Readonly<Record<string, string | undefined>>

/** Computes the place of a path. */
export type Locate = (path: Path, part: 'key' | 'value') => Place

/** A parsed file. Its value is plain data; a large integer in it is a bigint. */
export class Source {
  readonly file: string
  readonly value: unknown
  /** Whether the text is valid and has no variables, so that the environment has no effect on it. */
  readonly settled: boolean
  /** The number of unknown keys that the value lacks, because there are very many. */
  readonly surplus: number
  readonly #text: string | (() => string)
  readonly #makeLocate: () => Locate
  #locate: WeakRef<Locate> | undefined

  /** @param text is written on first use, if there is only a value */
  constructor(
    file: string,
    value: unknown,
    text: string | (() => string),
    makeLocate: () => Locate,
    settled = false,
    surplus = 0,
  ) {
    this.file = file
    this.value = value
    this.#text = text
    this.settled = settled
    this.surplus = surplus
    this.#makeLocate = makeLocate
  }

  /** The text that it was read from. */
  get text(): string {
    return typeof this.#text === 'string' ? this.#text : this.#text()
  }

  /** Returns a source with the same text and another value; `origin` maps a path of that value to one of this text. */
  derive(value: unknown, origin: (path: Path) => Path): Source {
    return new Source(this.file, value, this.#text, () => {
      const locate = this.#makeLocate()
      return (path, part) => locate(origin(path), part)
    })
  }

  /**
   * Returns the place of the value at `path`, or of its key. For a path that does not exist it returns the deepest part
   * that does. The line is computed on first use.
   */
  locate(path: Path, part: 'key' | 'value' = 'value'): Place {
    return new LazyPlace(this.file, `${this.file}#${part}${pointer(path)}`, () => {
      // Held weakly: the index of places is large, and is needed only while mistakes are reported.
      let locate = this.#locate?.deref()
      if (locate === undefined) {
        locate = this.#makeLocate()
        this.#locate = new WeakRef(locate)
      }
      return locate(path, part)
    })
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

  get #worked(): Place {
    if (typeof this.#place === 'function') this.#place = this.#place()
    return this.#place
  }

  get line(): number {
    return this.#worked.line
  }

  get column(): number {
    return this.#worked.column
  }

  get length(): number {
    return this.#worked.length
  }

  get text(): string {
    return this.#worked.text
  }
}

/** Returns the place of a whole file, for mistakes that are found before it has been read. */
export const placeOfFile = (file: string): Place => ({ file, line: 1, column: 1, length: 1, text: '' })
