// The parts of an operation that traffic can touch, each with its place in the contract, and the walkers that find them in the
// values of a request. Made at the first request of an operation.

import type { Contract, Operation, ResponseSpec } from '../../contract/contract.ts'
import { childOf, componentOf, isReference, itemsOf, membersOf, type Node } from '../../contract/documents.ts'
import { compileMediaTypes } from '../../contract/media-types.ts'
import { discriminatorOf } from '../../contract/schema/discriminator.ts'
import { isAssertion } from '../../contract/schema/keywords.ts'
import { layersOf, type SchemaNode } from '../../contract/schema/shape.ts'
import { isObject } from '../../kernel/json.ts'
import { attempted, getOrMake } from '../../kernel/memo.ts'
import { hasType } from '../../kernel/schema/keywords.ts'

export type ItemKind =
  | 'operation'
  | 'status'
  | 'reply type'
  | 'request type'
  | 'parameter'
  | 'field'
  | 'value'
  | 'branch'
  | 'rule'

/**
 * A part of an operation. Rules and deprecated inputs are listed beside the percentage, not in it: 100 % is what a good suite reaches.
 * A field in a refused body does not count: it shows nothing about a client that works. Its kind
 * and name identify it among the parts of its operation, in reports of other processes and runs too.
 */
export interface CoverageItem {
  readonly kind: ItemKind
  /** `owner.name` for a field, `tags[]` for an item of a list, `vehicle<Car>.doors` in a branch, `status=sold` for a value. */
  readonly name: string
  readonly node: Node
  readonly part: 'key' | 'value'
  readonly deprecated: boolean
}

/** Finds the items of the values at one place, by the schema there. Items are indexes. */
export interface SchemaWalker {
  /** The items at this place and below: `from` up to, and without, `to`. */
  readonly from: number
  to: number
  readonly fields: Map<string, WalkedField>
  /** The schema of each item of a list. */
  items?: SchemaWalker
  /** The schema of every other property. */
  additional?: SchemaWalker
  readonly values: Map<unknown, number>
  readonly unions: UnionBranch[][]
  /** By keyword, counted after the other items. */
  readonly rules: Map<string, number>
}

interface WalkedField {
  readonly item: number
  readonly walker: SchemaWalker | undefined
}

export interface UnionBranch {
  readonly item: number
  readonly walker: SchemaWalker
  /** Whether a value may be of this branch, by its type, a discriminator and the properties that tell branches apart. */
  admits(value: unknown): boolean
  /** Whether a value is of this branch, by the whole schema. */
  checks(value: unknown): boolean
}

/** All items of an operation, those of kind `rule` last, and the means to find them in a request. */
export interface CoverageItems {
  readonly list: readonly CoverageItem[]
  /** The number of items that are not rules. */
  readonly rules: number
  readonly parameters: readonly WalkedField[]
  /** The first documented body, whose rules a request without a body violates. */
  readonly first: WalkedField | undefined
  /** Finds the documented body of a content type. */
  bodyOf(type: string): WalkedField | undefined
  readonly replies: ReadonlyMap<ResponseSpec, WalkedReply>
}

interface WalkedReply {
  readonly item: number
  /** Finds the item of the media type of a content type. */
  typeOf(type: string): number | undefined
}

/** Fields are followed to this depth; less deep where an operation would have more than so many items. */
const DEEPEST = 8
const MOST_ITEMS = 1000

export function itemsOfOperation(operation: Operation, contract: Contract): CoverageItems {
  for (let depth = DEEPEST; ; depth--) {
    const finder = new ItemFinder(contract, depth)
    const found = finder.find(operation)
    if (!finder.isFull || depth === 1) return found
  }
}

/** The keywords that a value can violate by schemas within them. */
const RULES = new Set(['not', 'oneOf', 'anyOf', 'additionalProperties'])

type SchemaParts = Readonly<Record<string, unknown>>

class ItemFinder {
  readonly #contract: Contract
  readonly #depth: number
  readonly #items: CoverageItem[] = []
  readonly #rules: CoverageItem[] = []
  /** The schemas around the current place, so that one that contains itself leads back to the outer one. */
  readonly #around = new Map<unknown, SchemaWalker>()
  /** The schemas that a walker has already: compositions may repeat one many times. */
  readonly #filled = new Map<SchemaWalker, Set<unknown>>()

  constructor(contract: Contract, depth: number) {
    this.#contract = contract
    this.#depth = depth
  }

  /** Whether there are too many items, so that none further inside are looked for. */
  get isFull(): boolean {
    return this.#items.length + this.#rules.length > MOST_ITEMS
  }

  find(operation: Operation): CoverageItems {
    const { node, responses, body, parameters } = operation
    this.#add('operation', operation.id, node, 'key', false)
    const written = new Map(membersOf(childOf(node, 'responses')).map(([key, entry]) => [key.toUpperCase(), entry]))
    const replies = [...responses].map(([status, response]) => {
      const item = this.#add('status', status, written.get(status.toUpperCase()) ?? response.node, 'key')
      const types = this.#types('reply type', `${status} `, response.node)
      return [response, { item, typeOf: remembering(compileMediaTypes(types)) }] as const
    })
    const walked = parameters.map(({ name, in: place, schema, ...parameter }): WalkedField => {
      const title = `${place} ${name}`
      const named = childOf(parameter.node, 'name')
      const item = this.#add('parameter', title, named, 'value', parameter.deprecated)
      const walker = this.#open(schema.node, title, 0, schema.types.size === 1 && schema.types.has('string'))
      if (parameter.required && place !== 'path' && walker) this.#rule(walker, 'required', title, named)
      return { item, walker }
    })
    const requestBody = this.#contract.resolve(childOf(node, 'requestBody'))
    const types = this.#types('request type', '', requestBody)
    /** Media types with one schema share its walker. */
    const known = new Map<string, SchemaWalker | undefined>()
    const bodies = [...(body?.content ?? [])].flatMap(([type, { schema }]) => {
      const item = types.get(type)
      if (item === undefined) return []
      const key = schema && this.#contract.identify(this.#contract.resolve(schema.node))
      if (key !== undefined && !known.has(key)) {
        const walker = this.#open(schema!.node, known.size === 0 ? '' : `(${type})`, 0)
        if (body?.required && walker) this.#rule(walker, 'required', 'the body', requestBody)
        known.set(key, walker)
      }
      return [[type, { item, walker: key === undefined ? undefined : known.get(key) }] as const]
    })
    return {
      list: [...this.#items, ...this.#rules],
      rules: this.#items.length,
      parameters: walked,
      first: bodies[0]?.[1],
      bodyOf: remembering(compileMediaTypes(new Map<string, WalkedField>(bodies))),
      replies: new Map(replies),
    }
  }

  #add(kind: ItemKind, name: string, node: Node, part: CoverageItem['part'], deprecated = false): number {
    return this.#items.push({ kind, name, node, part, deprecated }) - 1
  }

  #rule({ rules }: SchemaWalker, keyword: string, name: string, node: Node, part: 'key' | 'value' = 'value'): void {
    if (rules.has(keyword)) return
    rules.set(
      keyword,
      this.#rules.push({ kind: 'rule', name: `${name} ${keyword}`, node, part, deprecated: false }) - 1,
    )
  }

  /** Adds the media types of a request body or a response. */
  #types(kind: ItemKind, prefix: string, holder: Node): Map<string, number> {
    const types = membersOf(childOf(holder, 'content')).filter(([type]) => !type.startsWith('x-'))
    return new Map(
      types.map(([type, node]) => [type.toLowerCase(), this.#add(kind, prefix + type.toLowerCase(), node, 'key')]),
    )
  }

  /** Returns the walker of the schema at a place; that of the outer schema for one that contains itself. */
  #open(node: Node, name: string, depth: number, isText = false): SchemaWalker | undefined {
    const schema = this.#contract.resolve(node)
    if (!isObject(schema.value)) return undefined
    const outer = this.#around.get(schema.value)
    if (outer !== undefined || depth >= this.#depth || (this.isFull && this.#depth > 1)) return outer
    const from = this.#items.length
    const walker = { from, to: from, fields: new Map(), values: new Map(), unions: [], rules: new Map() }
    this.#fill(walker, schema, name, depth, isText)
    walker.to = this.#items.length
    return walker
  }

  /** Adds what a schema says to a walker: itself, and those that it refers to or is composed of. */
  #fill(walker: SchemaWalker, node: Node, name: string, depth: number, isText = false): void {
    const filled = getOrMake(this.#filled, walker, () => new Set())
    const seen = {
      has: (one: object) => filled.has(one) || this.#around.has(one),
      add: (one: object) => filled.add(one),
    }
    const start = this.#contract.resolve(node)
    for (const layer of layersOf([start], this.#contract, ['allOf'], seen)) {
      for (const { value } of [start, layer]) this.#around.set(value, walker)
      this.#fillLayer(walker, layer, name, depth, isText)
      this.#around.delete(layer.value)
    }
    this.#around.delete(start.value)
  }

  #fillLayer(walker: SchemaWalker, schema: SchemaNode, name: string, depth: number, isText: boolean): void {
    const { value } = schema
    const dot = name === '' || name.endsWith(')') ? name : `${name}.`
    for (const [keyword, says] of Object.entries(value)) {
      const isRule = isAssertion(keyword) ? !(isText && keyword === 'type') : RULES.has(keyword)
      if (!isRule || (keyword === 'additionalProperties' && says !== false)) continue
      this.#rule(walker, keyword, name || 'the body', childOf(schema, keyword), 'key')
    }
    for (const one of itemsOf(childOf(schema, 'enum'))) {
      if (typeof one.value === 'object' && one.value !== null) continue
      if (!walker.values.has(one.value))
        walker.values.set(one.value, this.#add('value', `${name || 'the body'}=${one.value}`, one, 'value'))
    }
    const required = Array.isArray(value.required) ? value.required : []
    for (const [field, below] of membersOf(childOf(schema, 'properties'))) {
      const path = dot + field
      const known = walker.fields.get(field)
      const { shape, marks } = this.#marksOf(below)
      if (marks.readOnly === true) continue
      const made = known ?? {
        item: this.#add('field', path, below, 'key', marks.deprecated === true),
        walker: this.#open(below, path, depth + 1),
      }
      // A field that parts of a composition describe has what each of them says.
      if (known?.walker) {
        this.#fill(known.walker, shape, path, depth + 1)
        known.walker.to = this.#items.length
      }
      walker.fields.set(field, made)
    }
    for (const field of required) {
      const { walker: inner } = walker.fields.get(String(field)) ?? {}
      if (inner) this.#rule(inner, 'required', dot + field, childOf(schema, 'required', required.indexOf(field)))
    }
    if (isObject(value.items)) walker.items ??= this.#open(childOf(schema, 'items'), `${name}[]`, depth)
    const others = membersOf(childOf(schema, 'patternProperties')).map(([, one]) => one)
    for (const other of [...others, childOf(schema, 'additionalProperties')]) {
      if (isObject(other.value)) walker.additional ??= this.#open(other, `${dot}*`, depth + 1)
    }
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const branches = itemsOf(childOf(schema, keyword))
      const property = discriminatorOf(schema)
      const named = property === undefined ? [] : this.#contract.branchesOf(schema, keyword, property)
      const made = (one: Node, i: number) => this.#branch(one, i, name, depth, [property, named?.[i]?.names ?? []])
      if (branches.length > 1) walker.unions.push(branches.map(made))
      else for (const only of branches) this.#fill(walker, only, name, depth)
    }
  }

  /** Returns a schema behind its references, and the annotations of both. */
  #marksOf(node: Node): { shape: Node; marks: SchemaParts } {
    const shape = this.#contract.resolve(node)
    const own = isObject(node.value) ? node.value : {}
    return { shape, marks: { ...(isObject(shape.value) ? shape.value : {}), ...own } }
  }

  /** @param choice the property that a discriminator names, and its values for the branch */
  #branch(node: Node, index: number, outer: string, depth: number, choice: PossibleValues): UnionBranch {
    const { shape, marks } = this.#marksOf(node)
    const title = componentOf(shape) ?? (typeof marks.title === 'string' ? marks.title : undefined)
    const name = `${outer}<${title ?? [marks.type, index + 1].join(' ').trim()}>`
    const item = this.#add('branch', name, node, isReference(node) ? 'value' : 'key')
    const walker = this.#open(node, name, depth + 1) ?? BLANK
    const isValid = (value: unknown) => this.#contract.use(shape, 'request').check(value, true) === undefined
    const admits = compileAdmission(shape, this.#contract, choice)
    return { item, walker, admits, checks: value => attempted(() => isValid(value)) ?? false }
  }
}

type PossibleValues = readonly [property: string | undefined, values: readonly unknown[]]

/** Compiles a quick test of a branch: the type, the required properties, and those of which a few values are possible. */
function compileAdmission(node: Node, contract: Contract, choice: PossibleValues): UnionBranch['admits'] {
  const { types, required, properties } = contract.shapeOf(node)
  const listed = [...properties].map(([name, property]): PossibleValues => {
    const { const: only, enum: values } = (contract.resolve(property).value ?? {}) as SchemaParts
    return [name, only === undefined ? ((values ?? []) as unknown[]) : [only]]
  })
  const choices = [choice, ...listed].filter(([, values]) => values.length > 0)
  const needed = [...required].filter(name => properties.has(name))
  return value => {
    if (isObject(value)) {
      // Most branches differ here. Every request looks at all those that were never seen.
      for (const [name = '', values] of choices) {
        if (value[name] !== undefined && !values.includes(value[name])) return false
      }
      for (const name of needed) if (!(name in value)) return false
    }
    return types.length === 0 || types.some(type => hasType(value, type))
  }
}

/** Answers the question of the last call without another look. */
function remembering<Found>(find: (type: string) => Found | undefined): (type: string) => Found | undefined {
  let last: string | undefined
  let found: Found | undefined
  return type => {
    if (type !== last) found = find(type)
    last = type
    return found
  }
}

const BLANK: SchemaWalker = { from: 0, to: 0, fields: new Map(), values: new Map(), unions: [], rules: new Map() }
