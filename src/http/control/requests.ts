// The routes of the journal: listing, verifying and streaming requests.

import { Readable } from 'node:stream'
import type { Gateway } from '../../gateway/gateway.ts'
import type { JournalView } from '../../gateway/journal/all-requests.ts'
import { describeEntry } from '../../gateway/journal/entry.ts'
import {
  type Criterion,
  matches,
  type RequestFilter,
  readFilter,
  selectPage,
  selectRequests,
  verifyRequests as verify,
} from '../../gateway/journal/filter.ts'
import { harEntryOf, writeHar } from '../../gateway/journal/har.ts'
import type { Journal } from '../../gateway/journal/journal.ts'
import { JSON_TYPE } from '../../kernel/http.ts'
import { mapValues } from '../../kernel/json.ts'
import { type ControlReply, DONE, done, json, problem, stream, text } from './replies.ts'
import schemas from './reply-schemas.json' with { type: 'json' }
import {
  type Call,
  type CallParameter,
  type Control,
  type ControlRoute,
  described,
  flag,
  natural,
  outsideTurns,
  type PlainRoute,
  positive,
  replyWith,
  shape,
  string,
  under,
} from './route.ts'

/** The schema of a stream is that of a text; it describes one event. */
const eventsSchema = {
  type: 'string',
  description:
    'Server-sent events. The data of `request` is a request as GET /requests has it; that of `dropped`, `{"count":3}`, is how many were left out because the client reads too slowly.',
}

const criterion = (description: string): CallParameter => described(description, { ...string, maxLength: 2000 })

const { header, body, after, ...others } = schemas.RequestFilter.properties

/** The query parameters of filters. */
const FILTER: Readonly<Record<string, CallParameter>> = {
  ...mapValues(others, ({ description }) => criterion(description)),
  'header.*': criterion(header.description),
  'body.*': criterion(body.description),
  body: criterion('The whole kept request body; `*` matches any text.'),
  after: described(after.description, natural),
}

/** The parameters of a call as a filter: `header.x-a` and `body./b` become members of `header` and `body`. */
function filterOf({ body: text, headers: _, ...parameters }: Call['parameters']): RequestFilter {
  const header: [string, string][] = []
  const body: [string, string][] = text === undefined ? [] : [['', String(text)]]
  const plain: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(parameters)) {
    if (name.startsWith('header.')) header.push([name.slice('header.'.length), String(value)])
    else if (name.startsWith('body.')) body.push([name.slice('body.'.length), String(value)])
    else plain[name] = value
  }
  // A header may be named `__proto__`.
  return { ...plain, header: Object.fromEntries(header), body: Object.fromEntries(body) }
}

/** The maximum number of characters that wait for a slow client; more events are dropped, and counted in the stream. */
const MOST_WAITING = 1_000_000
/** Milliseconds between signs of life on a quiet stream. */
const HEARTBEAT = 15_000

const MOST_STREAMS = 100
const MOST_PAST = 1000

export const requestRoutes = ({ gateway, about }: Control): ControlRoute[] => [
  ...outsideTurns(
    under('shared', {
      listRequests: listRequests(gateway, about.version),
      deleteRequests: deleteRequests(gateway),
      verifyRequests: verifyRequests(gateway),
    }),
  ),
  ...outsideTurns(under('absent', { streamRequests: streamRequests(gateway) })),
]

/** Reads the filter of a call for the served plan; throws `Refused` for an invalid one. */
const criteriaOf = ({ parameters }: Call, gateway: Gateway, view: JournalView): readonly Criterion[] =>
  readFilter(filterOf(parameters), gateway.plan, gateway.clock.now(), view)

/** Answers with the requests of all processes that match. */
const selecting =
  (
    gateway: Gateway,
    handle: (view: JournalView, criteria: readonly Criterion[], call: Call) => ControlReply,
  ): ControlRoute['handle'] =>
  async call => {
    const view = await gateway.requests.read()
    return handle(view, criteriaOf(call, gateway, view), call)
  }

const listRequests = (gateway: Gateway, version: string): PlainRoute => ({
  at: 'GET /requests',
  summary: 'The last requests, in the order in which they were answered.',
  parameters: {
    ...FILTER,
    limit: described(
      'The maximum number of requests, the latest ones; `more` says whether others match. Default: 100.',
      { ...positive, maximum: 100_000 },
    ),
    format: described('`har` for a HAR 1.2, with the bodies that the journal keeps whole. Default: `json`.', {
      ...string,
      enum: ['json', 'har'],
    }),
  },
  replies: { 200: replyWith('The last of those that match.', shape('RequestPage')) },
  handle: selecting(gateway, (view, criteria, { parameters: { limit = 100, format } }) => {
    const { requests, total } = selectPage(view, criteria, limit as number)
    if (format === 'har') return text(writeHar(requests.map(harEntryOf), version), JSON_TYPE)
    return json({ requests, total, more: total > requests.length, evicted: view.evicted })
  }),
})

const deleteRequests = (gateway: Gateway): PlainRoute => ({
  at: 'DELETE /requests',
  summary: 'Removes all requests from the journal, or those of one world.',
  parameters: { world: criterion('The world whose requests are forgotten.') },
  replies: done,
  handle: async ({ parameters }) => {
    await gateway.requests.forget(parameters.world as string | undefined)
    return DONE
  },
})

const verifyRequests = (gateway: Gateway): PlainRoute => ({
  at: 'GET /requests/verify',
  summary: 'Whether between `min` and `max` requests match, with the nearest misses if too few do.',
  parameters: {
    ...FILTER,
    min: described('The minimum number of matching requests. Default: 1, or 0 with `max`.', natural),
    max: described('The maximum number of matching requests.', natural),
  },
  replies: { 200: replyWith('The verdict.', shape('Verdict')) },
  handle: selecting(gateway, (view, criteria, { parameters }) => {
    const { min, max } = parameters as { min?: number; max?: number }
    return json(verify(view, criteria, { min, max }))
  }),
})

const streamRequests = (gateway: Gateway): PlainRoute => ({
  at: 'GET /requests/stream',
  summary:
    'A stream of the matching requests as they are answered; with `after`, first those in the journal since then.',
  parameters: {
    ...FILTER,
    headers: described(
      'While the client listens, the journal keeps the headers, bodies and explanations of all requests, credentials masked. Default: false.',
      flag,
    ),
  },
  replies: {
    200: {
      description: 'The stream ends when the client disconnects.',
      content: { 'text/event-stream': eventsSchema },
    },
    429: `${MOST_STREAMS} clients listen already.`,
  },
  handle: handleStreams(gateway),
})

function handleStreams(gateway: Gateway): PlainRoute['handle'] {
  const { journal } = gateway
  let streams = 0
  return call => {
    const criteria = criteriaOf(call, gateway, journal)
    if (streams >= MOST_STREAMS)
      return problem(429, 'too_many_streams', `${MOST_STREAMS} clients are already listening; close one of them`)
    streams += 1
    const stopWatching = call.parameters.headers === true ? journal.watch() : undefined
    const past = call.parameters.after === undefined ? [] : selectRequests(journal, criteria, MOST_PAST)
    const { events, tell } = openEvents(journal, criteria, () => {
      streams -= 1
      stopWatching?.()
    })
    for (const request of past) tell(request)
    return stream('text/event-stream', events)
  }
}

/**
 * Opens a stream of the requests that match, as server-sent events.
 *
 * @param ended is called when the client has disconnected
 */
function openEvents(journal: Journal, criteria: readonly Criterion[], ended: () => void) {
  const events = new Readable({ highWaterMark: MOST_WAITING, encoding: 'utf8', read() {} })
  let omitted = 0
  const tell = (request: { readonly id: number }): void => {
    if (events.readableLength >= MOST_WAITING) {
      omitted += 1
      return
    }
    if (omitted > 0) events.push(`event: dropped\ndata: {"count":${omitted}}\n\n`)
    omitted = 0
    events.push(`event: request\nid: ${request.id}\ndata: ${JSON.stringify(request)}\n\n`)
  }
  const stopListening = journal.listen(entry => {
    if (matches(criteria, entry)) tell(describeEntry(entry))
  })
  const heartbeat = setInterval(() => events.push(': \n\n'), HEARTBEAT)
  heartbeat.unref()
  events.once('close', () => {
    stopListening()
    clearInterval(heartbeat)
    ended()
  })
  // The client then knows at once that the stream has begun.
  events.push(': listening\n\n')
  return { events, tell }
}
