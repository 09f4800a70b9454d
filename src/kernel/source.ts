// A text file of the author's, its value, and the way back from a value to its place in the text.

import type { Place } from './diagnostic.ts'
import { pointer } from './json.ts'
import { withoutSecrets } from './secrets.ts'

export type Path = readonly (string | number)[]
export type Environment = Readonly<Record<string, string | undefined>>

/** Works out the offsets of a path: from and to. */
export type Locate = (path: Path, part: 'key' | 'value') => readonly [number, number]

/** A parsed file. Its value is plain data; a large integer in it is a bigint. */
export class Source {
  readonly file: string
  readonly value: unknown
  readonly #text: string
  readonly #makeLocate: () => Locate
  #locate: WeakRef<{ at: Locate; lines: Lines }> | undefined

  constructor(file: string, text: string, value: unknown, makeLocate: () => Locate) {
    this.file = file
    this.value = value
    this.#text = text
    this.#makeLocate = makeLocate
  }

  /** The same text with another value: `origin` tells where a path of that one comes from. */
  derive(value: unknown, origin: (path: Path) => Path): Source {
    return new Source(this.file, this.#text, value, () => {
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
      let locating = this.#locate?.deref()
      if (locating === undefined) {
        locating = { at: this.#makeLocate(), lines: new Lines(this.#text) }
        this.#locate = new WeakRef(locating)
      }
      const [from, to] = locating.at(path, part)
      return placeAt(this.file, this.#text, locating.lines, from, to)
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

/** Where the lines of a text begin. */
export class Lines {
  readonly starts: number[] = [0]

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1)
  }

  /** The line that an offset is on, counted from 1. */
  of(offset: number): number {
    let [low, high] = [0, this.starts.length]
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((this.starts[middle] as number) <= offset) low = middle
      else high = middle
    }
    return high
  }
}

/** A stretch of a text as it is shown: its line, and what of it is meant. */
export function placeAt(file: string, text: string, lines: Lines, from: number, to: number): Place {
  const line = lines.of(from)
  const start = lines.starts[line - 1] as number
  const end = text.indexOf('\n', start)
  const whole = text.slice(start, end === -1 ? undefined : end)
  const length = Math.max(1, Math.min(to - from, whole.trimEnd().length - (from - start)))
  return { file, line, column: from - start + 1, length, text: withoutSecrets(text, start, whole) }
}

/** The place of a file as a whole: for what is wrong before there is a text. */
export const placeOfFile = (file: string): Place => ({ file, line: 1, column: 1, length: 1, text: '' })
