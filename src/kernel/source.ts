// A text file of the author's (YAML or JSON), its value, and the way back from a value to its place in the text.
// The only file that knows the `yaml` library, which words what is wrong; what is sound is read by `events.ts`, ten
// times as fast. Knows nothing of what the files mean.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parse, parseDocument, type Scalar, visit } from 'yaml'
import { Diagnostics, type Place, suggest } from './diagnostic.ts'
import { indexEvents, readQuickly } from './events.ts'
import { MAX_DEPTH, parseJson, pointer } from './json.ts'
import { describeSyntax } from './syntax.ts'

export type Path = readonly (string | number)[]
export type Environment = Readonly<Record<string, string | undefined>>

/** Works out the offsets of a path: from and to. */
type Locate = (path: Path, part: 'key' | 'value') => readonly [number, number]

/** A parsed file. Its value is plain data; a large integer in it is a bigint. */
export class Source {
  readonly file: string
  readonly value: unknown
  readonly #text: string
  readonly #makeLocate: () => Locate
  #locate: WeakRef<{ at: Locate; lines: LineCounter }> | undefined

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
        locating = { at: this.#makeLocate(), lines: countLines(this.#text) }
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

function countLines(text: string): LineCounter {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
  return lines
}

/** Offsets by the tree of the `yaml` library. */
const locateIn =
  (contents: Node | null, resolve: (node: Node | null | undefined) => Node | undefined): Locate =>
  (path, part) => {
    let node = resolve(contents)
    let range = rangeOf(node)
    for (const key of path) {
      let next: Node | undefined
      if (isMap(node)) {
        const pair = node.items.find(({ key: own }) => isScalar(own) && String(own.value) === String(key))
        if (pair === undefined) break
        next = resolve(pair.value as Node | null)
        range = rangeOf(part === 'key' || next === undefined ? (pair.key as Node) : (pair.value as Node))
      } else if (isSeq(node)) {
        const item = node.items[Number(key)] as Node | undefined
        if (item === undefined) break
        next = resolve(item)
        range = rangeOf(item)
      } else break
      node = next
    }
    return range
  }

const rangeOf = (node: Node | undefined): [number, number] => (node?.range ? [node.range[0], node.range[1]] : [0, 0])

function placeAt(file: string, text: string, lines: LineCounter, from: number, to: number): Place {
  const { line, col } = lines.linePos(from)
  const start = lines.lineStarts[line - 1] ?? 0
  const end = text.indexOf('\n', start)
  const whole = text.slice(start, end === -1 ? undefined : end)
  const length = Math.max(1, Math.min(to - from, whole.trimEnd().length - (col - 1)))
  return { file, line: Math.max(1, line), column: Math.max(1, col), length, text: withoutSecrets(text, start, whole) }
}

/**
 * A line as it may be shown: what stands for a credential in `consumers` is blotted out, sign by sign. Goes by the text,
 * since a file that cannot be parsed is shown too.
 */
function withoutSecrets(text: string, start: number, line: string): string {
  const [from, to] = secretsOf(text)
  const [left, right] = [Math.max(from - start, 0), Math.min(to - start, line.length)]
  if (left >= right) return line
  const part = line.slice(left, right)
  const shown = /:(?:\s|$)|["']\s*:/.test(part)
    ? part.replace(WORD, (all, date, _, key, at) =>
        // What follows a colon is no key, though another colon follows it.
        date !== undefined || (key !== undefined && !/:\s*$/.test(part.slice(0, at))) ? all : blot(all),
      )
    : blot(part)
  return line.slice(0, left) + shown + line.slice(right)
}

/** A date, or a word and whether it is a key. */
const WORD =
  /(\bexpires["']?\s*:[^,{}]*)|("[^"]*"|'[^']*'|[^\s,{}:"'](?:[^:,{}]|:(?!\s|$))*|["'].*)((?<=["'])\s*:|\s*:(?=\s|$))?/g

/** Leaves `${NAME}`, which says nothing, and what holds the line together. */
const blot = (value: string): string =>
  value.replace(/\$\{[A-Za-z_]\w*\}|[^\s{}"']/g, part => (part.length > 1 ? part : '•'))

/** From the key `consumers` of a file to the end of what it holds. */
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

/** The place of a file as a whole: for what is wrong before there is a text. */
export const placeOfFile = (file: string): Place => ({ file, line: 1, column: 1, length: 1, text: '' })

/**
 * Reads and parses a file. Whatever is wrong goes to `report`: `no-such-file`, `is-a-directory`, `unreadable-file`,
 * `empty-file`, `syntax`, `duplicate-key`, `alias-bomb`, `missing-variable`. The answer is then `undefined`.
 *
 * @param name how the file is called in messages
 * @param environment where `${NAME}` and `${NAME:-default}` in scalars are looked up; left alone without one
 * @param lenient whether a duplicate key is a warning
 */
export function readSource(
  path: string,
  name: string,
  report: Diagnostics,
  environment?: Environment,
  lenient = false,
): Source | undefined {
  let text: string
  try {
    // A pipe or a device named in a document would keep everybody waiting.
    if (lenient && !statSync(path).isFile()) throw Object.assign(new Error(), { code: 'EISDIR' })
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const place = placeOfFile(name)
    if (code === 'ENOENT' || code === 'ENOTDIR') report.error('no-such-file', 'there is no such file', place)
    else if (code === 'EISDIR') report.error('is-a-directory', 'this is a directory, not a file', place)
    else report.error('unreadable-file', `the file cannot be read (${code})`, place)
    return undefined
  }
  return parseSource(name, text, report, environment, lenient)
}

/** Parses a text; see `readSource`. */
export function parseSource(
  file: string,
  source: string,
  report: Diagnostics,
  environment?: Environment,
  lenient = false,
): Source | undefined {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  if (environment === undefined) {
    const read = readSound(text)
    if (read !== undefined) {
      if (!read.aliased || isBounded(read.value)) return new Source(file, text, read.value, () => locateAnew(text))
      report.error('alias-bomb', 'the aliases of this file multiply beyond all bounds', placeOfFile(file))
      return undefined
    }
  }
  try {
    return parseSlowly(file, text, report, environment, lenient)
  } catch (error) {
    // The library recurses over what it reads.
    if (!(error instanceof RangeError)) throw error
    report.error('too-deep', 'the file is nested too deeply', placeOfFile(file))
    return undefined
  }
}

/** What a sound text holds: JSON by the engine, YAML by its events; `undefined` where somebody must say what is wrong. */
function readSound(text: string): { value: unknown; aliased: boolean } | undefined {
  if (/^\s*[{[]/.test(text)) {
    const parsed = parseJson(text)
    if ('value' in parsed) return { value: parsed.value, aliased: false }
  }
  return readQuickly(text)
}

/** Aliases make one value stand in many places: all of them together must stay finite, and payable. */
function isBounded(value: unknown): boolean {
  const sizes = new Map<object, number>()
  const sizeOf = (item: unknown): number => {
    if (typeof item !== 'object' || item === null) return 1
    const known = sizes.get(item)
    if (known !== undefined) return known
    sizes.set(item, Number.POSITIVE_INFINITY)
    let size = 1
    for (const child of Object.values(item)) size += sizeOf(child)
    sizes.set(item, size)
    return size
  }
  return sizeOf(value) <= MOST_VALUES
}

const MOST_VALUES = 5_000_000

/** Reads by the `yaml` library: environment, and words for whatever is wrong. */
function parseSlowly(
  file: string,
  text: string,
  report: Diagnostics,
  environment: Environment | undefined,
  lenient: boolean,
): Source | undefined {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false, stringKeys: true })
  const fault = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  if (fault !== undefined) {
    const { message, from, to, hint } = describeSyntax(text, fault, openedAt(document, fault.pos[0]))
    report.error('syntax', message, placeAt(file, text, lines, from, to), hint)
  }
  for (const { code, pos } of document.errors) {
    if (code !== 'DUPLICATE_KEY') continue
    const key = /^[\w$./{}-]+/.exec(text.slice(pos[0]))?.[0] ?? ' '
    const place = placeAt(file, text, lines, pos[0], pos[0] + key.length)
    if (lenient) report.warning('duplicate-key', 'this key stands here twice; the last one holds', place)
    else report.error('duplicate-key', 'this key stands here twice', place)
  }
  if (document.errors.some(({ code }) => !lenient || code !== 'DUPLICATE_KEY')) return undefined
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    report.error('empty-file', 'the file is empty', placeOfFile(file))
    return undefined
  }
  if (isTooDeep(document.contents)) {
    report.error('too-deep', `the file is nested deeper than ${MAX_DEPTH} levels`, placeOfFile(file))
    return undefined
  }
  let whole = true
  visit(document, {
    Alias(_, node) {
      if (node.resolve(document) !== undefined) return
      const place = placeAt(file, text, lines, ...rangeOf(node))
      report.error('unknown-alias', `nothing is called &${node.source}`, place, 'quotes make it a text')
      whole = false
    },
    Scalar(_, node) {
      if (typeof node.value === 'string') {
        if (environment !== undefined && node.value.includes('${')) {
          substitute(node, environment, name => {
            const place = placeAt(file, text, lines, ...rangeOf(node))
            const hint = `set ${name}, or write a default: \${${name}:-value}`
            report.error('missing-variable', `the environment variable ${name} is not set`, place, hint)
          })
        }
      } else if (typeof node.value === 'number' && Number.isInteger(node.value) && !Number.isSafeInteger(node.value)) {
        if (/^[-+]?\d+$/.test(node.source ?? '')) node.value = BigInt(node.source as string)
      }
    },
  })
  if (!whole) return undefined
  try {
    const value = document.toJS({ maxAliasCount: 1000 })
    if (!isBounded(value)) throw new RangeError('circular')
    return new Source(file, text, value, () => locateIn(document.contents, resolver(document)))
  } catch {
    let last: Node | undefined
    visit(document, {
      Alias(_, node) {
        last = node
      },
    })
    const place = placeAt(file, text, lines, ...rangeOf(last))
    report.error('alias-bomb', 'the aliases of this file multiply beyond all bounds', place)
    return undefined
  }
}

/** Where the brackets, braces and quotes begin that stand open at an offset. */
function openedAt(document: ReturnType<typeof parseDocument>, at: number): number[] {
  const opened: number[] = []
  const note = (node: Node) => {
    const [from, , to] = node.range ?? [0, 0, 0]
    if (from <= at && at <= to) opened.push(from)
  }
  visit(document, {
    Collection: (_, node) => (node.flow === true ? note(node) : undefined),
    Scalar: (_, node) => (node.type?.startsWith('QUOTE') ? note(node) : undefined),
  })
  return opened
}

/** Faults of a file as a whole, which belong where the file is named. */
const NAMED: Readonly<Record<string, string>> = {
  'no-such-file': 'there is no such file',
  'is-a-directory': 'this is a directory, not a file',
  'unreadable-file': 'this file cannot be read',
  'empty-file': 'this file is empty',
}

/** As `readSource`, for a file that another one names: where there is nothing to read, that is wrong at `from`. */
export function readNamed(
  path: string,
  name: string,
  from: Place,
  report: Diagnostics,
  lenient = false,
): Source | undefined {
  const own = new Diagnostics()
  const source = readSource(path, name, own, undefined, lenient)
  for (const diagnostic of own.list) {
    const message = NAMED[diagnostic.code]
    if (message === undefined) report.add(diagnostic)
    else if (!report.has('missing-variable', from)) {
      const near = diagnostic.code === 'no-such-file' ? suggest(basename(path), filesIn(dirname(path))) : undefined
      report.error(diagnostic.code, `${message}: ${name}`, from, near)
    }
  }
  return source
}

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isTooDeep(node: Node | null, depth = 0): boolean {
  if (depth > MAX_DEPTH) return true
  if (isMap(node)) return node.items.some(({ value }) => isTooDeep(value as Node | null, depth + 1))
  return isSeq(node) && node.items.some(item => isTooDeep(item as Node | null, depth + 1))
}

/** The way back into a text that was sound. */
function locateAnew(text: string): Locate {
  const index = indexEvents(text)
  if (index !== undefined) return index.locate
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false })
  return locateIn(document.contents, resolver(document))
}

const resolver =
  (document: ReturnType<typeof parseDocument>) =>
  (node: Node | null | undefined): Node | undefined =>
    (isAlias(node) ? node.resolve(document) : node) ?? undefined

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/** Replaces `${NAME}` in a scalar; an unquoted one takes the type that its new text has, as YAML would have it. */
function substitute(node: Scalar, environment: Environment, missing: (name: string) => void): void {
  let whole = true
  const text = String(node.value).replace(VARIABLE, (_, name: string, fallback?: string) => {
    const value = environment[name]
    // As in a shell, `:-` also stands in for a variable that is set to nothing.
    if (value !== undefined && (value !== '' || fallback === undefined)) return value
    if (fallback !== undefined) return fallback
    missing(name)
    whole = false
    return ''
  })
  if (whole && text !== node.value) node.value = node.type === 'PLAIN' ? retype(text) : text
}

function retype(text: string): unknown {
  // Only what a scalar can become: a value with a colon or a bracket in it stays the string it is.
  if (!/^(?:-?\d[\d.eE+-]*|true|false|null|)$/.test(text)) return text
  if (/^-?\d{16,}$/.test(text)) return BigInt(text)
  return parse(text)
}
