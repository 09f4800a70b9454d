// A file of the author's: its text, its value, and the place of each value in the text; the environment variables in it.

import type { Diagnostics, Place } from '../diagnostic.ts'
import { isObject, parseInteger, pointer, put, stringifyJson } from '../json.ts'

export type Path = readonly (string | number)[]
export type Environment = Readonly<Record<string, string | undefined>>

/** Computes the place of a path. */
type Locate = (path: Path, part: 'key' | 'value') => Place

/** The path at which a value is written, in the source that it is written in. */
export interface Spot {
  readonly source: Source
  readonly path: Path
}

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
    const locate: Locate = (path, part) => this.locate(origin(path), part)
    return new Source(this.file, value, this.#text, locate, path => this.isPlain(origin(path)))
  }

  /**
   * Returns a source with a value of several sources; `spotOf` maps a path of it to the place where it is written.
   *
   * @param text the text of the source. Default: the value as JSON
   */
  combine(value: unknown, spotOf: (path: Path) => Spot, text?: string): Source {
    return new CombinedSource(this.file, value, spotOf, text)
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

/** A source of several others. A mistake has its place in the file that it is in. */
class CombinedSource extends Source {
  readonly #spotOf: (path: Path) => Spot
  readonly #written: string | undefined

  constructor(file: string, value: unknown, spotOf: (path: Path) => Spot, written: string | undefined) {
    const locate: Locate = (path, part) => this.locate(path, part)
    super(file, value, written ?? (() => stringifyJson(value)), locate)
    this.#spotOf = spotOf
    this.#written = written
  }

  override derive(value: unknown, origin: (path: Path) => Path = path => path): Source {
    return this.combine(value, path => this.#spotOf(origin(path)), this.#written)
  }

  override locate(path: Path, part: 'key' | 'value' = 'value'): Place {
    const spot = this.#spotOf(path)
    return spot.source.locate(spot.path, part)
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

/** Returns the line that begins at an offset, with its credentials masked. */
type Show = (start: number, line: string) => string

/**
 * Returns a function that shows lines of a text with the credentials under `consumers`, and the passwords in URLs, masked,
 * character by character. It
 * reads the text and not its value, because excerpts of a file that cannot be parsed are shown too. The text is searched
 * once, when the first line is shown. The last line is kept, because a file of one line of megabytes may have a thousand
 * mistakes in it.
 */
function withoutSecrets(text: string): Show {
  let secrets: readonly [from: number, to: number] | undefined
  let last: { readonly start: number; readonly shown: string } | undefined
  return (start, line) => {
    secrets ??= secretsOf(text)
    if (last?.start !== start) last = { start, shown: blotted(line, start, secrets).replace(PASSWORD, blotPassword) }
    return last.shown
  }
}

function blotted(line: string, start: number, [from, to]: readonly [from: number, to: number]): string {
  const [left, right] = [Math.max(from - start, 0), Math.min(to - start, line.length)]
  if (left >= right) return line
  const part = line.slice(left, right)
  const shown = /:(?:\s|$)|["']\s*:/.test(part)
    ? part.replace(WORD, (all, date, _, key, at) =>
        // The text behind a colon is a value, even if another colon follows it.
        date !== undefined || (key !== undefined && !followsColon(part, at)) ? all : blot(all),
      )
    : blot(part)
  return line.slice(0, left) + shown + line.slice(right)
}

/** Looks back from an offset over blanks. A search in the text before it would take quadratic time for a long line. */
function followsColon(text: string, offset: number): boolean {
  let at = offset - 1
  while (at >= 0 && /\s/.test(text.charAt(at))) at -= 1
  return text[at] === ':'
}

/** Matches a date, or a word with the colon that makes it a key. */
const WORD =
  /(\bexpires["']?\s*:[^,{}]*)|("[^"]*"|'[^']*'|[^\s,{}:"'](?:[^:,{}]|:(?!\s|$))*|["'].*)((?<=["'])\s*:|\s*:(?=\s|$))?/g

/** Masks a text, except `${NAME}` and punctuation. */
const blot = (value: string): string =>
  value.replace(/\$\{[A-Za-z_]\w*\}|[^\s{}"']/g, part => (part.length > 1 ? part : '•'))

/** Matches the user and the password of a URL up to its host: `//user:password`. */
const PASSWORD = /(\/\/[^\s"':]{0,200}:)([^\s"']{1,500})(?=@)/g

const blotPassword = (_: string, before: string, password: string): string => before + blot(password)

/** Matches the block `consumers` of a file. */
function secretsOf(text: string): [from: number, to: number] {
  const flow = /^\s*\{/.test(text)
  const found = (flow ? /(["']?)\bconsumers\1\s*:/ : /^(["']?)consumers\1\s*:/m).exec(text)
  if (found === null) return [0, 0]
  const from = found.index + found[0].length
  if (!flow) {
    const next = /^[^\s#]/m.exec(text.slice(from))
    return [from, next === null ? text.length : from + next.index]
  }
  let depth = 0
  for (let to = from; to < text.length; to++) {
    if (text[to] === '{') depth += 1
    else if (text[to] === '}' && --depth <= 0) return [from, to]
  }
  return [from, text.length]
}

/** `${NAME}` and `${NAME:-default}`. Environment variables have upper-case names: `${now}` is for a template. */
const VARIABLE = /\$\{([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\}/g

/**
 * Returns the source with its variables filled in, or itself if it has none. An unquoted scalar then gets the YAML type of its
 * new text. Variables that are not set go to `report`, and stay as they are written.
 */
export function fillVariables(source: Source, environment: Environment, report: Diagnostics): Source {
  if (!source.text.includes('${')) return source
  /** The values that have been filled in: an alias stands for the same one. */
  const filled = new Map<object, unknown>()
  const fillText = (text: string, path: Path): unknown => {
    const missing = new Set<string>()
    const made = text.replace(VARIABLE, (_, name: string, fallback?: string) => {
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined
      // As in a shell, `:-` also replaces a variable that is empty.
      if (value !== undefined && (value !== '' || fallback === undefined)) return value
      if (fallback === undefined) missing.add(name)
      return fallback ?? ''
    })
    for (const name of missing) {
      const hint = `set ${name}, or write a default: \${${name}:-value}`
      report.error('missing-variable', `the environment variable ${name} is not set`, source.locate(path), hint)
    }
    if (missing.size > 0 || made === text) return text
    return source.isPlain(path) ? retype(made) : made
  }
  const fill = (value: unknown, path: Path): unknown => {
    if (typeof value === 'string') return value.includes('${') ? fillText(value, path) : value
    if (!Array.isArray(value) && !isObject(value)) return value
    if (filled.has(value)) return filled.get(value)
    const items = Array.isArray(value) ? value.map((item, i) => fill(item, [...path, i])) : fillMembers(value, path)
    filled.set(value, items)
    return items
  }
  const fillMembers = (object: Record<string, unknown>, path: Path): Record<string, unknown> => {
    const members: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(object)) put(members, key, fill(value, [...path, key]))
    return members
  }
  return source.derive(fill(source.value, []))
}

/** Returns the value that an unquoted scalar has as YAML. Only scalars change: a value with a colon or a bracket stays a text. */
function retype(text: string): unknown {
  const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, '': null }
  if (Object.hasOwn(words, text)) return words[text]
  return parseInteger(text) ?? (/^-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : text)
}
