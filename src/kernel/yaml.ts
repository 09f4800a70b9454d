// The only file that knows the `yaml` library, which words what is wrong with a text; what is sound is read by `events.ts`, ten
// times as fast.

import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parse, parseDocument, type Scalar, visit } from 'yaml'
import type { Diagnostics, Place } from './diagnostic.ts'
import { indexEvents } from './events.ts'
import { MAX_DEPTH } from './json.ts'
import { withoutSecrets } from './secrets.ts'
import { type Environment, type Locate, type Path, placeOfFile, Source } from './source.ts'
import { describeSyntax } from './syntax.ts'

/** Parses a text as YAML, of which JSON is a part: the environment, and words for whatever is wrong. */
export function parseYaml(
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
    return new Source(file, value, () => placing(file, text, locateIn(document.contents, resolver(document))))
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

/** Aliases make one value stand in many places: all of them together must stay finite, and payable. */
export function isBounded(value: unknown): boolean {
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

function isTooDeep(node: Node | null, depth = 0): boolean {
  if (depth > MAX_DEPTH) return true
  if (isMap(node)) return node.items.some(({ value }) => isTooDeep(value as Node | null, depth + 1))
  return isSeq(node) && node.items.some(item => isTooDeep(item as Node | null, depth + 1))
}

/** Works out the offsets of a path: from and to. */
type Span = (path: Path, part: 'key' | 'value') => readonly [number, number]

/** The places that offsets mean in a text. */
function placing(file: string, text: string, span: Span): Locate {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
  return (path, part) => placeAt(file, text, lines, ...span(path, part))
}

/** A stretch of a text as it is shown: its line, and what of it is meant. */
function placeAt(file: string, text: string, lines: LineCounter, from: number, to: number): Place {
  const { line, col } = lines.linePos(from)
  const start = lines.lineStarts[line - 1] ?? 0
  const end = text.indexOf('\n', start)
  const whole = text.slice(start, end === -1 ? undefined : end)
  const length = Math.max(1, Math.min(to - from, whole.trimEnd().length - (col - 1)))
  return { file, line: Math.max(1, line), column: Math.max(1, col), length, text: withoutSecrets(text, start, whole) }
}

/** Offsets by the tree of the `yaml` library. */
const locateIn =
  (contents: Node | null, resolve: (node: Node | null | undefined) => Node | undefined): Span =>
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

/** The way back into a text that was sound. */
export function locateAnew(file: string, text: string): Locate {
  const index = indexEvents(text)
  if (index !== undefined) return placing(file, text, index.locate)
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false })
  return placing(file, text, locateIn(document.contents, resolver(document)))
}

const resolver =
  (document: ReturnType<typeof parseDocument>) =>
  (node: Node | null | undefined): Node | undefined =>
    (isAlias(node) ? node.resolve(document) : node) ?? undefined

/** Environment variables have upper-case names: `${now}` is for a template. */
const VARIABLE = /\$\{([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\}/g

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
