// Reads what people write by hand, YAML: gateway files, weather and answers. The only file that imports the `yaml` library,
// whose tree tells most about a mistake; it takes a second and 75 MB for each megabyte. Places are found by the events of the
// other reader.

import { isMap, isScalar, isSeq, type Node, parseDocument, type Scalar, visit } from 'yaml'
import { decimalOf, MAX_DEPTH } from '../json.ts'
import {
  describeSyntax,
  type Reading,
  type SyntaxKind,
  type TextFault,
  TOO_DEEP,
  TOO_MANY_ALIASES,
  unknownAlias,
} from './parsed-text.ts'

/** Reads a text. */
export function readYaml(text: string): Reading {
  const document = parseDocument(text, {
    merge: true,
    prettyErrors: false,
    stringKeys: true,
    // The library compares each key with every other one: half a minute for 60,000 keys.
    uniqueKeys: false,
  })
  const repeated = repeatedKeys(document)
  const [error] = document.errors
  if (error !== undefined) {
    const { code, message, pos } = error
    const [kind, at = pos[0]] = faultKindOf(text, code, message, pos[0])
    return { faults: [describeSyntax(text, at, kind, message)], repeated }
  }
  if (isTooDeep(document.contents)) return { faults: [TOO_DEEP], repeated }
  const { faults, last } = settleNodes(document)
  if (faults.length > 0) return { faults, repeated }
  try {
    return { value: document.toJS({ maxAliasCount: 1000 }), aliased: last !== undefined, faults, repeated }
  } catch {
    return { faults: [{ ...TOO_MANY_ALIASES, ...spanOf(last) }], repeated }
  }
}

type YamlDocument = ReturnType<typeof parseDocument>

/** Finds aliases without anchors, and makes numbers exact. The library would search the whole document for each alias. */
function settleNodes(document: YamlDocument): { readonly faults: TextFault[]; readonly last: Node | undefined } {
  const faults: TextFault[] = []
  const anchors = new Set<string>()
  let last: Node | undefined
  const noteAnchor = (_: unknown, { anchor }: Node) => void (anchor !== undefined && anchors.add(anchor))
  visit(document, {
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
function repeatedKeys(document: YamlDocument): number[] {
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
