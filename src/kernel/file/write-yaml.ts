// Writes YAML as a person would. The only file that imports the `yaml` library.

import { Document, isCollection, isPair, isScalar, type Node, visit } from 'yaml'
import { approximate, type Json } from '../json.ts'

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
