// Compares what is read of a YAML text with what the `yaml` library reads of it: the value, and the place of each value.

import { isDeepStrictEqual } from 'node:util'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { parseSource } from '../../src/kernel/file/read-source.ts'
import type { Path, Source } from '../../src/kernel/file/source.ts'
import { approximate, type Json } from '../../src/kernel/json.ts'

const OPTIONS = { schema: 'core', merge: true, stringKeys: true, resolveKnownTags: false, logLevel: 'error' } as const
/** Mistakes that are no mistakes of YAML. */
const OURS = new Set(['empty-file', 'alias-bomb', 'too-deep', 'file-too-large'])
/** The most values of a document whose places are compared. */
const MOST_PLACES = 2000

/** Returns the first difference of a text, or `undefined`. */
export function differenceOf(text: string, kind: 'gateway' | 'contract' | 'records'): string | undefined {
  const report = new Diagnostics()
  const source = parseSource('a.yaml', text, report, kind)
  const bare = text.replace(/^\uFEFF/, '')
  if (source === undefined) {
    const [{ code, message, place } = { code: '', message: '', place: { line: 0 } }] = report.unsorted
    const isRefused = OURS.has(code) || parseDocument(bare, OPTIONS).errors.length > 0 || hasUnknownAlias(bare)
    return isRefused ? undefined : `line ${place.line} is refused: ${message}`
  }
  const counter = new LineCounter()
  const document = parseDocument(bare, { ...OPTIONS, uniqueKeys: false, lineCounter: counter })
  if (document.errors.length > 0) {
    const warned = report.list.some(({ code }) => code === 'text-indentation')
    return warned || kind !== 'gateway' ? undefined : `is read, although: ${document.errors[0]?.message}`
  }
  const value = approximate(source.value as Json)
  const expected: unknown = document.toJS({ maxAliasCount: -1 })
  if (!isDeepStrictEqual(JSON.stringify(sorted(value)), JSON.stringify(sorted(expected)))) return 'another value'
  return placeDifference(source, document, counter)
}

const hasUnknownAlias = (text: string): boolean => {
  try {
    parseDocument(text, OPTIONS).toJS({ maxAliasCount: -1 })
    return false
  } catch {
    return true
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([key, member]) => [key, sorted(member)] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

function placeDifference(source: Source, document: Document, counter: LineCounter): string | undefined {
  let count = 0
  const differs = (node: Node, path: Path, part: 'key' | 'value'): string | undefined => {
    const [from, to] = node.range ?? [0, 0]
    const { line, col } = counter.linePos(from)
    const place = source.locate(path, part)
    if (from === to || (place.line === line && place.column === col)) return undefined
    return `${part} ${path.join('/')} is at ${place.line}:${place.column}, not ${line}:${col}`
  }
  const walk = (node: unknown, path: Path): string | undefined => {
    count += 1
    if (count > MOST_PLACES || isAlias(node)) return undefined
    if (isScalar(node)) return differs(node, path, 'value')
    if (isSeq(node)) return node.items.map((item, i) => walk(item, [...path, i])).find(text => text !== undefined)
    if (!isMap<Node>(node)) return undefined
    const members = new Map(node.items.map(pair => [String(isScalar(pair.key) ? (pair.key.value ?? '') : ''), pair]))
    return [...members]
      .map(([name, { key, value }]) => differs(key, [...path, name], 'key') ?? walk(value, [...path, name]))
      .find(text => text !== undefined)
  }
  return walk(document.contents, [])
}
