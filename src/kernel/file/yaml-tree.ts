// Reads what people write by hand, YAML: gateway files, weather and answers, and writes such files. The only file that imports
// the `yaml` library, whose tree tells most about a mistake; it takes a second and 75 MB for each megabyte. Places are found by
// the events of the other reader.

import { Document, isCollection, isPair, isScalar, type Node, parseDocument, visit } from 'yaml'
import { approximate, type Json } from '../json.ts'
import {
  describeSyntax,
  exactNumber,
  type Reading,
  type SyntaxKind,
  type TextFault,
  TOO_MANY_ALIASES,
  unknownAlias,
} from './parsed-text.ts'

/** Reads a text. */
export function readYaml(text: string): Omit<Reading, 'repeated'> {
  const document = parseDocument(text, {
    merge: true,
    prettyErrors: false,
    stringKeys: true,
    // The library compares each key with every other one: half a minute for 60,000 keys.
    uniqueKeys: false,
  })
  const [error] = document.errors
  if (error !== undefined) {
    const { code, message, pos } = error
    const [kind, at = pos[0]] = faultKindOf(text, code, message, pos[0])
    return { faults: [describeSyntax(text, at, kind, message)] }
  }
  const { faults, last } = settleNodes(document)
  if (faults.length > 0) return { faults }
  try {
    return { value: document.toJS({ maxAliasCount: 1000 }), aliased: last !== undefined, faults }
  } catch {
    return { faults: [{ ...TOO_MANY_ALIASES, ...spanOf(last) }] }
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
      if (typeof node.value === 'number') node.value = exactNumber(node.source ?? '', node.value)
    },
  })
  return { faults, last }
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

const spanOf = (node: Node | undefined): { readonly from: number; readonly to: number } => ({
  from: node?.range?.[0] ?? 0,
  to: node?.range?.[1] ?? 0,
})

/** The longest line of a block that is written in braces. */
const WIDTH = 100

/**
 * Writes a value as a person would: short blocks in braces, texts quoted only where another version of YAML would read them as
 * something else.
 *
 * @param comments by the JSON Pointer of the member that they stand above; '' is the head of the file
 */
export function writeYaml(value: Json, comments: ReadonlyMap<string, string> = new Map()): string {
  // Numbers are written as they were read, up to the precision of a number of JavaScript.
  const document = new Document(approximate(value), { compat: 'yaml-1.1', aliasDuplicateObjects: false })
  const style = { lineWidth: 0, flowCollectionPadding: true } as const
  const head = comments.get('')
  if (head !== undefined) document.commentBefore = asComment(head)
  const commented = new Set<unknown>()
  for (const [path, text] of comments) {
    if (path === '') continue
    const keys = path.split('/').slice(1)
    for (let depth = 1; depth < keys.length; depth++) commented.add(document.getIn(keys.slice(0, depth), true))
    const owner = document.getIn(keys.slice(0, -1), true)
    if (!isCollection(owner)) continue
    const pair = owner.items.find(item => isPair(item) && String(item.key) === keys.at(-1))
    if (isPair(pair)) (pair.key as Node).commentBefore = asComment(text)
  }
  visit(document, {
    Pair(_key, { key }) {
      // In quotes it is no merge key.
      if (isScalar(key) && key.value === '<<') key.type = 'QUOTE_DOUBLE'
    },
    Scalar(_key, node) {
      // In quotes the value of an environment variable stays a text.
      if (typeof node.value === 'string' && /\$\{[A-Z]/.test(node.value)) node.type = 'QUOTE_DOUBLE'
    },
    Collection(_key, node, parents) {
      if (parents.length < 5 || node.items.length === 0 || commented.has(node)) return
      const text = JSON.stringify(node.toJSON())
      if (text.length > WIDTH || text.includes('\\n')) return
      node.flow = true
    },
  })
  return document.toString(style)
}

const asComment = (text: string): string => text.replace(/^/gm, ' ')
