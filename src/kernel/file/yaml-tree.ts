// Reads what people write by hand, YAML: gateway files, weather and answers. The only file that imports the `yaml` library,
// whose tree tells most about a mistake; it takes a second and 75 MB for each megabyte.

import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml'
import { decimalOf, MAX_DEPTH } from '../json.ts'
import {
  describeSyntax,
  type ParsedText,
  type Reading,
  type SyntaxKind,
  type TextFault,
  TOO_DEEP,
  TOO_MANY_ALIASES,
  unknownAlias,
} from './parsed-text.ts'
import type { Path } from './source.ts'

/** A text as a tree of nodes. */
export class YamlTree implements ParsedText {
  readonly #text: string
  readonly #document: ReturnType<typeof parseDocument>
  readonly #pairs = new Map<YAMLMap, ReadonlyMap<string, Pair>>()

  constructor(text: string) {
    this.#text = text
    this.#document = parseDocument(text, {
      merge: true,
      prettyErrors: false,
      stringKeys: true,
      // The library compares each key with every other one: half a minute for 60,000 keys.
      uniqueKeys: false,
    })
  }

  read(): Reading {
    const { contents, errors } = this.#document
    const repeated = repeatedKeys(this.#document)
    const [error] = errors
    if (error !== undefined) {
      const { code, message, pos } = error
      const [kind, at = pos[0]] = faultKindOf(this.#text, code, message, pos[0])
      return { faults: [describeSyntax(this.#text, at, kind, message)], repeated }
    }
    if (isTooDeep(contents)) {
      return { faults: [TOO_DEEP], repeated }
    }
    const { faults, last } = this.#settle()
    if (faults.length > 0) return { faults, repeated }
    try {
      return { value: this.#document.toJS({ maxAliasCount: 1000 }), aliased: last !== undefined, faults, repeated }
    } catch {
      return { faults: [{ ...TOO_MANY_ALIASES, ...spanOf(last) }], repeated }
    }
  }

  /** Finds aliases without anchors, and makes numbers exact. The library would search the whole document for each alias. */
  #settle(): { readonly faults: TextFault[]; readonly last: Node | undefined } {
    const faults: TextFault[] = []
    const anchors = new Set<string>()
    let last: Node | undefined
    const noteAnchor = (_: unknown, { anchor }: Node) => void (anchor !== undefined && anchors.add(anchor))
    visit(this.#document, {
      Map: noteAnchor,
      Seq: noteAnchor,
      Alias(_, node) {
        last = node
        if (!anchors.has(node.source)) faults.push({ ...unknownAlias(node.source), ...spanOf(node) })
      },
      Scalar(_, node) {
        noteAnchor(_, node)
        if (typeof node.value === 'number') node.value = exactOf(node.value, node)
      },
    })
    return { faults, last }
  }

  span(path: Path, part: 'key' | 'value'): readonly [number, number] {
    const [node, key] = this.#find(path)
    const { from, to } = spanOf(node)
    if (key === undefined || (part === 'value' && from < to)) return [from, to]
    const shown = spanOf(key)
    return [shown.from, shown.to]
  }

  isPlain(path: Path): boolean {
    const [node] = this.#find(path)
    const target = this.#resolve(node)
    return isScalar(target) && target.type === 'PLAIN'
  }

  /** Returns the deepest node on a path, and its key. */
  #find(path: Path): readonly [node: Node | undefined, key?: Node] {
    let found: readonly [node: Node | undefined, key?: Node] = [this.#document.contents ?? undefined]
    for (const key of path) {
      const node = this.#resolve(found[0])
      if (isMap(node)) {
        const pair = this.#pairsOf(node).get(String(key))
        if (pair === undefined) break
        found = [(pair.value as Node | null) ?? undefined, pair.key as Node]
      } else if (isSeq(node)) {
        const item = node.items[Number(key)] as Node | undefined
        if (item === undefined) break
        found = [item]
      } else break
    }
    return found
  }

  #resolve(node: Node | undefined): Node | undefined {
    return isAlias(node) ? node.resolve(this.#document) : node
  }

  #pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    let pairs = this.#pairs.get(map)
    if (pairs === undefined) {
      // The last of two equal keys counts.
      pairs = new Map(map.items.flatMap(pair => (isScalar(pair.key) ? [[String(pair.key.value), pair] as const] : [])))
      this.#pairs.set(map, pairs)
    }
    return pairs
  }
}

function exactOf(value: number, { source = '' }: Scalar): unknown {
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && /^[-+]?\d+$/.test(source)) return BigInt(source)
  return decimalOf(source) ?? value
}

/** Returns the kind of an error of the library, and its offset if that is not the library's. */
function faultKindOf(
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

/** Returns the offsets of duplicate keys. */
function repeatedKeys(document: ReturnType<typeof parseDocument>): number[] {
  const offsets: number[] = []
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        if (!isScalar(key) || key.value === '<<' || typeof key.value === 'symbol') continue
        const name = String(key.value)
        if (seen.has(name)) offsets.push(spanOf(key).from)
        seen.add(name)
      }
    },
  })
  return offsets
}

function isTooDeep(node: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH) return true
  if (isMap(node)) return node.items.some(({ value }) => isTooDeep(value, depth + 1))
  return isSeq(node) && node.items.some(item => isTooDeep(item, depth + 1))
}

const spanOf = (node: Node | undefined): { readonly from: number; readonly to: number } => ({
  from: node?.range?.[0] ?? 0,
  to: node?.range?.[1] ?? 0,
})
