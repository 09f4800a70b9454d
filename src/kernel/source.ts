// A text file of the author's (YAML or JSON), its value, and the way back from a value to its place in the text.
// The only file that knows the YAML library. Knows nothing of what the files mean.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parse, parseDocument, type Scalar, visit } from 'yaml'
import { Diagnostics, type Place, suggest } from './diagnostic.ts'
import { parseJson } from './json.ts'
import { describeSyntax } from './syntax.ts'

export type Path = readonly (string | number)[]
export type Environment = Readonly<Record<string, string | undefined>>

interface Located {
  readonly contents: Node | null
  readonly lines: LineCounter
  resolve(node: Node | null | undefined): Node | undefined
}

/** A parsed file. Its value is plain data; a large integer in it is a bigint. */
export class Source {
  readonly file: string
  readonly value: unknown
  readonly #text: string
  #located: (() => Located) | Located

  constructor(file: string, text: string, value: unknown, located: () => Located) {
    this.file = file
    this.value = value
    this.#text = text
    this.#located = located
  }

  /**
   * The place of the value at `path`, or of the key it hangs on. A path that leads nowhere is placed at the deepest
   * part of it that exists.
   */
  locate(path: Path, part: 'key' | 'value' = 'value'): Place {
    if (typeof this.#located === 'function') this.#located = this.#located()
    const { contents, resolve, lines } = this.#located
    let node = resolve(contents)
    let [from, to] = rangeOf(node)
    for (const key of path) {
      let next: Node | undefined
      if (isMap(node)) {
        const pair = node.items.find(({ key: own }) => isScalar(own) && String(own.value) === String(key))
        if (pair === undefined) break
        next = resolve(pair.value as Node | null)
        ;[from, to] = rangeOf(part === 'key' || next === undefined ? (pair.key as Node) : (pair.value as Node))
      } else if (isSeq(node)) {
        const item = node.items[Number(key)] as Node | undefined
        if (item === undefined) break
        next = resolve(item)
        ;[from, to] = rangeOf(item)
      } else break
      node = next
    }
    return placeAt(this.file, this.#text, lines, from, to)
  }
}

const rangeOf = (node: Node | undefined): [number, number] => (node?.range ? [node.range[0], node.range[1]] : [0, 0])

function placeAt(file: string, text: string, lines: LineCounter, from: number, to: number): Place {
  const { line, col } = lines.linePos(from)
  const start = lines.lineStarts[line - 1] ?? 0
  const end = text.indexOf('\n', start)
  const whole = text.slice(start, end === -1 ? undefined : end)
  const length = Math.max(1, Math.min(to - from, whole.trimEnd().length - (col - 1)))
  return { file, line: Math.max(1, line), column: Math.max(1, col), length, text: whole }
}

/** The place of a file as a whole: for what is wrong before there is a text. */
export const placeOfFile = (file: string): Place => ({ file, line: 1, column: 1, length: 1, text: '' })

/**
 * Reads and parses a file. Whatever is wrong goes to `report`: `no-such-file`, `is-a-directory`, `unreadable-file`,
 * `empty-file`, `syntax`, `duplicate-key`, `alias-bomb`, `missing-variable`. The answer is then `undefined`.
 *
 * @param name how the file is called in messages
 * @param environment where `${NAME}` and `${NAME:-default}` in scalars are looked up; left alone without one
 */
export function readSource(
  path: string,
  name: string,
  report: Diagnostics,
  environment?: Environment,
): Source | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const place = placeOfFile(name)
    if (code === 'ENOENT' || code === 'ENOTDIR') report.error('no-such-file', 'there is no such file', place)
    else if (code === 'EISDIR') report.error('is-a-directory', 'this is a directory, not a file', place)
    else report.error('unreadable-file', `the file cannot be read (${code})`, place)
    return undefined
  }
  return parseSource(name, text, report, environment)
}

/** Parses a text; see `readSource`. */
export function parseSource(
  file: string,
  source: string,
  report: Diagnostics,
  environment?: Environment,
): Source | undefined {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  // JSON is read by the engine, a hundred times faster; its places are worked out only when something is wrong.
  if (environment === undefined && /^\s*[{[]/.test(text)) {
    const parsed = parseJson(text)
    if ('value' in parsed) return new Source(file, text, parsed.value, () => locateIn(text))
  }
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
    report.error('duplicate-key', 'this key stands here twice', place)
  }
  if (document.errors.length > 0) return undefined
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    report.error('empty-file', 'the file is empty', placeOfFile(file))
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
    return new Source(file, text, value, () => ({ contents: document.contents, lines, resolve: resolver(document) }))
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
export function readNamed(path: string, name: string, from: Place, report: Diagnostics): Source | undefined {
  const own = new Diagnostics()
  const source = readSource(path, name, own)
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

function locateIn(text: string): Located {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  return { contents: document.contents, lines, resolve: resolver(document) }
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
  return parse(text)
}
