// The only file that imports the `yaml` library. It describes the mistakes of invalid texts; `events.ts` reads valid ones,
// ten times as fast.

import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parse,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import { isBounded } from './alias-bound.ts'
import type { Diagnostics, Place } from './diagnostic.ts'
import { fillFrom } from './environment-variables.ts'
import { indexEvents } from './event-index.ts'
import { jsonSpans } from './json-places.ts'
import { type IndexedText, placeAt } from './offset-places.ts'
import { MAX_DEPTH } from './parse-json.ts'
import { withoutSecrets } from './secrets.ts'
import { type Environment, type Locate, type Path, placeOfFile, Source } from './source.ts'
import { describeSyntax } from './syntax.ts'

/** Parses a text as YAML or JSON, fills in environment variables and reports mistakes. */
export function parseYaml(
  file: string,
  text: string,
  report: Diagnostics,
  environment: Environment | undefined,
  lenient: boolean,
): Source | undefined {
  const lineCounter = new LineCounter()
  const page: IndexedText = { file, text, lines: lineCounter, show: withoutSecrets(text) }
  const options = {
    lineCounter,
    merge: true,
    prettyErrors: false,
    stringKeys: true,
    // The library compares each key with every other one: half a minute for 60,000 keys.
    uniqueKeys: false,
  } as const
  const document = parseDocument(text, options)
  const [fault] = document.errors
  if (fault !== undefined) {
    const { message, from, to, hint } = describeSyntax(text, fault, openedAt(document, fault.pos[0]))
    report.error('syntax', message, placeAt(page, from, to), hint)
  }
  const repeated = repeatedKeys(document)
  for (const from of repeated) {
    const key = /^[\w$./{}-]+/.exec(text.slice(from, from + 200))?.[0] ?? ' '
    const place = placeAt(page, from, from + key.length)
    if (lenient) report.warning('duplicate-key', 'duplicate key; the last one is used', place)
    else report.error('duplicate-key', 'duplicate key', place)
  }
  if (fault !== undefined || (!lenient && repeated.length > 0)) return undefined
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    report.error('empty-file', 'the file is empty', placeOfFile(file))
    return undefined
  }
  if (isTooDeep(document.contents)) {
    report.error('too-deep', `the file is nested deeper than ${MAX_DEPTH} levels`, placeOfFile(file))
    return undefined
  }
  let whole = true
  // In the order of the text. The library searches the whole document for each alias.
  const anchors = new Set<string>()
  const noteAnchor = (_: unknown, { anchor }: Node) => void (anchor !== undefined && anchors.add(anchor))
  visit(document, {
    Map: noteAnchor,
    Seq: noteAnchor,
    Alias(_, node) {
      if (anchors.has(node.source)) return
      const place = placeAt(page, ...rangeOf(node))
      report.error(
        'unknown-alias',
        `unknown alias: the file has no anchor &${node.source}`,
        place,
        'put it in quotes if it is text',
      )
      whole = false
    },
    Scalar(_, node) {
      noteAnchor(_, node)
      if (typeof node.value === 'string') {
        if (environment !== undefined && node.value.includes('${')) {
          const fill = fillFrom(environment, retype, name => {
            const place = placeAt(page, ...rangeOf(node))
            const hint = `set ${name}, or write a default: \${${name}:-value}`
            report.error('missing-variable', `the environment variable ${name} is not set`, place, hint)
          })
          node.value = node.type === 'PLAIN' ? fill.plain(node.value) : fill.quoted(node.value)
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
    return new Source(file, value, text, () => placing(file, text, locateIn(document.contents, resolver(document))))
  } catch {
    let last: Node | undefined
    visit(document, {
      Alias(_, node) {
        last = node
      },
    })
    const place = placeAt(page, ...rangeOf(last))
    report.error('alias-bomb', 'the aliases of this file expand to too many values', place)
    return undefined
  }
}

/** Returns the offsets of duplicate keys. */
function repeatedKeys(document: ReturnType<typeof parseDocument>): number[] {
  const offsets: number[] = []
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        if (!isScalar(key) || key.value === '<<' || typeof key.value === 'symbol') continue
        const name = String(key.value)
        if (seen.has(name)) offsets.push(rangeOf(key)[0])
        seen.add(name)
      }
    },
  })
  return offsets
}

/** Returns the offsets of the brackets, braces and quotes that are open at an offset. */
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

function isTooDeep(node: Node | null, depth = 0): boolean {
  if (depth > MAX_DEPTH) return true
  if (isMap(node)) return node.items.some(({ value }) => isTooDeep(value as Node | null, depth + 1))
  return isSeq(node) && node.items.some(item => isTooDeep(item as Node | null, depth + 1))
}

/** Returns the offsets of a path: from and to. */
type SpanOf = (path: Path, part: 'key' | 'value') => readonly [number, number]

/** Converts offsets in a text to places. */
function placing(file: string, text: string, span: SpanOf): Locate {
  const page = { file, text, lines: linesOf(text), show: withoutSecrets(text) }
  return (path, part) => placeAt(page, ...span(path, part))
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
  return lines
}

/** Returns the place of an offset. */
export const placeOfOffset = (file: string, text: string, at: number): Place =>
  placeAt({ file, text, lines: linesOf(text), show: withoutSecrets(text) }, at, at + 1)

/** Finds offsets in the tree of the `yaml` library. */
const locateIn = (contents: Node | null, resolve: (node: Node | null | undefined) => Node | undefined): SpanOf => {
  const indexes = new Map<YAMLMap, ReadonlyMap<string, Pair>>()
  const pairsOf = (map: YAMLMap): ReadonlyMap<string, Pair> => {
    const known = indexes.get(map)
    if (known !== undefined) return known
    const pairs = new Map<string, Pair>()
    for (const pair of map.items) {
      if (isScalar(pair.key) && !pairs.has(String(pair.key.value))) pairs.set(String(pair.key.value), pair)
    }
    indexes.set(map, pairs)
    return pairs
  }
  return (path, part) => {
    let node = resolve(contents)
    let range = rangeOf(node)
    for (const key of path) {
      let next: Node | undefined
      if (isMap(node)) {
        const pair = pairsOf(node).get(String(key))
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
}

const rangeOf = (node: Node | undefined): [number, number] => (node?.range ? [node.range[0], node.range[1]] : [0, 0])

/** Finds places in a valid JSON text. */
export const locateJson = (file: string, text: string): Locate => placing(file, text, jsonSpans(text))

/** Finds places in a valid text. */
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

/** Returns the value that an unquoted scalar has as YAML. */
export function retype(text: string): unknown {
  // Only scalars change their type: a value with a colon or a bracket stays a string.
  if (!/^(?:-?\d[\d.eE+-]*|true|false|null|)$/.test(text)) return text
  if (/^-?\d{16,}$/.test(text)) return BigInt(text)
  return parse(text)
}
