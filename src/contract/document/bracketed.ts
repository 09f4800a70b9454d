// Reads form fields that spell a path in brackets: `items[0][price]=p_1`, `metadata[key]=v`, `tags[]=a`. The schema gives
// the types, and says what is a list.

import { put } from '../../kernel/json.ts'
import { childOf, entriesOf, identityOf, itemsOf, type Node } from '../documents.ts'
import { type FieldValues, type ParameterRead, type Types, typed } from './parameter-text.ts'
import type { ContractReading } from './reading.ts'

/** More brackets than any schema has: such a name is an ordinary one. */
const DEEPEST = 32
const INDEX = /^\d{1,6}$/
const TEXT: Types = new Set(['string'])

/** The keys in the brackets behind `name`; `undefined` for a field of another name. */
export function keysBehind(name: string, field: string): string[] | undefined {
  if (!field.startsWith(`${name}[`) || !field.endsWith(']')) return undefined
  const keys = field.slice(name.length + 1, -1).split('][')
  return keys.length > DEEPEST || keys.some(key => /[[\]]/.test(key)) ? undefined : keys
}

interface KeyTree {
  readonly texts: string[]
  readonly children: Map<string, KeyTree>
}

const newBranch = (): KeyTree => ({ texts: [], children: new Map() })

/** Compiles a reader of the fields behind one property; `undefined` from it where there are none. */
export function compileBracketed(
  name: string,
  node: Node,
  reading: ContractReading,
): (fields: FieldValues) => ParameterRead | undefined {
  // Made when it is first needed: most properties of most forms never are.
  let place: SchemaPlace | undefined
  return fields => {
    const root = newBranch()
    for (const [field, texts] of fields) {
      const keys = keysBehind(name, field)
      if (keys === undefined) continue
      let at = root
      for (const key of keys) {
        const next = at.children.get(key) ?? newBranch()
        at.children.set(key, next)
        at = next
      }
      at.texts.push(...texts)
    }
    if (root.children.size === 0) return undefined
    const found = { exact: false }
    place ??= new SchemaPlace([node], reading)
    return { value: read(root, place, found), exact: found.exact }
  }
}

function read(branch: KeyTree, place: SchemaPlace, found: { exact: boolean }): unknown {
  const { texts, children } = branch
  if (children.size === 0) {
    if (place.types.has('array') && (texts.length > 1 || !place.types.has('string'))) {
      return texts.map(text => readText(text, place.items, found))
    }
    return texts.length === 1 ? readText(texts[0] as string, place, found) : texts
  }
  const keys = [...children.keys()]
  const isList = place.isList || !place.types.has('object')
  if (isList && keys.every(key => key === '' || INDEX.test(key))) {
    return [...children]
      .sort(([a], [b]) => Number(a) - Number(b))
      .flatMap(([key, child]) =>
        (key === '' ? itemsBehind(child) : [child]).map(item => read(item, place.items, found)),
      )
  }
  const value: Record<string, unknown> = {}
  for (const [key, child] of children) put(value, key, read(child, place.property(key), found))
  return value
}

function readText(text: string, { types }: SchemaPlace, found: { exact: boolean }): unknown {
  const value = typed(text, types.size > 0 ? types : TEXT)
  found.exact ||= typeof value === 'bigint'
  return value
}

/** The items that `tags[]` or `items[][name]` repeat: the n-th text of each field belongs to the n-th item. */
function itemsBehind({ texts, children }: KeyTree): KeyTree[] {
  if (children.size === 0) return texts.map(text => ({ texts: [text], children: new Map() }))
  const columns = [...children].map(([key, child]) => [key, itemsBehind(child)] as const)
  const count = Math.max(...columns.map(([, column]) => column.length))
  return Array.from({ length: count }, (_, i) => ({
    texts: [],
    children: new Map(columns.flatMap(([key, column]) => (column[i] === undefined ? [] : [[key, column[i]] as const]))),
  }))
}

/** A place in a schema, with the keywords that any branch of its unions has there. */
class SchemaPlace {
  readonly types: Types
  /** Whether it may be a list. */
  readonly isList: boolean
  readonly #nodes: readonly Node[]
  readonly #reading: ContractReading
  readonly #properties = new Map<string, SchemaPlace>()
  #items: SchemaPlace | undefined
  #additional: SchemaPlace | undefined

  constructor(nodes: readonly Node[], reading: ContractReading) {
    this.#nodes = alternativesOf(nodes, reading)
    this.#reading = reading
    this.types = new Set(nodes.flatMap(node => [...reading.schemas.use(node, 'request').types]))
    this.isList = this.types.has('array')
  }

  get items(): SchemaPlace {
    this.#items ??= this.#below('items')
    return this.#items
  }

  property(name: string): SchemaPlace {
    let place = this.#properties.get(name)
    if (place !== undefined) return place
    const own = this.#nodes.flatMap(node =>
      entriesOf(childOf(node, 'properties')).flatMap(([key, child]) => (key === name ? [child] : [])),
    )
    if (own.length === 0) {
      this.#additional ??= this.#below('additionalProperties')
      return this.#additional
    }
    place = new SchemaPlace(own, this.#reading)
    // The cache must not grow with names from clients: only those of the contract are passed here.
    this.#properties.set(name, place)
    return place
  }

  #below(keyword: string): SchemaPlace {
    const nodes = this.#nodes.map(node => childOf(node, keyword)).filter(node => typeof node.value === 'object')
    return new SchemaPlace(nodes, this.#reading)
  }
}

/** The schemas with all branches of their unions and all parts. */
function alternativesOf(nodes: readonly Node[], { documents }: ContractReading): Node[] {
  const found = new Map<string, Node>()
  const gather = (node: Node): void => {
    const target = documents.resolve(node)
    if (target === undefined || found.has(identityOf(target))) return
    found.set(identityOf(target), target)
    for (const keyword of ['allOf', 'oneOf', 'anyOf']) for (const one of itemsOf(childOf(target, keyword))) gather(one)
  }
  for (const node of nodes) gather(node)
  return [...found.values()]
}
