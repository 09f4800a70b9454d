// Reads YAML as a tree of the `yaml` library, which accepts more texts than the other reader and tells most about a mistake: files that
// people write by hand, and every text that the other reader refuses. It takes a second and 75 MB for each megabyte.

import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from 'yaml'
import { isObject, MAX_DEPTH, put } from '../json.ts'
import { getOrMake } from '../memo.ts'
import {
  BINARY_FILE,
  describeSyntax,
  exactNumber,
  type ParsedText,
  type Reading,
  type SyntaxKind,
  type TextFault,
  TOO_DEEP,
  TOO_MANY_ALIASES,
  unknownAlias,
} from './parsed-text.ts'
import type { Path } from './source.ts'

type Child = { readonly key?: Node; readonly value: Node | null }

export class YamlTree implements ParsedText {
  readonly #text: string
  readonly #root: Node | null = null
  readonly #values = new TreeValues()
  readonly #members = new Map<YAMLMap, ReadonlyMap<string, Child>>()
  readonly #reading: Reading

  constructor(text: string) {
    this.#text = text
    // The library accepts it, but only a binary file has it.
    const binary = text.indexOf('\0')
    if (binary !== -1) {
      this.#reading = { faults: [{ code: BINARY_FILE, message: 'this is a binary file, or not UTF-8' }], repeated: [] }
      return
    }
    const { contents, errors } = parseDocument(text, {
      schema: 'core',
      prettyErrors: false,
      resolveKnownTags: false,
      stringKeys: true,
      // The library compares each key with every other one: half a minute for 60,000 keys.
      uniqueKeys: false,
    })
    this.#root = contents
    const [error] = errors
    if (error !== undefined) {
      this.#reading = { faults: [faultOf(text, error)], repeated: [] }
      return
    }
    const value = this.#values.of(contents)
    const { faults, repeated, last } = this.#values
    this.#reading = { value, alias: last && offsetsOf(last), faults, repeated }
  }

  read(): Reading {
    return this.#reading
  }

  span(path: Path, part: 'key' | 'value'): readonly [from: number, to: number] {
    const { key, value } = this.#find(path)
    const [from, to] = value === null ? [0, 0] : offsetsOf(value)
    if (key !== undefined && (part === 'key' || from === to)) {
      const [start, end] = offsetsOf(key)
      // An empty key is its colon.
      return start < end ? [start, end] : this.#signAt(this.#text.indexOf(':', start))
    }
    // An empty item is its dash.
    return from < to ? [from, to] : this.#signAt(this.#text.lastIndexOf('-', from))
  }

  #signAt(at: number): readonly [from: number, to: number] {
    return [Math.max(0, at), Math.max(0, at) + 1]
  }

  isPlain(path: Path): boolean {
    const node = this.#targetOf(this.#find(path).value)
    return isScalar(node) && node.type === 'PLAIN'
  }

  /** Returns the deepest node on a path, and its key. */
  #find(path: Path): Child {
    let child: Child = { value: this.#root }
    for (const step of path) {
      const next = this.#childOf(this.#targetOf(child.value), step)
      if (next === undefined) break
      child = next
    }
    return child
  }

  #targetOf(node: Node | null): Node | null {
    return isAlias(node) ? (this.#values.targets.get(node) ?? node) : node
  }

  #childOf(node: Node | null, step: string | number): Child | undefined {
    if (isSeq<Node | null>(node)) {
      const value = node.items[Number(step)]
      return value === undefined ? undefined : { value }
    }
    if (!isMap<Node, Node | null>(node)) return undefined
    const members = getOrMake(
      this.#members,
      node,
      () => new Map(node.items.map(({ key, value }) => [nameOf(key), { key, value }])),
    )
    return members.get(String(step))
  }
}

/** The number of members that merge keys may copy: one map may be merged into thousands. */
const MOST_MERGED = 100_000

/**
 * Makes the values of nodes. The library would search all anchors for each alias, and would copy without a bound for merge keys.
 */
class TreeValues {
  readonly faults: TextFault[] = []
  /** The offsets of duplicate keys. */
  readonly repeated: number[] = []
  readonly targets = new Map<Alias, Node>()
  last: Alias | undefined
  readonly #anchors = new Map<string, { readonly node: Node; value?: unknown }>()
  #merged = 0

  of(node: Node | null, depth = 0): unknown {
    if (isAlias(node)) return this.#ofAlias(node)
    const anchored = isScalar(node) || isMap(node) || isSeq(node) ? this.#noteAnchor(node) : undefined
    if (isMap<Node, Node | null>(node) || isSeq<Node | null>(node)) {
      const value = isSeq(node) ? [] : {}
      // Set before the items, so that an alias among them is a cycle and not unknown.
      if (anchored !== undefined) anchored.value = value
      if (depth >= MAX_DEPTH) this.#refuse(TOO_DEEP)
      else if (isSeq<Node | null>(node))
        for (const item of node.items) (value as unknown[]).push(this.of(item, depth + 1))
      else this.#fill(value as Record<string, unknown>, node, depth + 1)
      return value
    }
    if (!isScalar(node)) return null
    const value = typeof node.value === 'number' ? exactNumber(node.source ?? '', node.value) : node.value
    if (anchored !== undefined) anchored.value = value
    return value
  }

  #noteAnchor(node: Node & { anchor?: string }): { readonly node: Node; value?: unknown } | undefined {
    if (node.anchor === undefined) return undefined
    const anchored = { node }
    this.#anchors.set(node.anchor, anchored)
    return anchored
  }

  #ofAlias(alias: Alias): unknown {
    this.last = alias
    const anchored = this.#anchors.get(alias.source)
    if (anchored === undefined) {
      const [from, to] = offsetsOf(alias)
      this.faults.push({ ...unknownAlias(alias.source), from, to })
      return undefined
    }
    this.targets.set(alias, anchored.node)
    return anchored.value
  }

  #fill(members: Record<string, unknown>, map: YAMLMap<Node, Node | null>, depth: number): void {
    const seen = new Set<string>()
    for (const { key, value } of map.items) {
      const name = nameOf(key)
      if (isScalar(key) && key.type === 'PLAIN' && name === '<<') {
        this.#merge(members, this.of(value, depth), key)
        continue
      }
      this.of(key)
      if (seen.has(name)) this.repeated.push(offsetsOf(key)[0])
      seen.add(name)
      put(members, name, this.of(value, depth))
    }
  }

  #merge(members: Record<string, unknown>, merged: unknown, key: Node): void {
    for (const source of Array.isArray(merged) ? merged : [merged]) {
      if (!isObject(source)) {
        const [from, to] = offsetsOf(key)
        this.#refuse({ code: 'syntax', message: 'only maps can be merged', from, to })
        return
      }
      for (const [name, value] of Object.entries(source)) {
        this.#merged += 1
        if (this.#merged > MOST_MERGED) {
          this.#refuse(TOO_MANY_ALIASES)
          return
        }
        if (!Object.hasOwn(members, name)) put(members, name, value)
      }
    }
  }

  /** Notes a mistake, once of each code. */
  #refuse(fault: TextFault): void {
    if (this.faults.every(({ code }) => code !== fault.code)) this.faults.push(fault)
  }
}

const nameOf = (key: Node): string => (isScalar(key) ? String(key.value ?? '') : '')

const offsetsOf = ({ range }: Node): readonly [from: number, to: number] => [range?.[0] ?? 0, range?.[1] ?? 0]

type LibraryError = ReturnType<typeof parseDocument>['errors'][number]

function faultOf(text: string, { code, message, pos }: LibraryError): TextFault {
  // The library reads a nested value with one call a level, and reports a full stack.
  if (code === 'RESOURCE_EXHAUSTION') return TOO_DEEP
  if (code === 'MULTIPLE_DOCS')
    return { code: 'syntax', message: 'the file has more than one document', from: pos[0], to: pos[0] + 1 }
  const [kind, at = pos[0]] = kindOf(text, code, message, pos[0])
  return describeSyntax(
    text,
    at,
    kind,
    code === 'NON_STRING_KEY' ? 'a key must be a text, not a list or a map' : message,
  )
}

/** Returns the kind of an error of the library, and its offset if that is not the library's. */
function kindOf(
  text: string,
  code: string,
  message: string,
  at: number,
): readonly [kind: SyntaxKind | undefined, at?: number] {
  if (/must (?:be sufficiently indented and )?end with|Missing closing/.test(message)) return ['unclosed']
  if (code === 'TAB_AS_INDENT') return ['tab']
  if (code === 'BAD_INDENT') return ['indent']
  if (code === 'BLOCK_IN_FLOW') return ['colons between braces']
  if (code === 'BAD_SCALAR_START') return ['beginning']
  if (code === 'UNEXPECTED_TOKEN' && message.includes('at node end')) return ['surplus']
  if (code === 'MULTILINE_IMPLICIT_KEY' || code === 'MISSING_CHAR')
    return [message.includes('flow') ? 'no comma' : 'no colon']
  if (code !== 'BLOCK_AS_IMPLICIT_KEY') return [undefined]
  const end = text.indexOf('\n', at)
  return /:\s/.test(text.slice(at, end === -1 ? undefined : end)) ? ['colons'] : ['indent', end + 1]
}
