// Discriminators (OpenAPI "Discriminator Object"): the property whose value chooses a branch of a union. Finds the branches,
// gives each its names, and makes schemas of them: one form for generating values, another for the validator.

import { isObject, mapValues, put } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { RequiredBy } from '../../kernel/schema/keywords.ts'
import { MAP, type Schema } from '../../kernel/schema/schema.ts'
import {
  childOf,
  componentOf,
  type Documents,
  identityOf,
  isReference,
  itemsOf,
  membersOf,
  type Node,
  nameOfFile,
} from '../documents.ts'
import { shapeOf } from './shape.ts'

/** A branch of a union, and the values of the discriminating property that choose it. */
interface Branch {
  readonly node: Node
  /** The identity of the schema that it refers to. */
  readonly identity: string
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
  const property = isObject(discriminator) ? discriminator.propertyName : discriminator
  return typeof property === 'string' ? property : undefined
}

/** Returns the branches of a union with their names; `undefined` if one has none, so that names cannot decide. */
export function branchesOf(
  node: Node,
  union: 'oneOf' | 'anyOf',
  property: string,
  documents: Documents,
): Branch[] | undefined {
  const branches = nameBranches(itemsOf(childOf(node, union)), node, property, documents)
  const isNamed = branches?.every(({ names, fallback }) => names.length > 0 || fallback)
  return isNamed && branches?.some(({ names }) => names.length > 0) ? branches : undefined
}

/**
 * The schemas that a discriminator without a union chooses from: those that extend the parent by `allOf`, directly or
 * through one another, and those that its mapping names.
 */
export function childrenOf(parent: Node, documents: Documents): readonly Branch[] {
  const property = discriminatorOf(parent)
  if (property === undefined) return []
  const { children } = familiesOf(documents)
  const identity = identityOf(parent)
  return getOrMake(children, identity, () => {
    const nodes = new Map(extendersOf(identity, documents).map(node => [identityOf(node), node]))
    for (const { target } of mappingOf(parent, documents)) {
      if (identityOf(target) !== identity && isObject(target.value)) nodes.set(identityOf(target), target)
    }
    const named = nameBranches([...nodes.values()], parent, property, documents) ?? []
    return named.filter(({ names }) => names.length > 0)
  })
}

/** The valid values of a discriminating property in a schema that extends the discriminator's parent by `allOf`. */
interface OwnNames {
  readonly property: string
  /** Its own and those of the schemas that extend it. */
  readonly names: readonly string[]
  readonly preferred: readonly string[]
  readonly stated: boolean
}

/** Steps of `allOf` that are followed: a document with more is hostile. */
const DEEPEST = 64

export function ownNamesOf(node: Node, documents: Documents): OwnNames[] {
  const own: OwnNames[] = []
  const pending = parentsOf(node, documents)
  if (pending.length === 0) return own
  const identity = identityOf(node)
  const seen = new Set([identity])
  const extenders = new Set(extendersOf(identity, documents).map(identityOf))
  for (let parent = pending.shift(); parent !== undefined; parent = pending.shift()) {
    if (seen.has(identityOf(parent)) || seen.size > DEEPEST) continue
    seen.add(identityOf(parent))
    pending.unshift(...parentsOf(parent, documents))
    const property = discriminatorOf(parent)
    const branches = property === undefined ? [] : branchesWithin(parent, property, documents)
    const branch = branches.find(one => one.identity === identity)
    if (property === undefined || branch === undefined || branch.fallback) continue
    const further = branches.filter(one => extenders.has(one.identity)).flatMap(({ names }) => names)
    const { preferred, stated } = branch
    own.push({ property, names: [...new Set([...branch.names, ...further])], preferred, stated })
  }
  return own
}

function branchesWithin(parent: Node, property: string, documents: Documents): readonly Branch[] {
  const union = (['oneOf', 'anyOf'] as const).find(keyword => itemsOf(childOf(parent, keyword)).length > 0)
  return union === undefined ? childrenOf(parent, documents) : (branchesOf(parent, union, property, documents) ?? [])
}

/** Returns the schemas that `allOf` of a schema refers to. */
const parentsOf = (node: Node, documents: Documents): Node[] =>
  itemsOf(childOf(node, 'allOf')).flatMap(item => (isReference(item) && documents.resolve(item)) || [])

interface Families {
  /** The schemas of `components` by the identities of their parents. */
  readonly extensions: ReadonlyMap<string, readonly Node[]>
  /** The children of each discriminator without a union, once asked for. */
  readonly children: Map<string, readonly Branch[]>
}

/** Computed once, because it takes a walk over all components. */
const families = new WeakMap<Documents, Families>()

const familiesOf = (documents: Documents): Families =>
  getOrMake(families, documents, () => {
    const extensions = new Map<string, Node[]>()
    for (const [, node] of membersOf(documents.within(documents.root, 'components', 'schemas'))) {
      for (const identity of new Set(parentsOf(node, documents).map(identityOf)))
        getOrMake(extensions, identity, (): Node[] => []).push(node)
    }
    return { extensions, children: new Map() }
  })

/** All schemas that extend one by `allOf`, through any number of steps; the schema itself is not among them. */
function extendersOf(identity: string, documents: Documents): Node[] {
  const { extensions } = familiesOf(documents)
  const found = new Map<string, Node>()
  let level = [identity]
  for (let depth = 0; level.length > 0 && depth < DEEPEST; depth++) {
    const next = level.flatMap(one => extensions.get(one) ?? []).map(node => [identityOf(node), node] as const)
    const fresh = next.filter(([own]) => own !== identity && !found.has(own))
    for (const [own, node] of fresh) found.set(own, node)
    level = fresh.map(([own]) => own)
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
  const mapping = mappingOf(holder, documents).map(({ name, target }) => ({ name, identity: identityOf(target) }))
  const mapped = new Set(mapping.map(({ name }) => name))
  const fallback = targetOf(childOf(holder, 'discriminator', 'defaultMapping'), documents)
  const drafts = candidates.flatMap(node => {
    const target = documents.resolve(node)
    if (target === undefined) return []
    const { properties, required } = shapeOf(node, documents)
    const declared = declaredNames(properties.get(property), documents)
    const identity = identityOf(target)
    const allowed = (name: string) => declared?.includes(name) ?? true
    const own = mapping.filter(one => one.identity === identity && allowed(one.name)).map(({ name }) => name)
    const implicit = own.length > 0 ? undefined : componentNameOf(node, target)
    const free = (declared ?? []).filter(name => !mapped.has(name))
    const isNamed = implicit !== undefined && !mapped.has(implicit) && allowed(implicit)
    const names = [...new Set([...own, ...free, ...(isNamed ? [implicit] : [])])]
    const isFallback = fallback !== undefined && identityOf(fallback) === identity
    return [{ node, identity, own, free, names, requires: required.has(property), fallback: isFallback }]
  })
  if (drafts.length < candidates.length) return undefined
  const count = new Map<string, number>()
  for (const { names } of drafts) for (const name of names) count.set(name, (count.get(name) ?? 0) + 1)
  return drafts.map(({ own, free, ...draft }) => {
    const alone = draft.names.filter(name => count.get(name) === 1)
    const preferred = own.length > 0 ? own : alone.length > 0 ? alone : draft.names
    return { ...draft, preferred, stated: own.length > 0 || free.some(name => alone.includes(name)) }
  })
}

/** Returns the schemas that a mapping names. */
const mappingOf = (node: Node, documents: Documents): { readonly name: string; readonly target: Node }[] =>
  membersOf(childOf(node, 'discriminator', 'mapping')).flatMap(([name, entry]) => {
    const target = targetOf(entry, documents)
    return target === undefined ? [] : [{ name, target }]
  })

/** A mapping, and `defaultMapping` of OpenAPI 3.2, has the name of a component, or a reference. */
function targetOf(entry: Node, documents: Documents): Node | undefined {
  if (typeof entry.value !== 'string') return undefined
  const bare = childOf(documents.within(documents.root, 'components', 'schemas'), entry.value)
  const target = bare.value !== undefined ? bare : documents.follow(entry, entry.value)
  return target && documents.resolve(target)
}

/** The last part of the reference by which a branch is named; of a component that is named directly, its key. */
function componentNameOf(node: Node, target: Node): string | undefined {
  return isReference(node) ? nameOfFile(node.value.$ref.replace(/#$/, '')) : componentOf(target)
}

/** Returns the values that a branch declares for the property; `undefined` if it declares none. */
function declaredNames(property: Node | undefined, documents: Documents): string[] | undefined {
  const node = property && documents.resolve(property)
  if (node === undefined || !isObject(node.value)) return undefined
  const values = Array.isArray(node.value.enum) ? node.value.enum : [node.value.const]
  const names = values.filter(value => typeof value === 'string')
  return names.length > 0 ? names : undefined
}

/** The data for the validator's form, besides the translated branches. */
export interface Union {
  readonly property: string
  readonly branches: readonly Branch[]
  /** Whether a value that names no branch is also valid: the parent itself. */
  readonly open: boolean
}

/** Unions by their translated branches. */
export type Unions = Map<unknown, Union>

/**
 * Returns the branches, each with the names that choose it, as the value of `anyOf`.
 *
 * @param refer makes the schema of a branch
 */
export function translateUnion(union: Union, refer: (node: Node) => Schema): Schema[] {
  const { property, branches, open } = union
  const all = namesOf(branches)
  const isRequired = open || branches.every(({ requires }) => requires)
  const translated = branches.map(({ node, names, preferred, fallback }) => ({
    allOf: [
      fallback
        ? { properties: { [property]: { not: { enum: all.filter(name => !names.includes(name)) }, named: preferred } } }
        : named(property, names, isRequired, { named: preferred }),
      refer(node),
    ],
  }))
  return open ? [...translated, { properties: { [property]: { not: { enum: all } } } }] : translated
}

/** Returns a schema that limits the discriminating property of a child to the child's names. */
export const translateOwnNames = ({ property, names, preferred, stated }: OwnNames): Schema => ({
  properties: { [property]: { ...(stated ? { enum: names } : {}), named: preferred } },
})

const namesOf = (branches: readonly Branch[]): string[] => [...new Set(branches.flatMap(({ names }) => names))]

/** Returns a schema for values with one of the names. */
const named = (property: string, names: readonly string[], isRequired = true, further: object = {}): Schema => ({
  type: 'object',
  ...(isRequired ? { required: [property] } : {}),
  properties: { [property]: { enum: names, ...further } },
})

/** Writes a union as conditions: the validator enters the named branch only, and reports its mistakes only. */
function conditionsOf(translated: readonly Schema[], { property, branches, open }: Union): Schema[] {
  const parts = branches.map((_, index) => (translated[index] as { allOf: Schema[] }).allOf[1] as Schema)
  const groups = new Map<string, { readonly names: string[]; readonly indices: readonly number[] }>()
  for (const name of namesOf(branches)) {
    const indices = branches.flatMap((branch, index) => (branch.names.includes(name) ? [index] : []))
    getOrMake(groups, indices.join(), () => ({ names: [] as string[], indices })).names.push(name)
  }
  const conditions: Schema[] = [...groups.values()].map(({ names, indices }) => ({
    if: named(property, names),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: indices.length === 1 ? parts[indices[0] as number] : { anyOf: indices.map(index => parts[index]) },
  }))
  if (open) return conditions
  const hasName = named(property, namesOf(branches))
  const fallback = branches.findIndex(branch => branch.fallback)
  if (fallback !== -1) return [{ if: hasName, else: parts[fallback] }, ...conditions]
  if (branches.every(({ requires }) => requires)) return [hasName, ...conditions]
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return [{ if: { type: 'object', required: [property] }, then: hasName, else: { anyOf: parts } }, ...conditions]
}

/** Returns the validator's form of a translated schema: named unions as conditions, one-sided `required` separated. */
export function forValidator(schema: unknown, unions: Unions): unknown {
  if (Array.isArray(schema)) return schema.map(item => forValidator(item, unions))
  if (!isObject(schema)) return schema
  const out: Record<string, unknown> = {}
  const conditions: Schema[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    const union = keyword === 'anyOf' ? unions.get(value) : undefined
    if (union !== undefined) conditions.push(...conditionsOf(value as Schema[], union))
    else if (MAP.has(keyword) && isObject(value)) out[keyword] = mapValues(value, one => forValidator(one, unions))
    else put(out, keyword, DATA.has(keyword) ? value : forValidator(value, unions))
  }
  if (conditions.length > 0) {
    out.allOf = [...((out.allOf as unknown[] | undefined) ?? []), ...conditions.map(one => forValidator(one, unions))]
  }
  const sided = schema.requiredBy as RequiredBy | undefined
  if (Array.isArray(out.required) && Array.isArray(sided?.reply)) {
    out.required = out.required.filter(name => !sided.reply.includes(name as string))
  }
  return out
}

const DATA = new Set(['enum', 'const', 'default', 'example', 'examples'])
