// Plays a recording against its stand-in and compares the replies. The stand-in has the records from before the recording, the
// time of each request, and gives new records the ids that they got.

import { pathOfPlaceholder, recordPath } from '../../behaviours/respond/shape.ts'
import type { Reply } from '../../kernel/http.ts'
import { inProcess } from '../../kernel/in-process.ts'
import { isObject, type Json, type JsonObject, memberAt, parseJson, pointer, stringifyJson } from '../../kernel/json.ts'
import type { Plan } from '../../plan/plan.ts'
import type { Id } from '../../world/records/types.ts'
import { idIn } from '../../world/records/values.ts'
import { createRunner } from '../probe/runner.ts'
import { describeValue, valueOfBody } from './differences.ts'
import type { RecordedExchange } from './har.ts'
import { decodeSegment, jsonOfMessage, typeOfMessage } from './messages.ts'
import { matchExchange } from './recorded-state.ts'

/** How many recorded replies the stand-in gives equally. */
export interface ReplayProof {
  readonly tried: number
  readonly equal: number
  /** The differences by operation and place, with the number of replies that have them. */
  readonly different: ReadonlyMap<string, number>
}

/** Fields of a connection, of compression, and of conditions that the stand-in does not know. */
const OWN_FIELDS =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|if-.*(?:since|range)|expect|te|upgrade)$/

const MOST_DIFFERENCES = 3

/** @param before the records of each resource before the recording */
export async function replayRecording(
  exchanges: AsyncIterable<RecordedExchange>,
  plan: Plan,
  before: ReadonlyMap<string, readonly JsonObject[]>,
): Promise<ReplayProof> {
  let now = 0
  let wanted: Id | undefined
  const collections: Plan['collections'] = new Map(
    [...plan.collections].map(([name, { options, resource }]) => {
      const { assign, newId } = options
      const recorded = (ordinal: number) => (wanted as string | undefined) ?? newId?.(ordinal) ?? String(ordinal)
      const own = assign === 'client' ? {} : { assign: 'generate' as const, newId: recorded }
      return [name, { options: { ...options, ...own }, resource: { ...resource, seeds: before.get(name) ?? [] } }]
    }),
  )
  const runner = createRunner({ ...plan, collections }, { now: () => now, sleep: async () => {} })
  const world = runner.newWorld()
  const different = new Map<string, number>()
  /** Our entity tags by the recorded ones, and by their paths with them. */
  const tags = new Map<string, string>()
  /** Our cursors by the recorded ones. */
  const cursors = new Map<unknown, string>()
  let tried = 0
  let equal = 0
  for await (const exchange of exchanges) {
    const { method, query, request, reply } = exchange
    tried += 1
    const matched = matchExchange(exchange, plan)
    if (matched === undefined) {
      count(different, `${method} ${exchange.path}: the contract has no such operation`)
      continue
    }
    const { planned, respond, path } = matched
    const shown = jsonOfMessage(reply)
    const made = respond?.create === undefined ? undefined : memberAt(shown, recordPath(respond.body))
    const idField = plan.collections.get(respond?.create ?? '')?.resource.idField ?? ''
    wanted = isObject(made) ? (idIn(idField, made as JsonObject) as Id | undefined) : undefined
    now = exchange.at
    const { etag } = reply.headers
    const headers: Record<string, string> = {}
    let isKnown = false
    for (const [name, value] of Object.entries(request.headers)) {
      if (OWN_FIELDS.test(name)) continue
      const isCondition = name.startsWith('if-')
      const own = isCondition ? value.replace(/[^\s,]+/g, tag => tags.get(path + tag) ?? tags.get(tag) ?? tag) : value
      isKnown ||= own !== value
      // One that passed may name a version from before the recording, or one that a browser's cache answered with.
      if (!isCondition || reply.status >= 300 || (own !== value && value !== etag)) headers[name] = own
    }
    const body = typeof request.body === 'string' ? request.body : undefined
    const { host } = new URL(exchange.origin)
    const followed = query.replace(/=([^&]*)/g, (pair, text) => {
      const own = cursors.get(decodeSegment(text))
      return own === undefined ? pair : `=${own}`
    })
    const sent = inProcess({ method, path, query: followed, headers: { ...headers, host }, body })
    const answer = (await runner.send(sent, world)).reply
    if (etag !== undefined) for (const key of [etag, path + etag]) tags.set(key, answer.headers.etag ?? etag)
    const at = pathOfPlaceholder(respond?.body, 'page.cursor')
    const place = memberAt(shown, at.slice(0, -1)) as Record<string, unknown> | undefined
    const [name = '', own] = [at.at(-1), memberAt(valueOfBody(answer), at)]
    if (typeof own === 'string' && typeof place?.[name] === 'string') {
      cursors.set(place[name], encodeURIComponent(own))
      place[name] = own
    }
    const found = [...differencesBetween(exchange, shown, answer)]
    if (found.length === 0) equal += 1
    const why = reply.status === 304 && !isKnown ? ' (the condition is by date, or about an earlier version)' : ''
    for (const one of found.slice(0, MOST_DIFFERENCES)) count(different, `${planned.operation.id}: ${one}${why}`)
  }
  return { tried, equal, different }
}

const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

/** The parts that may differ: none, the words of texts, or all values of one type. */
type Leeway = 'none' | 'words' | 'values'

/**
 * The differences between a reply that was seen and one that is given.
 *
 * @param shown the JSON of the first one
 */
export function* differencesBetween(
  { method, origin, reply }: Pick<RecordedExchange, 'method' | 'origin' | 'reply'>,
  shown: Json | undefined,
  answer: Reply,
  leeway: Leeway = reply.status >= 400 ? 'words' : 'none',
): Generator<string> {
  if (answer.status !== reply.status) {
    yield `${reply.status} ≠ ${answer.status}${answer.refusal === undefined ? '' : ` (${answer.refusal.detail})`}`
    return
  }
  if (reply.isPartial || method === 'HEAD') return
  const [body, given] = [reply, answer].map(one => Buffer.from((one.body as string | undefined) ?? '')) as [
    Buffer,
    Buffer,
  ]
  const [type, own] = [reply, answer].map(typeOfMessage)
  if (body.length === 0 || given.length === 0) {
    if (body.length !== given.length) yield body.length === 0 ? 'no body ≠ a body' : 'a body ≠ no body'
  } else if (type !== own && type !== '') yield `${type} ≠ ${own}`
  else if (shown === undefined) {
    if (!body.equals(given) && leeway !== 'words') yield 'another body'
  } else {
    const parsed = parseJson(given.toString(), true)
    if ('value' in parsed) yield* unlike(shown, parsed.value, leeway, origin, [])
  }
}

const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/

function* unlike(
  real: unknown,
  own: unknown,
  leeway: Leeway,
  origin: string,
  at: readonly string[],
): Generator<string> {
  if (Array.isArray(real) && Array.isArray(own)) {
    if (leeway === 'values') return
    if (real.length !== own.length) yield `${pointer(at)} has ${real.length} items ≠ ${own.length}`
    for (let i = 0; i < real.length && i < own.length; i++) yield* unlike(real[i], own[i], leeway, origin, [...at, '*'])
  } else if (isObject(real) && isObject(own)) {
    for (const name of new Set([...Object.keys(real), ...Object.keys(own)]))
      yield* unlike(real[name], own[name], leeway, origin, [...at, name])
  } else if (typeof real !== typeof own || leeway !== 'values') {
    const areTexts = typeof real === 'string' && typeof own === 'string'
    const isTime = areTexts && TIME.test(real) && TIME.test(own)
    // The stand-in is called without TLS.
    const isAddress = areTexts && real.startsWith(origin) && own === real.replace(/^https:/, 'http:')
    const isFree = areTexts && (leeway === 'words' || isTime || isAddress)
    if (!isFree && stringifyJson(real) !== stringifyJson(own))
      yield `${pointer(at)} ${describeValue(real, at.at(-1))} ≠ ${describeValue(own, at.at(-1))}`
  }
}
