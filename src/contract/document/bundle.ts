// A contract as one JSON document, with the parts of other files that it refers to.

import { isObject, pointer } from '../../kernel/json.ts'
import type { Contract } from '../contract.ts'
import { identityOf, itemsOf, membersOf, type Node } from '../documents.ts'

/** The key for the parts of other files. */
const ELSEWHERE = 'x-referenced'
/** Keys whose values are data: a `$ref` in them refers to nothing. */
const DATA = new Set(['example', 'default', 'enum', 'const'])

/** An object of the bundled document. */
export type DocumentPart = Record<string, unknown>

/** Returns the document of a contract, self-contained. References within it stay as they are; broken ones do too. */
export function bundle(contract: Contract): DocumentPart | undefined {
  const part = contract.at('#/info') ?? contract.at('#/paths')
  if (part === undefined) return undefined
  const { document } = part
  const names = new Map<string, string>()
  const pending: { readonly name: string; readonly node: Node }[] = []
  const nameOf = (target: Node): string => {
    const identity = identityOf(target)
    let name = names.get(identity)
    if (name === undefined) {
      const last = String(target.path.at(-1) ?? 'document').replace(/[^\w.-]/g, '-')
      name = [...names.values()].includes(last) ? `${last}-${names.size}` : last
      names.set(identity, name)
      pending.push({ name, node: target })
    }
    return name
  }
  const copy = (node: Node): unknown => {
    const { value } = node
    if (Array.isArray(value)) return itemsOf(node).map(copy)
    if (!isObject(value)) return value
    const reference = typeof value.$ref === 'string' ? value.$ref : undefined
    const target = reference === undefined ? node : contract.resolve(node)
    const out: DocumentPart = {}
    for (const [key, child] of membersOf(node)) out[key] = DATA.has(key) ? child.value : copy(child)
    if (target === node) return out
    const here = target.document.file === document.file
    // A reference to the document itself may pass through another file, or be written in one.
    if (here && reference?.startsWith('#') && node.document.file === document.file) return out
    return { ...out, $ref: here ? `#${pointer(target.path)}` : `#/${ELSEWHERE}/${nameOf(target)}` }
  }
  const bundled = copy({ document, path: [], value: document.source.value }) as DocumentPart
  const elsewhere: DocumentPart = {}
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) elsewhere[next.name] = copy(next.node)
  return names.size === 0 ? bundled : { ...bundled, [ELSEWHERE]: elsewhere }
}
