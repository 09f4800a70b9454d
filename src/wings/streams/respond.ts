// `stream: …`: sends items one after the other.

import type { Exchange, Handler, Site } from '../../behaviours/behaviour.ts'
import { resourceOf } from '../../behaviours/respond/key.ts'
import { compileFilters, parameterLocator } from '../../behaviours/respond/list.ts'
import type { Responder } from '../../behaviours/responder.ts'
import { sceneOf, writeHeaders } from '../../contract/answer/headers.ts'
import { type MediaType, type ResponseSpec, responseFor, successStatus } from '../../contract/contract.ts'
import { compileNegotiation, essenceOf, framingOf, type Sequence, writeSequence } from '../../contract/media-types.ts'
import { fixed } from '../../kernel/distribution.ts'
import { firstOf, problems, type Reply, type ReplyStream, refuse } from '../../kernel/http.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { parseDuration } from '../../kernel/units.ts'
import { monotonic } from '../../world/real-time.ts'
import { selects } from '../../world/records/rows.ts'
import type { Entry } from '../../world/records/types.ts'
import { arrange } from '../../world/records/values.ts'
import { keys, type PacedConfig, type StreamConfig } from './config.ts'
import { type FeedEvent, seenChange } from './feed.ts'
import { compileItems } from './items.ts'
import { type Course, type Streams, streamsObserver } from './observe.ts'
import { compilePace, waitUntil } from './pace.ts'

export const stream: Responder<StreamConfig> = {
  kind: 'stream',
  keys,
  changes: false,
  compile(config, site) {
    const source = config.stream
    if (typeof source !== 'string' && config.filter !== undefined) {
      site.error('idle-key', '"filter" has no effect without a resource', ['filter'], 'write stream: RESOURCE', 'key')
    }
    const handlers = new Map<string, Handler>()
    for (const medium of mediaOf(site)) {
      const handler =
        typeof source === 'string'
          ? compileFeed(config, source, medium, site)
          : compilePaced(source ?? {}, medium, site)
      if (handler === undefined) return undefined
      handlers.set(medium.type, handler)
    }
    return handlers.size === 0 ? undefined : chooseByAccept(handlers, site)
  },
  describe: ({ stream }) => (typeof stream === 'string' ? `stream ${stream}` : 'stream'),
}

/** The media type of a stream, with the reply that documents it. */
interface Medium {
  readonly status: number
  readonly response: ResponseSpec
  readonly type: string
  readonly media: MediaType
  readonly sequence: Sequence
}

/** Returns the types that are streams; none after reporting that the contract documents none. */
function mediaOf({ operation, error }: Site): readonly Medium[] {
  const status = successStatus(operation, 200)
  const response = responseFor(operation, status)
  const all = [...(response?.content ?? [])]
  const media = all.flatMap(([type, media]): readonly Medium[] => {
    const framing = framingOf(essenceOf(type))
    if (response === undefined || framing === undefined) return []
    const sequence = media.sequence ?? { framing, fields: false, jsonData: false, partType: undefined }
    return [{ status, response, type, media, sequence }]
  })
  if (media.length === 0) {
    const known = all.map(([type]) => type).join(', ') || 'nothing'
    const hint =
      'document text/event-stream, application/jsonl, application/x-ndjson, application/json-seq or multipart/mixed'
    error('no-stream', `the reply of ${operation.id} is no stream, but ${known}`, ['stream'], hint)
  }
  return media
}

/**
 * Sends the stream whose type the client prefers, and answers as the contract has it where that is no stream. A client that accepts
 * anything gets the first stream, and so does every client of a stream that a rule chose, whatever it accepts.
 */
function chooseByAccept(handlers: ReadonlyMap<string, Handler>, { operation, answers, rule }: Site): Handler {
  const documented = [...(responseFor(operation, successStatus(operation, 200))?.content.keys() ?? [])]
  const types = [...handlers.keys(), ...documented.filter(type => !handlers.has(type))]
  const negotiate = compileNegotiation(types)
  const [usual] = handlers.values()
  return async exchange => {
    const accept = firstOf(exchange.request.headers.accept)
    const isAny = accept === undefined || /^\s*\*\/\*\s*$/.test(accept)
    const index = isAny ? 0 : negotiate(accept)
    const chosen = index === undefined ? undefined : handlers.get(types[index] as string)
    const handler = chosen ?? (rule === undefined ? undefined : usual)
    return handler?.(exchange) ?? answers.reply(exchange.question())
  }
}

const BOUNDARY = 'part-of-the-stream'

/** Sends a stream: `undefined` for an item is a heartbeat. */
interface Sending {
  readonly exchange: Exchange
  readonly medium: Medium
  readonly streams: Streams | undefined
  /** Begins an event stream: the time after which a client connects again, in milliseconds. */
  readonly retry: number
  items(): AsyncGenerator<Sent>
}

/** An item with the id of its event; a heartbeat has neither. */
interface Sent {
  readonly item?: Json
  readonly id?: string
}

function send({ exchange, medium, streams, retry, items }: Sending): Reply {
  const { request, operation } = exchange
  const { status, response, type, sequence } = medium
  const isEvents = sequence.framing === 'events'
  const contentType = sequence.framing === 'parts' ? `${essenceOf(type)}; boundary=${BOUNDARY}` : type
  const headers = { ...writeHeaders(response, sceneOf(exchange, status)), 'content-type': contentType }
  if (request.method === 'HEAD') {
    // Without a stream the head would say that the length is 0.
    return { status, headers, body: undefined, stream: { chunks: [], fields: [], trailers: () => ({}) } }
  }
  const course: Course = { items: 0, first: undefined, ended: 'the client left' }
  let end = (_: Course): void => {}
  const done = new Promise<Course>(resolve => {
    end = resolve
  })
  const began = monotonic()
  async function* texts(): AsyncGenerator<Uint8Array> {
    const count = streams?.begin(operation.id)
    try {
      // Not an item by itself, so that faults count items only.
      let before = isEvents ? `retry: ${retry}\n` : ''
      for await (const { item, id } of items()) {
        if (item === undefined) {
          if (isEvents) yield Buffer.from(':\n\n')
          continue
        }
        course.first ??= monotonic() - began
        course.items += 1
        yield Buffer.from(before + (isEvents ? eventOf(item, id, sequence) : partOf(item, sequence)))
        before = ''
      }
      if (sequence.framing === 'parts') yield Buffer.from(`--${BOUNDARY}--\r\n`)
      if (request.signal?.aborted !== true) course.ended = 'all were sent'
    } catch (error) {
      course.ended = 'it failed'
      throw error
    } finally {
      count?.(course)
      end(course)
    }
  }
  const lastText = isEvents ? `retry: ${retry}\n\n` : ''
  const chunks = streams?.untilStopped(texts(), lastText) ?? texts()
  const stream: ReplyStream = { chunks, fields: [], trailers: () => ({}) }
  streams?.follow(stream, done)
  return { status, headers, body: undefined, stream }
}

/** The text of an item; of parts without the end of them all. */
const partOf = (item: Json, sequence: Sequence): string => {
  const text = writeSequence([item], sequence, BOUNDARY)
  return sequence.framing === 'parts' ? text.slice(0, -`--${BOUNDARY}--\r\n`.length) : text
}

/** The text of an event, whose id is that by which a client resumes. */
function eventOf(item: Json, id: string | undefined, sequence: Sequence): string {
  const { id: _, ...event } =
    sequence.fields && isObject(item) ? (item as Record<string, Json>) : { id: null, data: item }
  const text = writeSequence([event as Json], { ...sequence, fields: true }, BOUNDARY)
  return id === undefined ? text : `id: ${id}\n${text}`
}

const tooMany = ({ most }: Streams): Reply =>
  refuse(problems.overloaded, `${most} streams are open; limits.streams admits no more`, { 'retry-after': '1' })

const NO_CONTENT: Reply = { status: 204, headers: {}, body: undefined }

function compilePaced(config: PacedConfig, medium: Medium, site: Site): Handler | undefined {
  const first = compilePace(config.first, ['stream', 'first'], site)
  const usualGap = compilePace(config.gap, ['stream', 'gap'], site)
  const items = compileItems(config, medium.media, medium.type, site)
  if (items === undefined) return undefined
  const retry = parseDuration(config.retry ?? '1s') ?? 1000
  return async exchange => {
    const streams = exchange.state(streamsObserver)
    if (streams?.isFull) return tooMany(streams)
    const { world, operation, request } = exchange
    const resumed = /^(\d{1,9})-(\d{1,9})$/.exec(firstOf(request.headers['last-event-id']) ?? '')
    const [ordinal, from] = resumed === null ? [exchange.ordinal, 0] : [Number(resumed[1]), Number(resumed[2]) + 1]
    const count = exchange.choice?.items ?? items.count
    if (resumed !== null && from >= count) return NO_CONTENT
    const asked = exchange.choice?.gap
    const gap = asked === undefined ? usualGap : fixed(parseDuration(asked) ?? 0)
    const draw = (purpose: string) => world.draw(operation.id, ordinal, purpose)
    async function* paced(): AsyncGenerator<Sent> {
      let due = exchange.clock.now()
      for (let index = from; index < count; index++) {
        const time = index === 0 ? first : gap
        due += time(draw(index === 0 ? 'first' : `gap ${index}`))
        while (!(await waitUntil(due, exchange, streams))) yield {}
        if (request.signal?.aborted === true) return
        yield { item: items!.make(exchange, ordinal, index), id: `${ordinal}-${index}` }
      }
    }
    return send({ exchange, medium, streams, retry, items: paced })
  }
}

/** Sends the changes of a resource, as a list with these filters would show them. */
function compileFeed(config: StreamConfig, name: string, medium: Medium, site: Site): Handler | undefined {
  const resource = resourceOf(name, ['stream'], site)
  if (resource === undefined) return undefined
  const select = compileFilters({ filter: config.filter }, resource, site, parameterLocator(site))
  return async exchange => {
    const streams = exchange.state(streamsObserver)
    if (streams === undefined) return site.answers.reply(exchange.question())
    if (streams.isFull) return tooMany(streams)
    const selected = select?.(exchange) ?? { filters: [] }
    if ('rule' in selected) return site.invalid([selected])
    const isSelected = (entry: Entry): boolean =>
      selected.filters.every(filter => selects(filter, entry)) &&
      arrange([entry], { limit: 1, filters: [], comparisons: selected.comparisons }).length === 1
    const { world, request } = exchange
    const feed = streams.feedOf(world, name)
    const last = firstOf(request.headers['last-event-id'])
    const at = last === undefined || last === '' ? feed.last : positionIn(last, feed.name)
    if (at === undefined || feed.since(at) === undefined) return NO_CONTENT
    async function* events(): AsyncGenerator<Sent> {
      for (let position: number = at as number; request.signal?.aborted !== true; ) {
        const fresh = feed.since(position)
        // The client is too slow: it connects again, and is told that events are lost.
        if (fresh === undefined) return
        for (const event of fresh) {
          position = event.position
          const item = itemOf(event, isSelected)
          if (item !== undefined) yield { item, id: `${feed.name}-${position}` }
        }
        if (fresh.length === 0 && !(await streams!.next(feed, request.signal))) yield {}
      }
    }
    const fields = { ...medium, sequence: { ...medium.sequence, fields: true } }
    return send({ exchange, medium: fields, streams, retry: 1000, items: events })
  }
}

/** Returns the position that an id names; `undefined` for the id of another feed. */
function positionIn(id: string, feed: string): number | undefined {
  const digits = id.startsWith(`${feed}-`) ? id.slice(feed.length + 1) : ''
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined
}

function itemOf({ change }: FeedEvent, isSelected: (entry: Entry) => boolean): Json | undefined {
  if (change === undefined) return { event: 'reset', data: {} }
  const seen = seenChange(change, isSelected)
  return seen && { event: seen.kind, data: seen.record }
}
