// Compares an operation of one contract with the same operation of the next one, as far as its callers may notice although their
// requests stay valid. Alternatives (`oneOf`, `anyOf`) are not entered.

import { isObject, stringifyJson } from '../kernel/json.ts'
import { type Contract, followSteps, ITEM, type MediaType, type Operation } from './contract.ts'
import { childOf, itemsOf, type Node } from './documents.ts'

/** A difference of two operations. */
export interface OperationDifference {
  /** The part of an exchange that differs: `query limit`, `body application/json`, `200 application/json`; empty for every call. */
  readonly part: string
  /** The steps to the value that differs, by names of fields and `ITEM`. */
  readonly steps: readonly string[]
  readonly reason: string
  readonly now: Node
  readonly next: Node
}

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

/** Returns the differences that may break the callers of an operation. */
export function compareOperations(now: Operation, next: Operation, before: Contract, after: Contract) {
  const found: OperationDifference[] = []
  const add = (part: string, steps: readonly string[], reason: string, at: Node, to: Node) => {
    if (found.length < MOST) found.push({ part, steps, reason, now: at, next: to })
  }
  const compare = (
    isReply: boolean,
    part: string,
    of: string,
    from: Node,
    into: Node,
    steps: readonly string[] = [],
  ) => {
    if (steps.length > DEEPEST) return
    const [at, to] = [before.resolve(from), after.resolve(into)]
    const [was, is] = [before.shapeOf(at), after.shapeOf(to)]
    const tell = (says: string, keyword = '', inner = steps, old = at, other = to) =>
      add(
        part,
        inner,
        `${inner.length === 0 ? '' : `/${inner.join('/')} of `}${of} ${says}`,
        keywordAt(old, keyword),
        keywordAt(other, keyword),
      )
    const [values, others] = [at, to].map(({ value }) =>
      isObject(value) && Array.isArray(value.enum) ? value.enum : undefined,
    )
    for (const keyword of isReply ? [] : LIMITS) {
      const [old, limit] = [at, to].map(({ value }) => (value as Record<string, number>)[keyword])
      const isTighter =
        limit !== undefined && (old === undefined || (keyword.startsWith('min') ? limit > old : limit < old))
      if (isTighter) tell(`has a tighter limit: ${keyword} ${limit}${old === undefined ? '' : `, now ${old}`}`, keyword)
    }
    if (isReply) {
      const types = is.types.filter(type => type !== 'null' && !was.types.includes(type))
      if (types.length > 0 && was.types.length > 0) tell(`changes its type to ${types.join(' or ')}`, 'type')
      if (allowsNull(to) && !allowsNull(at))
        tell('may be null', isObject(to.value) && to.value.nullable ? 'nullable' : 'type')
      const added = others?.filter(one => !values?.some(old => stringifyJson(old) === stringifyJson(one)))
      if (values !== undefined && added?.length !== 0)
        tell(`may be ${added?.map(stringifyJson).join(' or ') ?? 'any value'}`, 'enum')
    }
    for (const [name, field] of was.properties) {
      const other = is.properties.get(name)
      const inner = [...steps, name]
      if (other === undefined) tell(isReply ? 'is gone' : 'would be ignored', '', inner, field, to)
      else {
        if (isReply && was.required.has(name) && !is.required.has(name)) tell('may be absent', '', inner, field, other)
        compare(isReply, part, of, field, other, inner)
      }
    }
    if (was.items !== undefined && is.items !== undefined)
      compare(isReply, part, of, was.items, is.items, [...steps, ITEM])
  }
  for (const { name, in: place, node, schema } of now.parameters) {
    const other = next.parameters.find(one => one.in === place && one.name === name)
    const [part, of] = [`${place} ${name}`, `the ${place} parameter ${name}`]
    if (other !== undefined) compare(false, part, of, schema.node, other.schema.node)
    else if (place !== 'path') add(part, [], `${of} would be ignored`, node, next.node)
  }
  type Content = ReadonlyMap<string, MediaType> | undefined
  const compareContent = (isReply: boolean, part: string, of: string, content: Content, others: Content) => {
    for (const [type, { schema }] of content ?? []) {
      const other = others?.get(type)?.schema
      if (schema !== undefined && other !== undefined) compare(isReply, `${part} ${type}`, of, schema.node, other.node)
    }
  }
  compareContent(false, 'body', 'the body', now.body?.content, next.body?.content)
  const replyFor = ({ responses }: Operation, status: string) =>
    responses.get(status) ?? responses.get(`${status[0]}XX`) ?? responses.get('default')
  for (const [status, reply] of now.responses) {
    const other = replyFor(next, status)
    const of = `the reply ${status}`
    if (other === undefined) add(status, [], `${of} is gone`, reply.node, next.node)
    else compareContent(true, status, of, reply.content, other.content)
  }
  for (const [status, { node }] of next.responses) {
    if (status !== 'default' && replyFor(now, status) === undefined)
      add('', [], `the status ${status} is new`, now.node, node)
  }
  return found
}
