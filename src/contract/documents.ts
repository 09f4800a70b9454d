// The documents of a contract: nodes, references between them, and places. Only local and file `$ref`s; nothing is ever
// fetched. Depends on the syntax of references only, not on OpenAPI.

import { basename, dirname, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Diagnostics, type Place, suggest } from '../kernel/diagnostic.ts'
import { isBelow, readNamed, readSource, realOf } from '../kernel/file/read-source.ts'
import type { Path, Source } from '../kernel/file/source.ts'
import { Decimal, isObject, memberAt, parsePointer, pointer } from '../kernel/json.ts'
import { attempted, getOrMake } from '../kernel/memo.ts'
import { decodeComponent } from './paths.ts'

/** A document: the value of a file, or a part of it (an inline contract). */
export interface Document {
  /** Absolute. */
  readonly file: string
  readonly source: Source
  /** The files that it was made of, if these are several. */
  readonly others?: readonly string[] | undefined
}

/** A value in a document. */
export interface Node {
  readonly document: Document
  /** The path from the document's root. */
  readonly path: Path
  readonly value: unknown
}

export const childOf = ({ document, path, value }: Node, ...keys: Path): Node => ({
  document,
  path: [...path, ...keys],
  value: memberAt(value, keys),
})

/** Returns the members of an object as nodes; none for other values. */
export const membersOf = (node: Node): [string, Node][] =>
  isObject(node.value) ? Object.keys(node.value).map(key => [key, childOf(node, key)]) : []

export const itemsOf = (node: Node): Node[] =>
  Array.isArray(node.value) ? node.value.map((_, index) => childOf(node, index)) : []

/** The branches of the unions of a schema. */
export const branchesIn = (node: Node): Node[] => ['oneOf', 'anyOf'].flatMap(keyword => itemsOf(childOf(node, keyword)))

export const placeOf = ({ document, path }: Node, part: 'key' | 'value' = 'value'): Place =>
  document.source.locate(path, part)

/** Identifies a place in the documents: two references to one place have the same identity. */
export const identityOf = (node: Node): string => `${node.document.file}#${pointer(node.path)}`

/** Returns the name of a schema of the components of any document; other nodes have none. */
export const componentOf = ({ path }: Node): string | undefined =>
  path.length === 3 && path[0] === 'components' && path[1] === 'schemas' ? String(path[2]) : undefined

/** Returns the name of a schema in a file other than the contract's first: that of a component, of a key at the top, or of the file. */
export function nameElsewhere(node: Node): string | undefined {
  const { path } = node
  const isTop = path.length < 2 || (path.length === 2 && !/^(?:properties|(?:all|any|one)Of)$/.test(String(path[0])))
  return isTop || componentOf(node) !== undefined ? ownName(node) : undefined
}

/** Returns the last key of the path to a schema; at the top of a file, the name of the file. */
export const ownName = ({ path, document }: Node): string => String(path.at(-1) ?? nameOfFile(document.file))

/** `Book` for `schemas/Book.yaml` and `schemas/Book.schema.json`. */
export const nameOfFile = (file: string): string => basename(file).replace(/(?:\.schema)?\.(?:ya?ml|json)$/i, '')

const step = (at: Node, key: string): Node => childOf(at, Array.isArray(at.value) ? Number(key) : key)

const rootOf = (document: Document): Node => ({ document, path: [], value: document.source.value })

export const isReference = (node: Node): node is Node & { readonly value: { readonly $ref: string } } =>
  isObject(node.value) && typeof node.value.$ref === 'string'

/** Returns whether there is a value: `key:` without one is `null` in YAML. */
export const isGiven = ({ value }: Node): boolean => value !== undefined && value !== null

export class Documents {
  readonly root: Node
  /** Whether the contract is of OpenAPI 3.0, in which references stand alone. */
  readonly legacy: boolean
  readonly #report: Diagnostics
  /** The folder that file names in messages are relative to: files below it may be read, too. */
  readonly #home: string
  /** A further folder that its files may be in. */
  readonly #admitted: string | undefined
  /** The folders that its files may be in; found for the first file. */
  #folders: readonly string[] | undefined
  readonly #documents = new Map<string, Document | undefined>()
  readonly #identifiers = new Map<string, Identifiers>()
  /** The schemas by the absolute URI of their `$id`. */
  readonly #byUri = new Map<string, Node>()
  /** The schemas that no document has, by identity. */
  readonly #made = new Map<string, Node>()
  readonly #warned = new Set<string>()
  /** The last reference to a file that may not be read, and how to admit it. */
  outside: { readonly from: Node; readonly hint: string } | undefined
  /** The outcomes of `resolve`, by the object that holds `$ref`. */
  readonly #resolved = new WeakMap<object, { readonly target: Node | undefined }>()

  constructor(root: Document, home: string, report: Diagnostics, admitted?: string) {
    this.#report = report
    this.#home = home
    this.#admitted = admitted && resolve(home, admitted)
    this.#documents.set(root.file, root)
    this.root = rootOf(root)
    this.legacy = /^3(?:\.0|$)/.test(String(childOf(this.root, 'openapi').value).trim())
  }

  /** Every file that was read or looked for. A change to one of them changes the contract. */
  get files(): string[] {
    return [...new Set([...this.#documents.keys(), ...(this.root.document.others ?? [])])]
  }

  warn(code: string, message: string, node: Node, part: 'key' | 'value' = 'value', hint?: string): undefined {
    this.#report.warning(code, message, placeOf(node, part), hint)
    return undefined
  }

  /** Warns of a mistake that a document repeats: only the first place is reported. */
  warnOnce(code: string, message: string, node: Node, hint: string): void {
    if (!this.#warned.has(code)) this.warn(code, message, node, 'key', hint)
    this.#warned.add(code)
  }

  /** Returns the node below another one. Each step may be a reference. */
  within(node: Node, ...keys: Path): Node {
    return keys.reduce<Node>((at, key) => {
      const child = childOf(at, key)
      return this.resolve(child) ?? child
    }, node)
  }

  /** Returns the node at a JSON Pointer, `#/paths/a`, or at one into a file that was read, `schemas/a.yaml#/properties`. */
  at(reference: string): Node | undefined {
    const [file = ''] = reference.split('#', 1)
    const document = this.#documents.get(resolve(dirname(this.root.document.file), file))
    const root = file === '' ? this.root : document && rootOf(document)
    // A JSON Pointer in URI fragment form (RFC 6901 §6).
    const fragment = decode(reference.slice(file.length + 1))
    const keys = fragment.startsWith('/') ? parsePointer(fragment) : undefined
    const node = root && keys?.reduce((at, key) => this.#orMade(step(at, key)), root)
    return node?.value === undefined ? undefined : node
  }

  #orMade(node: Node): Node {
    return node.value === undefined ? (this.#made.get(identityOf(node)) ?? node) : node
  }

  /** Keeps a schema that the document does not have, where it would stand, so that references find it. */
  make(node: Node, value: unknown): Node {
    const made = { ...node, value }
    this.#made.set(identityOf(node), made)
    return made
  }

  /** Follows `$ref`s to the first node without one. Returns `undefined` after reporting why that is impossible. */
  resolve(node: Node): Node | undefined {
    const trail = new Set<object>()
    let current: Node | undefined = node
    while (current !== undefined && isReference(current)) {
      const known = this.#resolved.get(current.value)
      if (known === undefined && trail.has(current.value)) {
        current = this.warn('circular-ref', 'this reference resolves to itself', childOf(node, '$ref'))
      } else {
        trail.add(current.value)
        current = known === undefined ? this.follow(childOf(current, '$ref'), current.value.$ref) : known.target
      }
    }
    // A chain of references may be long, so the outcome is kept for each.
    for (const value of trail) this.#resolved.set(value, { target: current })
    return current
  }

  /** Returns the node that the reference at `from` leads to, in one step. */
  follow(from: Node, reference: string): Node | undefined {
    const fail = (message: string, hint?: string): undefined =>
      this.warn('unresolvable-ref', message, from, 'value', hint)
    const [target = ''] = reference.split('#', 1)
    const fragment = decode(reference.slice(target.length + 1))
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
    const keys = parsePointer(fragment) ?? []
    const has = (at: Node) => keys[0] === undefined || step(at, keys[0]).value !== undefined
    let node = resource
    // Tools that split a document leave such pointers, and tools that join files accept them.
    if (target === '' && !has(node) && has(this.root)) {
      node = this.root
      const message = `"${reference}" is in another file; it is looked for in ${this.root.document.source.file}`
      this.warnOnce('ref-to-first-file', message, from, 'begin the reference with the name of the file')
    }
    for (const key of keys) {
      const holder = node
      node = step(holder, key)
      // A pointer may lead through a reference; bundling tools write such pointers.
      if (node.value === undefined && isReference(holder) && identityOf(holder) !== identityOf(from)) {
        const through = this.resolve(holder)
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
    const home = this.#identifiersOf(from.document).resourceOf(from.path)
    if (target === '') return childOf(rootOf(from.document), ...home.path)
    const uri = URL.canParse(target, home.uri) ? new URL(target, home.uri).href : undefined
    const identified = uri === undefined ? undefined : this.#byUri.get(uri)
    if (identified !== undefined) return identified
    if (/^(?!file:)(?:[a-z][a-z0-9+.-]+:|\/\/)/i.test(target)) return 'remote'
    let file: string | undefined = decode(target)
    if (/^file:/i.test(target)) file = uri && attempted(() => fileURLToPath(uri))
    if (file === undefined) return this.warn('unresolvable-ref', `"${target}" is not a file`, from)
    const document = this.#read(from, file)
    return document && rootOf(document)
  }

  #identifiersOf(document: Document): Identifiers {
    return getOrMake(this.#identifiers, document.file, () => {
      const made = new Identifiers(document.source.value, pathToFileURL(document.file).href)
      for (const [uri, path] of made.byUri) getOrMake(this.#byUri, uri, () => childOf(rootOf(document), ...path))
      return made
    })
  }

  #read(from: Node, name: string): Document | undefined {
    // An overlay may have written the reference.
    const { file: written } = placeOf(from)
    const isOwn = written === from.document.source.file
    const file = resolve(dirname(isOwn ? from.document.file : resolve(this.#home, written)), name)
    if (this.#documents.has(file)) {
      return this.#documents.get(file) ?? this.warn('unresolvable-ref', `"${name}" cannot be read`, from)
    }
    // A document of strangers must not show other files of this computer, nor by links.
    const root = this.root.document.file
    this.#folders ??= [dirname(root), dirname(realOf(root)), this.#home, this.#admitted ?? this.#home]
    if (!isBelow(this.#folders, file)) {
      const hint = `admit its folder: --root ${relative(this.#home, dirname(file))}`
      this.outside = { from, hint }
      const message = `"${name}" is outside the folder of the contract and the working directory`
      return this.warn('outside-file', message, from, 'value', hint)
    }
    // Mistakes in a referenced file do not invalidate the rest of the contract, unless a reload would lose the file.
    const report = new Diagnostics()
    const source = readNamed(file, relative(this.#home, file) || file, placeOf(from), report, 'contract')
    roundBeyondExamples(source?.value)
    const document = source && { file, source }
    this.#documents.set(file, document)
    const severity = document === undefined && this.#report.loses(file) ? 'error' : 'warning'
    for (const one of report.unsorted) this.#report[severity](one.code, one.message, one.place, one.hint)
    return document
  }
}

const decode = (text: string): string => decodeComponent(text) ?? text

/** Keywords whose values are data and not schemas. A property may have such a name. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const', 'value'])

interface SchemaResource {
  readonly uri: string
  readonly path: Path
}

/**
 * The names that schemas give themselves inside one document: `$id`, `$anchor`, `$dynamicAnchor` (JSON Schema 2020-12 §8.2),
 * and OpenAPI 3.2's `$self`. Depends on the places of names, not on the meaning of schemas.
 */
class Identifiers {
  /** The path of each schema by the absolute URI of its `$id`. */
  readonly byUri = new Map<string, Path>()
  readonly #root: SchemaResource
  readonly #resources = new Map<string, SchemaResource>()
  readonly #anchors = new Map<string, Path>()
  readonly #dynamic = new Map<string, Map<string, Path>>()
  /** The path of the visited node: copied for each name only, because documents are large and names are few. */
  readonly #trail: (string | number)[] = []

  /** @param uri of the document itself */
  constructor(value: unknown, uri: string) {
    const self = isObject(value) && typeof value.$self === 'string' ? absolute(value.$self, uri) : undefined
    this.#root = { uri: self ?? uri, path: [] }
    if (self !== undefined) this.byUri.set(self, [])
    this.#visit(value, this.#root)
  }

  /** Returns the schema resource that contains a path: its base URI and its root. */
  resourceOf(path: Path): SchemaResource {
    for (let length = this.#resources.size === 0 ? 0 : path.length; length > 0; length--) {
      const found = this.#resources.get(path.slice(0, length).join('\n'))
      if (found !== undefined) return found
    }
    return this.#root
  }

  /** Returns the path of an anchor inside a resource. */
  anchor(resource: Path, name: string): Path | undefined {
    return this.#anchors.get(`${resource.join('\n')}#${name}`) ?? this.#anchors.get(`#${name}`)
  }

  /** The dynamic anchors at a schema, and in its own `$defs`. */
  dynamicAnchors(path: Path): ReadonlyMap<string, Path> {
    return (this.#dynamic.size === 0 ? undefined : this.#dynamic.get(path.join('\n'))) ?? NO_ANCHORS
  }

  #visit(node: unknown, resource: SchemaResource): void {
    if (typeof node !== 'object' || node === null) return
    const isList = Array.isArray(node)
    const here = isList ? resource : this.#name(node as Record<string, unknown>, resource)
    for (const key of Object.keys(node)) {
      if (DATA.has(key) && this.#trail.at(-1) !== 'properties') continue
      this.#trail.push(isList ? Number(key) : key)
      this.#visit((node as Record<string, unknown>)[key], here)
      this.#trail.pop()
    }
  }

  #name(node: Readonly<Record<string, unknown>>, resource: SchemaResource): SchemaResource {
    const path = () => [...this.#trail]
    let here = resource
    const id = typeof node.$id === 'string' && this.#trail.length > 0 ? node.$id.split('#', 1)[0] : undefined
    const uri = id === undefined ? undefined : absolute(id, resource.uri)
    if (uri !== undefined) {
      here = { uri, path: path() }
      this.byUri.set(uri, here.path)
      this.#resources.set(this.#trail.join('\n'), here)
    }
    for (const name of [node.$anchor, node.$dynamicAnchor]) {
      if (typeof name !== 'string') continue
      this.#anchors.set(`${here.path.join('\n')}#${name}`, path())
      if (!this.#anchors.has(`#${name}`)) this.#anchors.set(`#${name}`, path())
    }
    if (typeof node.$dynamicAnchor !== 'string') return here
    const owner = (this.#trail.at(-2) === '$defs' ? this.#trail.slice(0, -2) : this.#trail).join('\n')
    getOrMake(this.#dynamic, owner, () => new Map()).set(node.$dynamicAnchor, path())
    return here
  }
}

const NO_ANCHORS: ReadonlyMap<string, Path> = new Map()

const absolute = (reference: string, base: string): string | undefined =>
  URL.canParse(reference, base) ? new URL(reference, base).href : undefined

/** Reads an OpenAPI document; see `readSource`. Its duplicate keys are warnings, and its decimals are rounded beyond examples. */
export function readDocument(path: string, name: string, report: Diagnostics): Source | undefined {
  const source = readSource(path, name, report, 'contract')
  roundBeyondExamples(source?.value)
  return source
}

/**
 * Replaces each `Decimal` of a parsed document by the nearest double, in place. The examples of bodies (`content.*.example`,
 * `content.*.examples`, `components.examples`) keep theirs, because they are sent as they are written.
 *
 * @param key the key of `value`, below `owner`
 */
export function roundBeyondExamples(value: unknown, key = '', owner = '', depth = 0): void {
  if (typeof value !== 'object' || value === null) return
  const isMedia = owner === 'content' && key.includes('/')
  const isComponents = depth === 1 && key === 'components'
  const members = value as Record<string, unknown>
  for (const name in members) {
    const item = members[name]
    if (typeof item !== 'object' || item === null) continue
    if ((isMedia && name === 'example') || ((isMedia || isComponents) && name === 'examples')) continue
    if (item instanceof Decimal) members[name] = Number(item)
    else roundBeyondExamples(item, Array.isArray(value) ? '' : name, key, depth + 1)
  }
}
