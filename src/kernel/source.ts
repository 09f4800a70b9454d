// A text file of the author's, its value, and the way back from a value to its place in the text.

import type { Place } from './diagnostic.ts'
import { pointer } from './json.ts'

export type Path = readonly (string | number)[]
export type Environment = Readonly<Record<string, string | undefined>>

/** Works out the place of a path. */
export type Locate = (path: Path, part: 'key' | 'value') => Place

/** A parsed file. Its value is plain data; a large integer in it is a bigint. */
export class Source {
  readonly file: string
  readonly value: unknown
  /** Whether the text was sound and has no variable in it: reading it with the environment makes no difference. */
  readonly settled: boolean
  readonly #makeLocate: () => Locate
  #locate: WeakRef<Locate> | undefined

  constructor(file: string, value: unknown, makeLocate: () => Locate, settled = false) {
    this.file = file
    this.value = value
    this.settled = settled
    this.#makeLocate = makeLocate
  }

  /** The same text with another value: `origin` tells where a path of that one comes from. */
  derive(value: unknown, origin: (path: Path) => Path): Source {
    return new Source(this.file, value, () => {
      const locate = this.#makeLocate()
      return (path, part) => locate(origin(path), part)
    })
  }

  /**
   * The place of the value at `path`, or of the key it hangs on. A path that leads nowhere is placed at the deepest
   * part of it that exists. Nothing is worked out before somebody asks for the line.
   */
  locate(path: Path, part: 'key' | 'value' = 'value'): Place {
    return new LazyPlace(this.file, `${this.file}#${part}${pointer(path)}`, () => {
      // Held weakly: the way back to the text is large, and wanted only while something is being reported.
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

/** The place of a file as a whole: for what is wrong before there is a text. */
export const placeOfFile = (file: string): Place => ({ file, line: 1, column: 1, length: 1, text: '' })
