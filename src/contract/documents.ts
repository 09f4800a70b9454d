// The documents of a contract: nodes, references between them, and places. Only local and file `$ref`s; nothing is ever
// fetched. Depends on the syntax of references only, not on OpenAPI.

import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Diagnostics, type Place, suggest } from '../kernel/diagnostic.ts'
import { isObject, parsePointer, pointer } from '../kernel/json.ts'
import type { Path, Source } from '../kernel/source.ts'
import { readDocument } from './example-decimals.ts'
import { type Identifiers, readIdentifiers } from './identifiers.ts'

/** A document: a file, or the part of a file below `base` (an inline contract). */
export interface Document {
  /** Absolute. */
  readonly file: string
  readonly source: Source
  readonly base: Path
}

/** A value in a document. */
export interface Node {
  readonly document: Document
  /** The path from the document's root. */
  readonly path: Path
  readonly value: unknown
}

export const childOf = (node: Node, ...keys: Path): Node => ({
  document: node.document,
  path: [...node.path, ...keys],
  value: keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    node.value,
  ),
})

/** Returns the members of an object as nodes; none for other values. */
export const entriesOf = (node: Node): [string, Node][] =>
  isObject(node.value) ? Object.keys(node.value).map(key => [key, childOf(node, key)]) : []

export const itemsOf = (node: Node): Node[] =>
  Array.isArray(node.value) ? node.value.map((_, index) => childOf(node, index)) : []

export const placeOf = (node: Node, part: 'key' | 'value' = 'value'): Place =>
  node.document.source.locate([...node.document.base, ...node.path], part)

/** Identifies a place in the documents: two references to one place have the same identity. */
export const identityOf = (node: Node): string => `${node.document.file}#${pointer(node.path)}`

/** The node at a JSON Pointer in URI fragment form (RFC 6901 §6), `#/a/b`, below another; `undefined` if there is none. */
export function nodeAt(root: Node, fragment: string): Node | undefined {
  const steps = fragment.startsWith('#/') ? parsePointer(decode(fragment.slice(1))) : undefined
  if (steps === undefined) return undefined
  const node = steps.reduce((at, key) => childOf(at, Array.isArray(at.value) ? Number(key) : key), root)
  return node.value === undefined ? undefined : node
}

export class Documents {
  readonly root: Node
  /** Whether the contract is of OpenAPI 3.0, in which references stand alone. */
  readonly legacy: boolean
  readonly #report: Diagnostics
  /** The folder that file names in messages are relative to. */
  readonly #home: string
  readonly #documents = new Map<string, Document | undefined>()
  readonly #identifiers = new Map<string, Identifiers>()
  /** The outcomes of `resolve`, by the object that holds `$ref`; an alias puts one object at several places. */
  readonly #resolved = new WeakMap<object, { readonly path: Path; readonly target: Node | undefined }>()

  constructor(root: Document, home: string, report: Diagnostics) {
    this.#report = report
    this.#home = home
    this.#documents.set(root.file, root)
    this.root = rootOf(root)
    this.legacy = /^3(?:\.0|$)/.test(String(childOf(this.root, 'openapi').value).trim())
  }

  /** Every file that was read or looked for. A change to one of them changes the contract. */
  get files(): string[] {
    return [...this.#documents.keys()]
  }

  warn(code: string, message: string, node: Node, part: 'key' | 'value' = 'value', hint?: string): undefined {
    this.#report.warning(code, message, placeOf(node, part), hint)
    return undefined
  }

  /** Follows `$ref`s to the first node without one. Returns `undefined` after reporting why that is impossible. */
  resolve(node: Node): Node | undefined {
    if (!isReference(node)) return node
    const trail = new Map<string, Node & { readonly value: object }>()
    let current: Node | undefined = node
    while (current !== undefined && isReference(current)) {
      const known = this.#resolved.get(current.value)
      if (known !== undefined && isSamePath(known.path, current.path)) {
        current = known.target
        break
      }
      const identity = identityOf(current)
      if (trail.has(identity)) {
        this.#report.warning('circular-ref', 'this reference resolves to itself', placeOf(childOf(node, '$ref')))
        current = undefined
        break
      }
      trail.set(identity, current)
      current = this.follow(childOf(current, '$ref'), current.value.$ref)
    }
    for (const { path, value } of trail.values()) this.#resolved.set(value, { path, target: current })
    return current
  }

  /** Returns the node that the reference at `from` leads to, in one step. */
  follow(from: Node, reference: string): Node | undefined {
    const fail = (message: string, hint?: string): undefined =>
      void this.#report.warning('unresolvable-ref', message, placeOf(from), hint)
    const hash = reference.indexOf('#')
    const target = hash === -1 ? reference : reference.slice(0, hash)
    const fragment = hash === -1 ? '' : decode(reference.slice(hash + 1))
    const resource = this.#resource(from, target)
    if (resource === 'remote') {
      return fail(`"${reference}" is remote, and remote files are not fetched`, 'save the document beside this one')
    }
    if (resource === undefined) return undefined
    if (fragment !== '' && !fragment.startsWith('/')) {
      const anchored = this.#identifiersOf(resource.document).anchor(resource.path, fragment)
      if (anchored !== undefined) return childOf(rootOf(resource.document), ...anchored)
      return fail(`cannot resolve "${reference}": there is no anchor "${fragment}"`, 'begin a JSON Pointer with #/')
    }
    let node = resource
    for (const key of parsePointer(fragment) ?? []) {
      const holder = node
      node = childOf(holder, Array.isArray(holder.value) ? Number(key) : key)
      // A pointer may lead through a reference; bundling tools write such pointers.
      if (node.value === undefined && isObject(holder.value) && typeof holder.value.$ref === 'string') {
        const through = identityOf(holder) === identityOf(from) ? undefined : this.resolve(holder)
        if (through !== undefined) node = childOf(through, key)
      }
      if (node.value === undefined) {
        const known = isObject(holder.value) ? Object.keys(holder.value) : []
        return fail(`cannot resolve "${reference}": there is no "${key}"`, suggest(key, known))
      }
    }
    return node
  }

  /** The schemas with a `$dynamicAnchor` at or below the top of a schema, by name. */
  dynamicAnchors(node: Node): ReadonlyMap<string, Node> {
    const found = this.#identifiersOf(node.document).dynamicAnchors(node.path)
    return new Map([...found].map(([name, path]) => [name, childOf(rootOf(node.document), ...path)]))
  }

  /** Returns the root of a reference without its fragment: a schema with that `$id`, or a file. */
  #resource(from: Node, target: string): Node | 'remote' | undefined {
    const own = this.#identifiersOf(from.document)
    const home = own.resourceOf(from.path)
    if (target === '') return childOf(rootOf(from.document), ...home.path)
    const uri = URL.canParse(target, home.uri) ? new URL(target, home.uri).href : undefined
    if (uri !== undefined) {
      for (const [file, identifiers] of this.#identifiers) {
        const path = identifiers.byUri.get(uri)
        const document = this.#documents.get(file)
        if (path !== undefined && document !== undefined) return childOf(rootOf(document), ...path)
      }
    }
    if (/^file:/i.test(target)) {
      const file = uri === undefined ? undefined : pathOf(uri)
      if (file === undefined) this.#report.warning('unresolvable-ref', `"${target}" is not a file`, placeOf(from))
      const document = file === undefined ? undefined : this.#read(from, file)
      return document && rootOf(document)
    }
    if (/^[a-z][a-z0-9+.-]+:|^\/\//i.test(target)) return 'remote'
    const document = this.#read(from, decode(target))
    return document && rootOf(document)
  }

  #identifiersOf(document: Document): Identifiers {
    let known = this.#identifiers.get(document.file)
    if (known === undefined) {
      known = readIdentifiers(rootOf(document).value, pathToFileURL(document.file).href)
      this.#identifiers.set(document.file, known)
    }
    return known
  }

  #read(from: Node, name: string): Document | undefined {
    const file = resolve(dirname(from.document.file), name)
    if (!this.#documents.has(file)) {
      // Mistakes in a referenced file do not invalidate the rest of the contract.
      const report = new Diagnostics()
      const source = readDocument(file, relative(this.#home, file) || file, report)
      this.#documents.set(file, source && { file, source, base: [] })
      for (const one of report.first(report.size)) this.#report.warning(one.code, one.message, one.place, one.hint)
    }
    const document = this.#documents.get(file)
    if (document === undefined) this.#report.warning('unresolvable-ref', `"${name}" cannot be read`, placeOf(from))
    return document
  }
}

const isReference = (node: Node): node is Node & { readonly value: { readonly $ref: string } } =>
  isObject(node.value) && typeof node.value.$ref === 'string'

const isSamePath = (a: Path, b: Path): boolean => a.length === b.length && a.every((key, i) => key === b[i])

const rootOf = (document: Document): Node => {
  if (document.base.length === 0) return { document, path: [], value: document.source.value }
  const whole: Node = { document: { ...document, base: [] }, path: [], value: document.source.value }
  return { document, path: [], value: childOf(whole, ...document.base).value }
}

const pathOf = (uri: string): string | undefined => {
  try {
    return fileURLToPath(uri)
  } catch {
    return undefined
  }
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The name of a schema of the components; other nodes have none. */
export const componentOf = ({ path }: Node): string | undefined =>
  path.length === 3 && path[0] === 'components' && path[1] === 'schemas' ? String(path[2]) : undefined

/** The value of the schema that contains a node. */
export function parentValue(child: Node, root: Node): unknown {
  let value: unknown = root.value
  for (const key of child.path.slice(root.path.length, -1))
    value = (value as Record<string, unknown> | undefined)?.[key]
  return value
}
