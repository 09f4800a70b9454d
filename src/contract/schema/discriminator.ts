// Discriminators (OpenAPI "Discriminator Object"): the property whose value chooses a branch of a union. This file finds
// the branches and gives each its names; `union.ts` makes schemas of them.

import { isObject } from '../../kernel/json.ts'
import { childOf, type Documents, entriesOf, identityOf, itemsOf, type Node } from '../documents.ts'
import { shapeOf } from './shape.ts'

/** A branch of a union, and the values of the discriminating property that choose it. */
export interface Branch {
  readonly node: Node
  /** All values that may name it. A value that names several branches does not decide between them. */
  readonly names: readonly string[]
  /** The values to write: those of the mapping if it has some, else those that no other branch has. */
  readonly preferred: readonly string[]
  readonly requires: boolean
  /** Whether the document states the names, in the mapping or in the branch, so that no other value is right. */
  readonly stated: boolean
  /** Whether `defaultMapping` (OpenAPI 3.2) names it, for values whose property is absent or has no other name. */
  readonly fallback: boolean
}

/** Returns the property that a schema's discriminator names. In Swagger 2.0 the discriminator is the name itself. */
export function discriminatorOf({ value }: Node): string | undefined {
  if (!isObject(value)) return undefined
  const { discriminator } = value
  if (typeof discriminator === 'string') return discriminator
  return isObject(discriminator) && typeof discriminator.propertyName === 'string'
    ? discriminator.propertyName
    : undefined
}

/** Returns the branches of a union with their names; `undefined` if one has none, so that names cannot decide. */
export function branchesOf(
  node: Node,
  union: 'oneOf' | 'anyOf',
  property: string,
  documents: Documents,
): Branch[] | undefined {
  const branches = nameBranches(itemsOf(childOf(node, union)), node, property, documents)
  const named = branches?.every(({ names, fallback }) => names.length > 0 || fallback)
  return named && branches?.some(({ names }) => names.length > 0) ? branches : undefined
}

/**
 * The schemas that a discriminator without a union chooses from: those that extend the parent by `allOf`, directly or
 * through one another, and those that its mapping names.
 */
export function childrenOf(parent: Node, documents: Documents): readonly Branch[] {
  const property = discriminatorOf(parent)
  if (property === undefined) return []
  const { children } = indexOf(documents)
  const identity = identityOf(parent)
  let known = children.get(identity)
  if (known === undefined) {
    const nodes = new Map(extendersOf(identity, documents).map(node => [identityOf(node), node]))
    for (const { target } of mappingOf(parent, documents)) {
      if (identityOf(target) !== identity && isObject(target.value)) nodes.set(identityOf(target), target)
    }
    const named = nameBranches([...nodes.values()], parent, property, documents) ?? []
    known = named.filter(({ names }) => names.length > 0)
    children.set(identity, known)
  }
  return known
}

/** Returns the valid values of a discriminating property in a schema that extends the discriminator's parent by `allOf`. */
export interface OwnNames {
  readonly property: string
  /** Its own and those of the schemas that extend it. */
  readonly names: readonly string[]
  readonly preferred: readonly string[]
  readonly stated: boolean
}

export function ownNamesOf(node: Node, documents: Documents): OwnNames[] {
  const identity = identityOf(node)
  const own: OwnNames[] = []
  const seen = new Set([identity])
  const visit = (at: Node): void => {
    for (const item of itemsOf(childOf(at, 'allOf'))) {
      const ref = isObject(item.value) && typeof item.value.$ref === 'string'
      const parent = ref ? documents.resolve(item) : undefined
      if (parent === undefined || seen.has(identityOf(parent))) continue
      seen.add(identityOf(parent))
      const property = discriminatorOf(parent)
      const found = property === undefined ? undefined : namesWithin(parent, property, identity, documents)
      if (found !== undefined) own.push(found)
      visit(parent)
    }
  }
  visit(node)
  return own
}

function namesWithin(parent: Node, property: string, identity: string, documents: Documents): OwnNames | undefined {
  const union = ['oneOf', 'anyOf'].find(keyword => itemsOf(childOf(parent, keyword)).length > 0)
  const branches =
    union === undefined
      ? childrenOf(parent, documents)
      : (branchesOf(parent, union as 'oneOf' | 'anyOf', property, documents) ?? [])
  const byIdentity = new Map(
    branches.map(branch => [identityOf(documents.resolve(branch.node) ?? branch.node), branch]),
  )
  const own = byIdentity.get(identity)
  if (own === undefined || own.fallback) return undefined
  const further = extendersOf(identity, documents).flatMap(one => byIdentity.get(identityOf(one))?.names ?? [])
  return { property, names: [...new Set([...own.names, ...further])], preferred: own.preferred, stated: own.stated }
}

interface Index {
  /** The schemas of `components` by the identities that their `allOf` refers to. */
  readonly extensions: ReadonlyMap<string, ReadonlySet<Node>>
  readonly children: Map<string, readonly Branch[]>
}

/** Computed once, because it takes a walk over all components. */
const indices = new WeakMap<Documents, Index>()

function indexOf(documents: Documents): Index {
  let index = indices.get(documents)
  if (index === undefined) {
    const extensions = new Map<string, Set<Node>>()
    for (const [, node] of entriesOf(childOf(documents.root, 'components', 'schemas'))) {
      for (const item of itemsOf(childOf(node, 'allOf'))) {
        const ref = isObject(item.value) && typeof item.value.$ref === 'string'
        const target = ref ? documents.resolve(item) : undefined
        if (target === undefined) continue
        const identity = identityOf(target)
        const extending = extensions.get(identity) ?? new Set()
        extensions.set(identity, extending.add(node))
      }
    }
    index = { extensions, children: new Map() }
    indices.set(documents, index)
  }
  return index
}

/** All schemas that extend one by `allOf`, through any number of steps; the schema itself is not among them. */
function extendersOf(identity: string, documents: Documents): Node[] {
  const { extensions } = indexOf(documents)
  const found = new Map<string, Node>()
  const wanted = [identity]
  for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
    for (const node of extensions.get(next) ?? []) {
      const own = identityOf(node)
      if (own === identity || found.has(own)) continue
      found.set(own, node)
      wanted.push(own)
    }
  }
  return [...found.values()]
}

/**
 * Names the candidates of a union. A name in the mapping names its target only. A candidate outside the mapping has the
 * name of its component and the values that it declares itself. Returns `undefined` if a candidate cannot be found.
 */
function nameBranches(
  candidates: readonly Node[],
  holder: Node,
  property: string,
  documents: Documents,
): Branch[] | undefined {
  const mapping = mappingOf(holder, documents)
  const mapped = new Set(mapping.map(({ name }) => name))
  const fallback = defaultOf(holder, documents)
  const drafts = candidates.map(node => {
    const target = documents.resolve(node)
    if (target === undefined) return undefined
    const shape = shapeOf(node, documents)
    const declared = declaredNames(shape.properties.get(property), documents)
    const identity = identityOf(target)
    const mappedTo = mapping.filter(one => identityOf(one.target) === identity).map(({ name }) => name)
    const allowed = (name: string) => declared?.includes(name) ?? true
    const own = mappedTo.filter(allowed)
    const implicit = [componentNameOf(node, target)].filter(name => name !== undefined && !mapped.has(name))
    const free = (declared ?? []).filter(name => !mapped.has(name))
    return {
      node,
      own,
      names: [...new Set([...own, ...free, ...(own.length > 0 ? [] : (implicit as string[]).filter(allowed))])],
      free,
      requires: shape.required.has(property),
      fallback: identity === fallback,
    }
  })
  if (drafts.includes(undefined)) return undefined
  const sound = drafts.filter(draft => draft !== undefined)
  const count = new Map<string, number>()
  for (const { names } of sound) for (const name of names) count.set(name, (count.get(name) ?? 0) + 1)
  return sound.map(({ own, free, ...draft }) => {
    const alone = draft.names.filter(name => count.get(name) === 1)
    const preferred = own.length > 0 ? own : alone.length > 0 ? alone : draft.names
    return { ...draft, preferred, stated: own.length > 0 || free.some(name => alone.includes(name)) }
  })
}

interface Mapped {
  readonly name: string
  readonly target: Node
}

/** Returns the schemas that a mapping names. */
function mappingOf(node: Node, documents: Documents): Mapped[] {
  return entriesOf(childOf(node, 'discriminator', 'mapping')).flatMap(([name, entry]) => {
    const target = targetOf(entry, documents)
    return target === undefined ? [] : [{ name, target }]
  })
}

/** The identity of the schema that `defaultMapping` names (OpenAPI 3.2). */
function defaultOf(node: Node, documents: Documents): string | undefined {
  const target = targetOf(childOf(node, 'discriminator', 'defaultMapping'), documents)
  return target && identityOf(target)
}

/** A mapping has the name of a component, or a reference. */
function targetOf(entry: Node, documents: Documents): Node | undefined {
  if (typeof entry.value !== 'string') return undefined
  const bare = childOf(documents.root, 'components', 'schemas', entry.value)
  const target = bare.value !== undefined ? bare : documents.follow(entry, entry.value)
  return target && documents.resolve(target)
}

/** The last part of the reference by which a branch is named; of a component that is named directly, its key. */
function componentNameOf(node: Node, target: Node): string | undefined {
  const { $ref } = (isObject(node.value) ? node.value : {}) as { $ref?: unknown }
  if (typeof $ref === 'string') return $ref.slice(Math.max($ref.lastIndexOf('/'), $ref.lastIndexOf('#')) + 1)
  const [first, second, name] = target.path
  return first === 'components' && second === 'schemas' && target.path.length === 3 ? String(name) : undefined
}

/** Returns the values that a branch declares for the property; `undefined` if it declares none. */
function declaredNames(property: Node | undefined, documents: Documents): string[] | undefined {
  const node = property && documents.resolve(property)
  if (node === undefined || !isObject(node.value)) return undefined
  const values = Array.isArray(node.value.enum) ? node.value.enum : [node.value.const]
  const names = values.filter(value => typeof value === 'string')
  return names.length > 0 ? names : undefined
}
