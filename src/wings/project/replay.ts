// Plays a recording against its stand-in and compares the replies. The stand-in has the records from before the recording, the
// time of each request, and gives new records the ids that they got.

import { pathOfPlaceholder, recordPath } from '../../behaviours/respond/shape.ts'
import type { Reply } from '../../kernel/http.ts'
import { inProcess } from '../../kernel/in-process.ts'
import { isObject, type Json, type JsonObject, memberAt, parseJson, pointer, stringifyJson } from '../../kernel/json.ts'
import type { Plan } from '../../plan/plan.ts'
import { drawUuid } from '../../world/draws.ts'
import type { CollectionOptions, Id } from '../../world/records/types.ts'
import { idIn } from '../../world/records/values.ts'
import type { World } from '../../world/world.ts'
import { createRunner, type TrialRunner } from '../probe/runner.ts'
import { hasBlank } from './blanks.ts'
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

/** @param before the records before the recording, of the resources that are not served with other seeds */
export async function replayRecording(
  exchanges: AsyncIterable<RecordedExchange>,
  plan: Plan,
  before: ReadonlyMap<string, readonly JsonObject[]>,
): Promise<ReplayProof> {
  const replay = new Replay(plan, before)
  for await (const exchange of exchanges) await replay.play(exchange)
  return replay
}

class Replay implements ReplayProof {
  tried = 0
  equal = 0
  readonly different = new Map<string, number>()
  readonly #plan: Plan
  readonly #runner: TrialRunner
  readonly #world: World
  /** The time of the request. */
  #now = 0
  /** The id that the next new record gets. */
  #id: Id | undefined
  /** The first ordinal of a new record for this request. */
  #first: number | undefined
  /** Our entity tags by the recorded ones, and by their paths with them. */
  readonly #tags = new Map<string, string>()
  /** Our cursors by the recorded ones. */
  readonly #cursors = new Map<unknown, string>()

  constructor(plan: Plan, before: ReadonlyMap<string, readonly JsonObject[]>) {
    const collections: Plan['collections'] = new Map(
      [...plan.collections].map(([name, { options, resource }]) => {
        const recorded = (ordinal: number) => this.#newId(ordinal, options) as string
        const generated = options.assign === 'client' ? {} : { assign: 'generate' as const, newId: recorded }
        return [
          name,
          {
            options: { ...options, ...generated },
            resource: { ...resource, seeds: before.get(name) ?? resource.seeds },
          },
        ]
      }),
    )
    this.#plan = plan
    this.#runner = createRunner({ ...plan, collections }, { now: () => this.#now, sleep: async () => {} })
    this.#world = this.#runner.newWorld()
  }

  /** Returns the recorded id; another one where that is taken, or the request made no record. */
  #newId(ordinal: number, { name, seed, assign, newId }: CollectionOptions): Id {
    this.#first ??= ordinal
    if (this.#id !== undefined && ordinal === this.#first) return this.#id
    if (assign === 'sequence') return ordinal
    return assign === 'uuid' ? drawUuid(seed, name, ordinal) : (newId?.(ordinal) ?? String(ordinal))
  }

  async play(exchange: RecordedExchange): Promise<void> {
    const { method, query, request, reply } = exchange
    this.tried += 1
    const matched = matchExchange(exchange, this.#plan)
    if (matched === undefined) {
      this.#count(`${method} ${exchange.path}: the contract has no such operation`)
      return
    }
    const { planned, respond, path } = matched
    const shown = jsonOfMessage(reply)
    const made = respond?.create === undefined ? undefined : memberAt(shown, recordPath(respond.body))
    const idField = this.#plan.collections.get(respond?.create ?? '')?.resource.idField ?? ''
    this.#id = isObject(made) ? (idIn(idField, made as JsonObject) as Id | undefined) : undefined
    this.#first = undefined
    this.#now = exchange.at
    const { headers, isKnown } = this.#headersFor(exchange, path)
    const body = typeof request.body === 'string' ? request.body : undefined
    const followed = query.replace(/=([^&]*)/g, (pair, text) => {
      const cursor = this.#cursors.get(decodeSegment(text))
      return cursor === undefined ? pair : `=${cursor}`
    })
    const sent = inProcess({ method, path, query: followed, headers, body })
    const answer = (await this.#runner.send(sent, this.#world)).reply
    const { etag } = reply.headers
    if (etag !== undefined) for (const key of [etag, path + etag]) this.#tags.set(key, answer.headers.etag ?? etag)
    this.#noteCursor(pathOfPlaceholder(respond?.body, 'page.cursor'), shown, answer)
    const found = [...differencesBetween(exchange, shown, answer)]
    if (found.length === 0) this.equal += 1
    const why = reply.status === 304 && !isKnown ? ' (the condition is by date, or about an earlier version)' : ''
    for (const difference of found.slice(0, MOST_DIFFERENCES))
      this.#count(`${planned.operation.id}: ${difference}${why}`)
  }

  /** Returns the header fields to send, with our entity tags, and whether they name a tag of ours. */
  #headersFor({ origin, request, reply }: RecordedExchange, path: string) {
    const headers: Record<string, string> = { host: new URL(origin).host }
    let isKnown = false
    for (const [name, value] of Object.entries(request.headers)) {
      if (OWN_FIELDS.test(name)) continue
      const isCondition = name.startsWith('if-')
      const tagOf = (tag: string) => this.#tags.get(path + tag) ?? this.#tags.get(tag) ?? tag
      const sent = isCondition ? value.replace(/[^\s,]+/g, tagOf) : value
      isKnown ||= sent !== value
      // One that passed may name a version from before the recording, or one that a browser's cache answered with.
      if (!isCondition || reply.status >= 300 || (sent !== value && value !== reply.headers.etag)) headers[name] = sent
    }
    return { headers, isKnown }
  }

  /** Notes our cursor by the recorded one, which it replaces in the value that was shown. */
  #noteCursor(at: readonly string[], shown: Json | undefined, answer: Reply): void {
    const place = memberAt(shown, at.slice(0, -1)) as Record<string, unknown> | undefined
    const [name = '', cursor] = [at.at(-1), memberAt(valueOfBody(answer), at)]
    if (typeof cursor !== 'string' || typeof place?.[name] !== 'string') return
    this.#cursors.set(place[name], encodeURIComponent(cursor))
    place[name] = cursor
  }

  #count(difference: string): void {
    this.different.set(difference, (this.different.get(difference) ?? 0) + 1)
  }
}

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
    // A value that is recorded again, later, gets another blank.
    const areBlanks = areTexts && hasBlank(real) && hasBlank(own)
    const isFree = areTexts && (leeway === 'words' || isTime || isAddress || areBlanks)
    if (!isFree && stringifyJson(real) !== stringifyJson(own))
      yield `${pointer(at)} ${describeValue(real, at.at(-1))} ≠ ${describeValue(own, at.at(-1))}`
  }
}
