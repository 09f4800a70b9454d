// The judge of replies: their status, headers, media type and body by the contract, as a strict client sees them.

import { isUtf8 } from 'node:buffer'
import type { Reply, Unread } from '../kernel/http.ts'
import { isObject, type Json, parsePointer } from '../kernel/json.ts'
import {
  checkBody,
  type Header,
  headersOf,
  isRead,
  mediaOfReply,
  type Operation,
  parseBody,
  type ResponseSpec,
  responseFor,
} from './contract.ts'
import { essenceOf, isJson, readSequence } from './media-types.ts'
import type { SchemaUse } from './schema/schema-book.ts'

/** A reply of the gateway or of another server. */
type JudgedReply = Pick<Reply, 'status' | 'headers'> & { readonly body: Reply['body'] | Unread }

/** A mistake of a reply. */
export interface Mistake {
  readonly code:
    | 'undocumented-status'
    | 'missing-header'
    | 'invalid-header'
    | 'missing-body'
    | 'undocumented-type'
    | 'wrong-encoding'
    | 'unreadable-body'
    | 'invalid-body'
    | 'forbidden-field'
  /** The rest of a sentence that begins with "the operation". */
  readonly message: string
  /** The claim of the contract, and the answer of the server. */
  readonly contract: string
  readonly answer: string
  readonly header?: Header
  /** Set for a part of a body. */
  readonly part?: BodyPart
}

interface BodyPart {
  readonly schema: SchemaUse
  readonly whole: Json
  readonly steps: readonly string[]
  /** The keyword of the schema that it breaks. */
  readonly keyword: string
}

/** Returns the first mistake of a reply; `undefined` if it is in contract. */
export const nonconformanceOf = (operation: Operation, reply: JudgedReply): Mistake | undefined =>
  mistakesOf(operation, reply).next().value ?? undefined

/** Returns the mistakes of a reply. @param method of its request: a reply to HEAD has no body */
export function* mistakesOf(
  operation: Operation,
  reply: JudgedReply,
  method: string = operation.method,
): Generator<Mistake, undefined> {
  const { status } = reply
  const documented = responseFor(operation, status)
  if (documented === undefined) {
    // Any server may answer 304 to a conditional request; contracts do not document it.
    if (status === 304) return
    const contract = [...operation.responses.keys()].join(', ')
    const message = `answered ${status}, which is not documented`
    yield { code: 'undocumented-status', message, contract, answer: String(status) }
    return
  }
  for (const header of headersOf(documented)) yield* mistakesOfHeader(header, reply)
  if (method !== 'HEAD' && status !== 204 && status !== 205 && status !== 304 && documented.content.size > 0)
    yield* mistakesOfBody(documented, reply)
}

function* mistakesOfHeader(header: Header, { status, headers }: JudgedReply): Iterable<Mistake> {
  const { name, required, schema } = header
  const text = headers[name.toLowerCase()]
  const begin = `answered ${status} with`
  if (text === undefined) {
    const message = `${begin}out the header ${name}, which is required`
    if (required) yield { code: 'missing-header', message, contract: 'is required', answer: 'absent', header }
    return
  }
  const types = schema?.types ?? new Set<string>()
  // How a list or an object is written is not known well enough.
  if (schema === undefined || types.has('array') || types.has('object')) return
  const parsed = types.has('string') || types.size === 0 ? undefined : parseBody(text)
  const [violation] = schema.check(parsed !== undefined && 'value' in parsed ? parsed.value : text) ?? []
  if (violation === undefined) return
  const message = `${begin} a header ${name} that ${violation.message}`
  yield { code: 'invalid-header', message, contract: violation.message, answer: text, header }
}

function* mistakesOfBody(documented: ResponseSpec, { status, headers, body }: JudgedReply): Iterable<Mistake> {
  const types = [...documented.content.keys()].join(', ')
  const begin = `answered ${status}`
  const wrong = (code: Mistake['code'], contract: string, answer: string): Mistake => ({
    code,
    message: `${begin} with ${answer}`,
    contract,
    answer,
  })
  const type = essenceOf(headers['content-type'] ?? '')
  const isEmpty = body === undefined || body === '' || (body instanceof Uint8Array && body.length === 0)
  // An empty text or file is one.
  if (isEmpty) return type === '' || isJson(type) ? yield wrong('missing-body', types, 'no body') : undefined
  const media = mediaOfReply(documented, headers)
  if (media === undefined) {
    const message = `${begin} as ${type || 'no type'}, which is not documented`
    return yield { ...wrong('undocumented-type', types, type || 'no media type'), message }
  }
  if (isUnread(body)) {
    if (body.corrupt) yield wrong('wrong-encoding', types, `a body that ${body.why}`)
    return
  }
  if (!isRead(media, type)) return
  const { schema, sequence } = media
  const charset = /;\s*charset="?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1]
  const isOther = sequence === undefined && charset !== undefined && !/^utf-?8$/i.test(charset)
  if (sequence === undefined && typeof body !== 'string' && !isUtf8(body))
    return yield wrong('wrong-encoding', 'JSON in UTF-8', 'bytes that are not UTF-8')
  if (isOther) yield wrong('wrong-encoding', 'JSON in UTF-8', `charset=${charset}`)
  const parsed = sequence === undefined ? parseBody(body) : readSequence(Buffer.from(body).toString(), sequence)
  if (parsed === undefined) return
  if ('fault' in parsed) {
    if (!isOther) yield wrong('unreadable-body', type, `a body that ${parsed.fault}`)
    return
  }
  const { value: whole } = parsed
  const breaking = `${begin} with a body that breaks its schema:`
  for (const { pointer, message, keyword } of checkBody(parsed, schema)) {
    const part = { schema, whole, steps: parsePointer(pointer) ?? [], keyword }
    const sentence = `${breaking} ${pointer || 'the body'} ${message}`
    yield { code: 'invalid-body', message: sentence, contract: message, answer: '', part }
  }
  for (const steps of removedFrom(whole, schema.prune(whole))) {
    const message = `${breaking} /${steps.join('/')} is writeOnly`
    const part = { schema, whole, steps, keyword: 'writeOnly' }
    yield { code: 'forbidden-field', message, contract: 'is writeOnly', answer: '', part }
  }
}

const isUnread = (body: JudgedReply['body']): body is Unread => typeof body === 'object' && 'why' in body

/** The paths of the members that a value lost. */
function* removedFrom(value: unknown, kept: unknown): Iterable<string[]> {
  if (value === kept || typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    const rest = (kept as Record<string, unknown>)[name]
    if (rest === undefined && isObject(value)) yield [name]
    else for (const steps of removedFrom(member, rest)) yield [name, ...steps]
  }
}
