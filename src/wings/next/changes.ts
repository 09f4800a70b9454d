// Compares the operations of one contract with those of the next one, as far as their callers may notice although their requests
// stay valid.

import { type Contract, followSteps, ITEM, type Operation, responseFor } from '../../contract/contract.ts'
import { branchesIn, childOf, componentOf, identityOf, itemsOf, type Node } from '../../contract/documents.ts'
import { compileMediaTypes } from '../../contract/media-types.ts'
import { isObject, stringifyJson } from '../../kernel/json.ts'

/** A difference of two operations. */
export interface OperationDifference {
  /**
   * The part of an exchange that differs: `query limit`, `body application/json`, `200 application/json`, `200 header etag`; empty
   * for every call.
   */
  readonly part: string
  /** The steps to the value that differs, by names of fields and `ITEM`. */
  readonly steps: readonly string[]
  readonly reason: string
  readonly now: Node
  readonly next: Node
}

/** A difference of two schemas, without the name of the whole. */
type SchemaDifference = Omit<OperationDifference, 'part'>

/** Limits of a request; for the second ones less is tighter. */
const LIMITS = ['minimum', 'minLength', 'minItems', 'maximum', 'maxLength', 'maxItems']

/** The most differences that are kept of an operation: a person reads no more. */
const MOST = 100
const DEEPEST = 8

/** Returns the node of a keyword; the schema itself where it lacks it. */
const keywordAt = (node: Node, keyword: string): Node => {
  const child = childOf(node, keyword)
  return child.value === undefined ? node : child
}

const allowsNull = ({ value }: Node): boolean =>
  isObject(value) && (value.nullable === true || [value.type].flat().includes('null'))

/** Returns the part of a schema that says something about a value within, or the nearest schema that there is. */
export function nodeWithin(start: Node, steps: readonly string[], keyword: string, contract: Contract): Node {
  const outer = contract.resolve(followSteps(start, steps.slice(0, -1), contract).node)
  const isMeant = ({ value }: Node) => keyword === 'required' && value === steps.at(-1)
  const requirement = itemsOf(childOf(outer, 'required')).find(isMeant)
  return requirement ?? keywordAt(contract.resolve(followSteps(start, steps, contract).node), keyword)
}

/** The differences of two contracts. Each pair of schemas is compared once. */
export class ContractChanges {
  readonly #before: Contract
  readonly #after: Contract
  readonly #known = new Map<string, readonly SchemaDifference[]>()

  constructor(before: Contract, after: Contract) {
    this.#before = before
    this.#after = after
  }

  /** Returns the differences that may break the callers of an operation. */
  compare(now: Operation, next: Operation): OperationDifference[] {
    const found: OperationDifference[] = []
    const add = (part: string, reason: string, from: Node, into: Node, steps: readonly string[] = []) => {
      if (found.length < MOST) found.push({ part, steps, reason, now: from, next: into })
    }
    const addWithin = (isReply: boolean, part: string, of: string, from: Node, into: Node) => {
      for (const { steps, reason, ...one } of this.#within(isReply, from, into)) {
        add(part, `${steps.length === 0 ? '' : `/${steps.join('/')} of `}${of} ${reason}`, one.now, one.next, steps)
      }
    }
    for (const { name, in: place, node, schema } of now.parameters) {
      const other = next.parameters.find(one => one.in === place && one.name === name)
      const [part, of] = [`${place} ${name}`, `the ${place} parameter ${name}`]
      if (other !== undefined) addWithin(false, part, of, schema.node, other.schema.node)
      else if (place !== 'path') add(part, `${of} would be ignored`, node, next.node)
    }
    const bodyOf = compileMediaTypes(next.body?.content ?? new Map())
    for (const [type, { schema }] of now.body?.content ?? []) {
      const other = bodyOf(type)?.schema
      if (schema && other) addWithin(false, `body ${type}`, 'the body', schema.node, other.node)
    }
    const replyFor = (operation: Operation, status: string) =>
      operation.responses.get(status) ?? responseFor(operation, Number(status.replace('XX', '00')))
    for (const [status, reply] of now.responses) {
      const other = replyFor(next, status)
      const of = `the reply ${status}`
      if (other === undefined) {
        add(status, `${of} is gone`, reply.node, next.node)
        continue
      }
      const mediaOf = compileMediaTypes(other.content)
      for (const [type, { schema }] of reply.content) {
        const media = mediaOf(type)
        const [part, contents] = [`${status} ${type}`, [reply, other].map(({ node }) => childOf(node, 'content'))]
        if (media === undefined)
          add(part, `${of} is never ${type}`, contents[0] as Node, keywordAt(other.node, 'content'))
        else if (schema && media.schema) addWithin(true, part, of, schema.node, media.schema.node)
      }
      for (const { name, required, schema } of reply.headers) {
        const same = other.headers.find(one => one.name.toLowerCase() === name.toLowerCase())
        const [part, whole] = [`${status} header ${name.toLowerCase()}`, `the header ${name} of ${of}`]
        const [at, to] = [childOf(reply.node, 'headers', name), childOf(other.node, 'headers', same?.name ?? '')]
        if (same === undefined) add(part, `${whole} is gone`, at, keywordAt(other.node, 'headers'))
        else if (required && !same.required) add(part, `${whole} may be absent`, at, to)
        if (schema && same?.schema) addWithin(true, part, whole, schema.node, same.schema.node)
      }
    }
    for (const [status, { node }] of next.responses) {
      if (status !== 'default' && replyFor(now, status) === undefined)
        add('', `the status ${status} is new`, now.node, node)
    }
    return found
  }

  /** Returns the differences of two schemas. A pair that contains itself has those of the outer pair. */
  #within(isReply: boolean, from: Node, into: Node): readonly SchemaDifference[] {
    const [at, to] = [this.#before.resolve(from), this.#after.resolve(into)]
    const key = [isReply, identityOf(at), identityOf(to)].join('\n')
    const known = this.#known.get(key)
    if (known !== undefined) return known
    this.#known.set(key, [])
    const found = [...this.#differences(isReply, at, to)].slice(0, MOST)
    this.#known.set(key, found)
    return found
  }

  *#differences(isReply: boolean, at: Node, to: Node): Generator<SchemaDifference> {
    const tell = (reason: string, keyword = '', steps: readonly string[] = [], old = at, other = to) => {
      return { steps, reason, now: keywordAt(old, keyword), next: keywordAt(other, keyword) }
    }
    const inside = (from: Node, into: Node, ...steps: readonly string[]) =>
      this.#within(isReply, from, into)
        .map(one => ({ ...one, steps: [...steps, ...one.steps] }))
        .filter(one => one.steps.length <= DEEPEST)
    const [alternatives, others] = [branchesIn(at), branchesIn(to)]
    if (alternatives.length > 0 || others.length > 0) {
      // A schema without alternatives is the only one.
      const old = alternatives.length > 0 ? alternatives : [at]
      const names = old.map((one, i) => nameOfAlternative(one, i, this.#before))
      for (const [i, one] of (others.length > 0 ? others : [to]).entries()) {
        const name = nameOfAlternative(one, i, this.#after)
        const same = old[names.indexOf(name)]
        if (same !== undefined) yield* inside(same, one)
        else if (isReply && !allowsNull(at)) yield tell(`may be ${name}`, '', [], at, one)
      }
      if (alternatives.length === 0 || others.length === 0) return
    }
    const [was, is] = [this.#before.shapeOf(at), this.#after.shapeOf(to)]
    const [values, listed] = [at, to].map(({ value }) =>
      isObject(value) && Array.isArray(value.enum) ? value.enum : undefined,
    )
    for (const keyword of isReply ? [] : LIMITS) {
      const [old, limit] = [at, to].map(({ value }) => (value as Record<string, number>)[keyword])
      const isTighter =
        limit !== undefined && (old === undefined || (keyword.startsWith('min') ? limit > old : limit < old))
      if (isTighter)
        yield tell(`has a tighter limit: ${keyword} ${limit}${old === undefined ? '' : `, now ${old}`}`, keyword)
    }
    if (isReply) {
      const types = is.types.filter(type => type !== 'null' && !was.types.includes(type))
      if (types.length > 0 && was.types.length > 0) yield tell(`changes its type to ${types.join(' or ')}`, 'type')
      if (allowsNull(to) && !allowsNull(at))
        yield tell('may be null', isObject(to.value) && to.value.nullable ? 'nullable' : 'type')
      const added = listed?.filter(one => !values?.some(old => stringifyJson(old) === stringifyJson(one)))
      if (values !== undefined && added?.length !== 0)
        yield tell(`may be ${added?.map(stringifyJson).join(' or ') ?? 'any value'}`, 'enum')
    }
    for (const [name, field] of was.properties) {
      const other = is.properties.get(name)
      if (other === undefined) yield tell(isReply ? 'is gone' : 'would be ignored', '', [name], field, to)
      else {
        if (isReply && was.required.has(name) && !is.required.has(name))
          yield tell('may be absent', '', [name], field, other)
        yield* inside(field, other, name)
      }
    }
    if (was.items !== undefined && is.items !== undefined) yield* inside(was.items, is.items, ITEM)
  }
}

/** Names an alternative of a union: by its schema, its title, or its type. */
function nameOfAlternative(node: Node, index: number, contract: Contract): string {
  const target = contract.resolve(node)
  const { title, type } = target.value as Readonly<Record<string, unknown>>
  return componentOf(target) ?? String(title ?? type ?? `alternative ${index + 1}`)
}
