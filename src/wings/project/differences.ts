// Compares a reply of the real API with its contract: status, media type, headers, and the types, formats and names in its body.
// Values are not compared. Items of a list are one place, so that a difference is found once.

import {
  type Contract,
  followSteps,
  ITEM,
  mediaOfReply,
  type Operation,
  parseBody,
  responseFor,
} from '../../contract/contract.ts'
import { childOf, type Node, placeOf } from '../../contract/documents.ts'
import { type Mistake, mistakesOf } from '../../contract/judge.ts'
import { essenceOf, isJson } from '../../contract/media-types.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import type { Headers, Reply, Unread } from '../../kernel/http.ts'
import { isObject, type Json, memberAt, parsePointer, pointer } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { type AskedRequest, pageDifferences } from './page-differences.ts'
import { blankSecrets, isHiddenName } from './secrets.ts'

/** A reply of the real API. */
export interface ObservedReply {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Headers
  /** Without its content encoding. */
  readonly body: string | Uint8Array | Unread | undefined
  /** Why there is no reply; its status is 0 then. */
  readonly fault?: string
}

export const noReply = (fault: string): ObservedReply => ({ status: 0, headers: {}, body: undefined, fault })

/** A difference between a reply and the contract. */
export interface ReplyDifference {
  /** In kebab-case. */
  readonly kind: string
  /** The part of the contract that it is about. */
  readonly node: Node
  /** The steps to a part that the contract lacks, below `node`. */
  readonly below?: readonly string[]
  /** The place in the reply: `status`, `header etag`, or a JSON Pointer in which `*` stands for any item. */
  readonly where: string
  /** The claim of the contract, and the answer. */
  readonly contract: string
  readonly upstream: string
}

/** The differences of a reply, each place and kind once. */
export class FoundDifferences {
  readonly list: ReplyDifference[] = []
  readonly #places = new Set<string>()
  readonly #seen = new Set<string>()

  add(difference: ReplyDifference): void {
    const { kind, where } = difference
    const key = `${kind} ${where}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.#places.add(where)
    this.list.push(difference)
  }

  /** Returns whether there is a difference of any kind at a place. */
  has(where: string): boolean {
    return this.#places.has(where)
  }
}

/** Returns the differences of a reply, each place and kind once. */
export function differencesOf(
  operation: Operation,
  request: AskedRequest,
  reply: ObservedReply,
  contract: Contract,
): ReplyDifference[] {
  const { status, headers, fault } = reply
  if (fault !== undefined)
    return [{ kind: 'no-reply', node: operation.node, where: 'status', contract: 'a reply', upstream: fault }]
  const found = new FoundDifferences()
  const response = responseFor(operation, status)?.node ?? operation.node
  for (const mistake of mistakesOf(operation, reply, request.method))
    found.add(differenceBy(mistake, operation, response, contract))
  const body = request.method === 'HEAD' || found.has('') ? undefined : readJsonBody(operation, reply)
  if (body === undefined) return found.list
  addFurtherFields(found, body, contract)
  const { parsed, schema } = body
  for (const { header, steps, ...one } of pageDifferences(operation, request, headers, parsed.value)) {
    const part =
      header === undefined
        ? contractPartAt(schema.node, steps, parsed.value, contract)
        : { node: childOf(response, 'headers', header), where: `header ${header.toLowerCase()}` }
    found.add({ ...one, ...part })
  }
  return found.list
}

/** Returns a mistake with the part of the contract that it is about, and its place in the reply. */
function differenceBy(mistake: Mistake, operation: Operation, response: Node, contract: Contract): ReplyDifference {
  const { code, contract: claim, answer, header, part } = mistake
  if (code === 'undocumented-status') return aboutStatus(operation, Number(answer), code, claim)
  if (header !== undefined) {
    const upstream = code === 'missing-header' ? answer : describeValue(answer)
    const where = `header ${header.name.toLowerCase()}`
    return { kind: code, node: childOf(response, 'headers', header.name), where, contract: claim, upstream }
  }
  if (part === undefined)
    return { kind: code, node: childOf(response, 'content'), where: '', contract: claim, upstream: answer }
  const { schema, whole, steps } = part
  return { ...readPart(part), contract: claim, ...contractPartAt(schema.node, steps, whole, contract) }
}

/** A body and its schema. */
interface JsonBody {
  readonly parsed: Extract<ReturnType<typeof parseBody>, { readonly value: Json }>
  readonly schema: SchemaUse
}

/** Returns the body of a reply if it is JSON with a schema. */
function readJsonBody(operation: Operation, { status, headers, body }: ObservedReply): JsonBody | undefined {
  const documented = responseFor(operation, status)
  const media = documented && mediaOfReply(documented, headers)
  if (media?.schema === undefined || media.sequence !== undefined || body === undefined || isUnread(body))
    return undefined
  const parsed = isJson(essenceOf(headers['content-type'] ?? '')) ? parseBody(body) : undefined
  return parsed === undefined || 'fault' in parsed ? undefined : { parsed, schema: media.schema }
}

/** Adds the fields that the contract lacks. */
function addFurtherFields(found: FoundDifferences, { parsed, schema }: JsonBody, contract: Contract): void {
  const others = getOrMake(undocumented, parsed, () => new Map<Node, readonly ReplyDifference[]>())
  for (const field of getOrMake(others, schema.node, () => furtherFields(parsed.value, schema.node, contract)))
    if (!found.has(field.where)) found.add(field)
}

/** Returns a difference between a status and those of an operation. */
export const aboutStatus = (
  { node }: Operation,
  status: number,
  kind: 'undocumented-status' | 'wrong-status',
  contract: string,
): ReplyDifference => ({
  kind,
  node: childOf(node, 'responses'),
  where: 'status',
  contract,
  upstream: String(status),
})

const isUnread = (body: ObservedReply['body']): body is Unread => typeof body === 'object' && 'why' in body

/** Returns the body of a reply as JSON; `undefined` if it is not. */
export function valueOfBody({ body }: Pick<ObservedReply, 'body'>): Json | undefined {
  const parsed = body === undefined || isUnread(body) ? undefined : parseBody(body)
  return parsed === undefined || 'fault' in parsed ? undefined : parsed.value
}

/** Kinds by the keyword that a value breaks. */
const KINDS: Readonly<Record<string, string>> = {
  required: 'missing-field',
  dependentRequired: 'missing-field',
  additionalProperties: 'forbidden-field',
  unevaluatedProperties: 'forbidden-field',
  format: 'wrong-format',
  enum: 'unknown-value',
  const: 'unknown-value',
  type: 'wrong-type',
  anyOf: 'wrong-shape',
  oneOf: 'wrong-shape',
  not: 'wrong-shape',
  writeOnly: 'forbidden-field',
}

function readPart({ keyword, steps, whole }: NonNullable<Mistake['part']>): { kind: string; upstream: string } {
  const value = memberAt(whole, steps)
  const kind = KINDS[keyword] ?? 'out-of-bounds'
  if (kind === 'wrong-type' && value === null) return { kind: 'unexpected-null', upstream: 'null' }
  const shows = kind === 'wrong-format' || kind === 'unknown-value' || kind === 'out-of-bounds'
  return { kind, upstream: shows ? describeValue(value, steps.at(-1)) : describeType(value) }
}

/** Returns the part of the contract for a value within a body, as far as its schemas can be followed. */
function contractPartAt(schema: Node, steps: readonly string[], whole: Json, contract: Contract) {
  const stars = steps.map((step, i) => (Array.isArray(memberAt(whole, steps.slice(0, i))) ? ITEM : step))
  const { node, depth } = followSteps(schema, stars, contract)
  return { node: contract.resolve(node), below: stars.slice(depth), where: pointer(stars) }
}

/** The shapes of schemas that values were compared with. */
const shapes = new WeakMap<Node, ReturnType<Contract['shapeOf']>>()

/** The further fields of bodies, by schema. */
const undocumented = new WeakMap<object, Map<Node, readonly ReplyDifference[]>>()

/** The items of a list whose fields are looked at. */
const MOST_ITEMS = 100
/** The further fields of a reply that are reported: a book of findings keeps fewer, and counts the others. */
const MOST_FIELDS = 2000

/** Returns the fields that no schema names, where none says that there may be others. */
function furtherFields(value: Json, node: Node, contract: Contract): ReplyDifference[] {
  const fields = new Map<string, ReplyDifference>()
  const visit = (item: unknown, schema: Node, where: string): void => {
    if ((!isObject(item) && !Array.isArray(item)) || fields.size >= MOST_FIELDS) return
    const { properties, open, items, additional } = getOrMake(shapes, schema, () => contract.shapeOf(schema))
    if (Array.isArray(item)) {
      if (items !== undefined) for (const one of item.slice(0, MOST_ITEMS)) visit(one, items, `${where}/${ITEM}`)
      return
    }
    for (const [name, member] of Object.entries(item)) {
      const part = properties.get(name) ?? additional
      const isFurther = part === undefined && !open && properties.size > 0
      // Most values are texts and numbers.
      if (!isFurther && (part === undefined || typeof member !== 'object')) continue
      const at = where + pointer([name])
      if (isFurther && !fields.has(at)) {
        if (fields.size >= MOST_FIELDS) return
        fields.set(at, {
          ...UNDOCUMENTED,
          node: contract.resolve(schema),
          below: [name],
          where: at,
          upstream: describeType(member),
        })
      }
      if (part !== undefined) visit(member, part, at)
    }
  }
  visit(value, node, '')
  return [...fields.values()]
}

const UNDOCUMENTED = { kind: 'undocumented-field', contract: 'no such field' } as const

/** The characters of a value that are shown. */
const SHOWN_VALUE = 40

/** Returns the type of a value of JSON. */
export const describeType = (value: unknown): string => {
  if (value === undefined || value === null) return value === null ? 'null' : 'absent'
  if (Array.isArray(value) || isObject(value)) return isObject(value) ? 'object' : 'array'
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : 'number'
}

const MASKED = { blank: () => '***' }

/** Returns a value for a message; its type, if the name is that of a secret. */
export function describeValue(value: unknown, name = ''): string {
  if (Array.isArray(value)) return `array of ${value.length}`
  if (value === undefined || isObject(value) || isHiddenName(name)) return describeType(value)
  const text = typeof value === 'string' ? JSON.stringify(blankSecrets(value, MASKED)) : String(value)
  return text.length > SHOWN_VALUE ? `${text.slice(0, SHOWN_VALUE)}…` : text
}

/** Returns what another reply, such as the stand-in's, has at the place of a difference. */
export function answerAt(reply: Pick<Reply, 'status' | 'headers' | 'body'>, { kind, where }: ReplyDifference): string {
  const { headers } = reply
  if (where === 'status') return String(reply.status)
  if (where.startsWith('header ')) return headers[where.slice('header '.length)] === undefined ? 'absent' : 'present'
  const type = essenceOf(headers['content-type'] ?? '')
  const whole = valueOfBody(reply)
  const isWhole = where === '' && !/^(?:wrong-type|wrong-shape|unexpected-null|out-of-bounds)$/.test(kind)
  if (isWhole || !isJson(type) || whole === undefined) return type || 'no body'
  const value = memberAt(
    whole,
    (parsePointer(where) ?? []).map(step => (step === '*' ? '0' : step)),
  )
  return describeType(value)
}

/** Names a part of the contract, independent of lines: `api.yaml#/components/schemas/Book/properties/title`. */
export const nameOfPart = ({ node, below = [] }: Pick<ReplyDifference, 'node' | 'below'>): string =>
  `${placeOf(node).file}#${pointer(node.path)}${below.map(step => pointer(['properties', step])).join('')}`
