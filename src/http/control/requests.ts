// The routes of the journal: listing, verifying and streaming requests.

import { type Criterion, compileFilter, type RequestFilter } from '../../gateway/journal/filter.ts'
import { findUnknown } from '../../gateway/journal/find-unknown.ts'
import type { JournalView } from '../../gateway/journal/portable.ts'
import { selectPage, selectRequests } from '../../gateway/journal/select.ts'
import { verifyRequests } from '../../gateway/journal/verify.ts'
import { DONE, json, problem, stream } from './replies.ts'
import { eventsSchema, RequestEvents } from './request-events.ts'
import { pageSchema, verdictSchema } from './request-schemas.ts'
import type { Call, CallParameter, Control, ControlReply, ControlRoute } from './route.ts'
import { replyWith } from './schemas.ts'

const text = (description: string): CallParameter => ({ schema: { type: 'string', maxLength: 2000 }, description })

/** The query parameters of filters; lists are separated by commas. */
const FILTER: Readonly<Record<Exclude<keyof RequestFilter, 'header'> | 'header.*' | 'body.*', CallParameter>> = {
  operation: text('A list of operations; empty for requests that meant none.'),
  consumer: text('A list of consumers; empty for unknown consumers.'),
  world: text('A list of worlds.'),
  method: text('A list of methods.'),
  path: text('A path, base path included; `*` matches any text.'),
  status: text('A list of statuses or classes of them: `404`, `5xx`.'),
  refusal: text('A list of codes of problems; empty for requests that were not refused.'),
  fault: text('A list of kinds of faults; empty for requests that none struck.'),
  note: text('Text that a note contains.'),
  slowerThan: text('The minimum duration: `250ms`.'),
  since: text('By the real clock: a date, a timestamp, or an offset such as `-5m`.'),
  until: text('By the real clock.'),
  'header.*': text(
    'A request header that the journal keeps: `header.x-request-id=42`. `*` matches any text, the empty text a missing value.',
  ),
  'body.*': text(
    'A field of the request body, by JSON Pointer: `body./name=Rex`, `body./tags/0=*`. `*` matches any text, the empty text a missing value.',
  ),
  body: text('The whole request body, as far as the journal keeps it; `*` matches any text.'),
  after: { schema: { type: 'integer', minimum: 0 }, description: 'Only requests after the one with this id.' },
}

/** The parameters of a call as a filter: `header.x-a` and `body./b` become members of `header` and `body`. */
function filterOf({ body: whole, headers: _, ...parameters }: Call['parameters']): RequestFilter {
  const header: [string, string][] = []
  const body: [string, string][] = whole === undefined ? [] : [['', String(whole)]]
  const plain: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(parameters)) {
    if (name.startsWith('header.')) header.push([name.slice('header.'.length), String(value)])
    else if (name.startsWith('body.')) body.push([name.slice('body.'.length), String(value)])
    else plain[name] = value
  }
  // A header may be named `__proto__`.
  return { ...plain, header: Object.fromEntries(header), body: Object.fromEntries(body) }
}

export function requestRoutes({ gateway }: Control): ControlRoute[] {
  const { journal } = gateway
  /** Reads the filter of a call for this plan, or refuses an invalid one. */
  const read = ({ parameters }: Call, view: JournalView = journal): readonly Criterion[] | ControlReply => {
    const filter = filterOf(parameters)
    const unknown = findUnknown(filter, gateway.plan, view)
    if (unknown !== undefined) return problem(400, 'invalid_request', unknown)
    const criteria = compileFilter(filter, gateway.clock.now(), view)
    return 'fault' in criteria ? problem(400, 'invalid_request', criteria.fault) : criteria
  }
  let streams = 0
  return [
    {
      method: 'GET',
      path: '/requests',
      operation: 'listRequests',
      outsideTurns: true,
      underWorkers: 'shared',
      summary: 'The last requests, in the order in which they were answered.',
      parameters: {
        ...FILTER,
        limit: {
          schema: { type: 'integer', minimum: 1, maximum: 100_000 },
          description:
            'The maximum number of requests, the latest ones; `more` says whether others match. Default: 100.',
        },
      },
      replies: { 200: replyWith('The last of those that match.', pageSchema) },
      answer: async call => {
        const view = await gateway.requests.read()
        const criteria = read(call, view)
        if ('status' in criteria) return criteria
        const { limit = 100 } = call.parameters
        const { requests, total } = selectPage(view, criteria, limit as number)
        return json({ requests, total, more: total > requests.length, evicted: view.evicted })
      },
    },
    {
      method: 'DELETE',
      path: '/requests',
      operation: 'deleteRequests',
      outsideTurns: true,
      underWorkers: 'shared',
      summary: 'Removes all requests from the journal, or those of one world.',
      parameters: { world: text('The world whose requests are forgotten.') },
      replies: { 204: { description: 'Done.' } },
      answer: async ({ parameters }) => {
        await gateway.requests.forget(parameters.world as string | undefined)
        return DONE
      },
    },
    {
      method: 'GET',
      path: '/requests/verify',
      operation: 'verifyRequests',
      outsideTurns: true,
      underWorkers: 'shared',
      summary: 'Whether between `min` and `max` requests match, with the nearest misses if too few do.',
      parameters: {
        ...FILTER,
        min: {
          schema: { type: 'integer', minimum: 0 },
          description: 'The minimum number of matching requests. Default: 1, or 0 with `max`.',
        },
        max: { schema: { type: 'integer', minimum: 0 }, description: 'The maximum number of matching requests.' },
      },
      replies: { 200: replyWith('The verdict.', verdictSchema) },
      answer: async call => {
        const view = await gateway.requests.read()
        const criteria = read(call, view)
        if ('status' in criteria) return criteria
        const { min, max } = call.parameters as { min?: number; max?: number }
        if (min !== undefined && max !== undefined && min > max) {
          return problem(400, 'invalid_request', `min (${min}) must not be more than max (${max})`)
        }
        return json(verifyRequests(view, criteria, { min, max }))
      },
    },
    {
      method: 'GET',
      path: '/requests/stream',
      operation: 'streamRequests',
      outsideTurns: true,
      underWorkers: 'absent',
      summary:
        'A stream of the matching requests as they are answered; with `after`, first those in the journal since then.',
      parameters: {
        ...FILTER,
        headers: {
          schema: { type: 'boolean' },
          description:
            'While the client listens, the journal keeps the headers, bodies and explanations of all requests, credentials masked. Default: false.',
        },
      },
      replies: {
        200: {
          description: 'The stream ends when the client disconnects.',
          content: { 'text/event-stream': eventsSchema },
        },
        429: { description: `${MOST_STREAMS} clients listen already.` },
      },
      answer: call => {
        const criteria = read(call)
        if ('status' in criteria) return criteria
        if (streams >= MOST_STREAMS)
          return problem(429, 'too_many_streams', `${MOST_STREAMS} clients are already listening; close one of them`)
        streams += 1
        const stopWatching = call.parameters.headers === true ? journal.watch() : undefined
        const past = call.parameters.after === undefined ? [] : selectRequests(journal, criteria, MOST_PAST)
        const events = new RequestEvents(
          listener => journal.listen(listener),
          criteria,
          () => {
            streams -= 1
            stopWatching?.()
          },
        )
        for (const request of past) events.tell(request)
        return stream('text/event-stream', events)
      },
    },
  ]
}

const MOST_STREAMS = 100
const MOST_PAST = 1000
