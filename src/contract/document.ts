// The documents a contract is written in: nodes, the references between them, and their places. Local and file `$ref`s
// only; nothing is ever fetched. Knows the syntax of references and nothing of OpenAPI.

import { dirname, relative, resolve } from 'node:path'
import { type Diagnostics, type Place, suggest } from '../kernel/diagnostic.ts'
import { isObject, parsePointer, pointer } from '../kernel/json.ts'
import { type Path, readSource, type Source } from '../kernel/source.ts'

/** One document: a file, or the part of a file below `base` (a contract written inline). */
export interface Document {
  /** Absolute. */
  readonly file: string
  readonly source: Source
  readonly base: Path
}

/** A value in a document. */
export interface Node {
  readonly document: Document
  /** From the document's own root. */
  readonly path: Path
  readonly value: unknown
}

export const childOf = (node: Node, ...keys: Path): Node => ({
  document: node.document,
  path: [...node.path, ...keys],
  value: keys.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    node.value,
  ),
})

/** The entries of an object, as nodes; none for anything else. */
export const entriesOf = (node: Node): [string, Node][] =>
  isObject(node.value) ? Object.keys(node.value).map(key => [key, childOf(node, key)]) : []

export const itemsOf = (node: Node): Node[] =>
  Array.isArray(node.value) ? node.value.map((_, index) => childOf(node, index)) : []

export const placeOf = (node: Node, part: 'key' | 'value' = 'value'): Place =>
  node.document.source.locate([...node.document.base, ...node.path], part)

/** One name per place in the documents: two references to the same place are the same thing. */
export const identityOf = (node: Node): string => `${node.document.file}#${pointer(node.path)}`

export class Documents {
  readonly root: Node
  readonly #report: Diagnostics
  /** Where file names in messages are relative to. */
  readonly #home: string
  readonly #documents = new Map<string, Document | undefined>()

  constructor(root: Document, home: string, report: Diagnostics) {
    this.#report = report
    this.#home = home
    this.#documents.set(root.file, root)
    this.root = rootOf(root)
  }

  /** Every file that was read, or looked for: a change to one of them changes the contract. */
  get files(): string[] {
    return [...this.#documents.keys()]
  }

  /** Follows `$ref`s to the first node that is none; `undefined` once it has reported why that cannot be. */
  resolve(node: Node): Node | undefined {
    const trail = new Set<string>()
    let current = node
    while (isObject(current.value) && typeof current.value.$ref === 'string') {
      const identity = identityOf(current)
      if (trail.has(identity)) {
        this.#report.error('circular-ref', 'this reference leads back to itself', placeOf(childOf(node, '$ref')))
        return undefined
      }
      trail.add(identity)
      const target = this.#follow(childOf(current, '$ref'), current.value.$ref)
      if (target === undefined) return undefined
      current = target
    }
    return current
  }

  #follow(from: Node, reference: string): Node | undefined {
    const fail = (message: string, hint?: string): undefined =>
      void this.#report.error('unresolvable-ref', message, placeOf(from), hint)
    if (/^[a-z][a-z0-9+.-]+:|^\/\//i.test(reference)) {
      return fail(`"${reference}" is remote, and nothing is fetched`, 'save the document beside this one')
    }
    const [file = '', fragment = ''] = reference.split('#', 2)
    const document = file === '' ? from.document : this.#read(from, decode(file))
    if (document === undefined) return undefined
    const keys = parsePointer(decode(fragment))
    if (keys === undefined) return fail(`"${reference}" is not a JSON Pointer`, 'a pointer begins with #/')
    let node = rootOf(document)
    for (const key of keys) {
      const holder = node
      node = childOf(holder, key)
      if (node.value === undefined) {
        const known = isObject(holder.value) ? Object.keys(holder.value) : []
        return fail(`"${reference}" leads nowhere: there is no "${key}"`, suggest(key, known))
      }
    }
    return node
  }

  #read(from: Node, name: string): Document | undefined {
    const file = resolve(dirname(from.document.file), name)
    if (!this.#documents.has(file)) {
      const before = this.#report.list.length
      const source = readSource(file, relative(this.#home, file) || file, this.#report)
      this.#documents.set(file, source && { file, source, base: [] })
      if (source === undefined && this.#report.list.length > before) {
        this.#report.error('unresolvable-ref', `"${name}" cannot be read`, placeOf(from))
      }
    }
    return this.#documents.get(file)
  }
}

const rootOf = (document: Document): Node => {
  const whole: Node = { document: { ...document, base: [] }, path: [], value: document.source.value }
  return { document, path: [], value: childOf(whole, ...document.base).value }
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
