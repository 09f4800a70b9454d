// The places in a YAML or JSON text, by the syntax tree of the editor's language: the keys of the path to the cursor, and the
// place of a value.

import { yamlLanguage } from '@codemirror/lang-yaml'
import { parsePointer } from '../../kernel/json.ts'

type YamlNode = ReturnType<typeof yamlLanguage.parser.parse>['topNode']

/** The offsets of a part of a text. */
export interface TextRange {
  readonly from: number
  readonly to: number
}

const keyOfPair = (pair: YamlNode, text: string): string => {
  const { from = 0, to = 0 } = pair.getChild('Key') ?? {}
  return text.slice(from, to).replace(/^(["'])(.*)\1$/s, '$2')
}

/** Returns the keys of the path to the mapping or the value of a node; an item of a list is `-`. */
function pathOfNode(node: YamlNode, text: string): readonly string[] {
  const path: string[] = []
  for (let below = node; below.parent !== null; below = below.parent) {
    if (below.parent.name === 'Item') path.unshift('-')
    if (below.parent.name === 'Pair' && below.name !== 'Key') path.unshift(keyOfPair(below.parent, text))
  }
  return path
}

interface TextCursor {
  readonly path: readonly string[]
  /** Set where a value is being written: the key that it belongs to is the last of the path. */
  readonly inValue: boolean
  /** The word before the cursor, and where it begins. */
  readonly word: string
  readonly from: number
}

/** Returns the cursor's place in a text. */
export function cursorAt(text: string, position: number): TextCursor {
  const before = text.slice(0, position)
  const word = /[\w$./ -]*$/.exec(before)?.[0].trimStart() ?? ''
  // The text is as if it ended in the word that is being typed.
  const typed = `${before}${before.endsWith(':') ? ' ' : ''}x`
  const node = yamlLanguage.parser.parse(typed).resolveInner(typed.length, -1)
  const { name, from = 0 } = node.parent ?? {}
  const inValue = name === 'Pair' && !typed.slice(from).includes('\n')
  return { path: pathOfNode(node, typed), inValue, word, from: position - word.length }
}

/** Returns the path of the key at a position, and its place; undefined where there is none. */
export function keyAt(text: string, position: number): ({ readonly path: readonly string[] } & TextRange) | undefined {
  const key = yamlLanguage.parser.parse(text).resolveInner(position, 1).parent
  const pair = key?.parent
  if (key?.name !== 'Key' || !pair) return undefined
  return { path: [...pathOfNode(pair, text), keyOfPair(pair, text)], from: key.from, to: key.to }
}

/** Returns the place of a value in a JSON text, or the beginning of the deepest part of the JSON Pointer that exists. */
export function placeOfValue(text: string, pointer: string): TextRange {
  const valueIn = (node: YamlNode | null | undefined): YamlNode | null => node?.lastChild ?? null
  let value = valueIn(yamlLanguage.parser.parse(text).topNode.getChild('Document'))
  for (const step of parsePointer(pointer) ?? []) {
    const pair = value?.getChildren('Pair').find(child => keyOfPair(child, text) === step)
    const next = valueIn(pair ?? value?.getChildren('Item')[Number(step)])
    if (next === null) break
    value = next
  }
  const { from = 0, to = 1 } = value ?? {}
  return { from, to: /^[[{]/.test(text.slice(from)) ? from + 1 : to }
}
