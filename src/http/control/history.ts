// The past of a world: what changed in it, and how it is rewound.

import type { Gateway } from '../../gateway/gateway.ts'
import { type JournalEntry, LOST } from '../../gateway/journal/journal.ts'
import { describeChanges, isTold } from '../../state/described-changes.ts'
import { type HistoryEntry, MOST_ENTRIES } from '../../state/history.ts'
import type { State } from '../../state/state.ts'
import { parseMoment, timestamp } from '../../world/dates.ts'
import { badRequest, type ControlReply, json, problem, refuseAbsent } from './replies.ts'
import {
  type Control,
  type ControlRoute,
  described,
  inWorld,
  nameParameter,
  natural,
  object,
  outsideTurns,
  type PlainRoute,
  positive,
  refuseWorld,
  replyWith,
  shape,
  under,
  type WorldRoute,
} from './route.ts'

interface Target {
  readonly to: number | string | { readonly request: number }
  readonly into?: string
}

const REWIND = 'POST /worlds/{name}/rewind'

export const historyRoutes = ({ gateway }: Control): ControlRoute[] => [
  ...under('shared', { getHistory: inWorld(gateway.worlds, getHistory(gateway)) }),
  ...outsideTurns(under('shared', { rewindWorld: rewindWorld(gateway) })),
]

const getHistory = (gateway: Gateway): WorldRoute => ({
  at: 'GET /worlds/{name}/history',
  summary: `What changed in a world, when, and by which request; the latest first. At most ${MOST_ENTRIES} entries are remembered.`,
  parameters: {
    limit: described('The maximum number of entries. Default: 100.', { ...positive, maximum: MOST_ENTRIES }),
    before: described('Only entries before this position.', positive),
  },
  replies: {
    200: replyWith('The history.', shape('WorldHistory')),
    409: 'The changes of worlds are not recorded.',
  },
  handle: ({ name }, { parameters }) => {
    if (gateway.state === undefined) return refuseUnrecorded()
    const { history } = gateway.state
    const { limit = 100, before = Number.POSITIVE_INFINITY } = parameters as { limit?: number; before?: number }
    const all = history
      .of(name)
      .filter(({ position, effects }) => position < before && effects.some(({ kind }) => isTold(kind)))
    const entries = all.slice(-limit).reverse()
    return json({
      entries: entries.map(describeHistoryEntry),
      more: all.length > entries.length,
      reach: history.reach,
    })
  },
})

const rewindWorld = (gateway: Gateway): PlainRoute => ({
  at: REWIND,
  summary:
    'Restores an earlier state of a world: after a position, at a time, or before a request. This is a change, too, and can be undone.',
  parameters: nameParameter,
  body: {
    description: 'How far.',
    schema: object({
      to: {
        type: ['integer', 'string', 'object'],
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        required: ['request'],
        additionalProperties: false,
        properties: { request: { ...positive, maximum: Number.MAX_SAFE_INTEGER } },
        description:
          'A position; a date, timestamp or offset such as -5m, by the real clock; or `{"request": 17}`, the id of a request in GET /requests.',
      },
      'into?': described('A new world that gets the earlier state instead; this world stays as it is.'),
    }),
  },
  replies: {
    200: replyWith('The world is restored.', object({ position: natural, reversed: natural })),
    404: 'The world does not exist, or the journal does not have the request.',
    409: 'The history does not reach back so far, ends before that position, or is not kept; or the new world exists.',
  },
  handle: async call => {
    const target = call.body as unknown as Target
    const { to } = target
    // Another process may have answered it: no turn waits for that.
    const request = typeof to === 'object' ? (await gateway.requests.read()).find(to.request) : undefined
    return gateway.change(() => rewind(gateway, call.parameters.name as string, target, request), REWIND)
  },
})

function rewind(gateway: Gateway, name: string, { to, into }: Target, request: JournalEntry | undefined): ControlReply {
  const { state, worlds, clock } = gateway
  if (worlds.get(name) === undefined) return refuseWorld('unknown', name, worlds)
  const fault = into === undefined ? undefined : worlds.refuses(into)
  if (fault !== undefined) return refuseWorld(fault, into as string, worlds)
  if (state === undefined) return refuseUnrecorded()
  const position = positionOf(to, name, state, clock.now(), request)
  if (typeof position !== 'number') return position
  const reversed = state.rewind(name, position, into)
  if (reversed !== undefined) return json({ position, reversed })
  return outOfReach(`the history begins at position ${state.history.reach}, after ${position}`)
}

const refuseUnrecorded = (): ControlReply =>
  problem(409, 'not_recorded', 'the changes of worlds are recorded with state: { history: true }, a file or Redis')

const describeHistoryEntry = (entry: HistoryEntry) => {
  const { position, at, by } = entry
  return { position, at: timestamp(at), by, changes: describeChanges(entry) }
}

const outOfReach = (detail: string): ControlReply => problem(409, 'out_of_reach', detail)

/** Returns the position to rewind to, or the reason why there is none. */
function positionOf(
  to: Target['to'],
  world: string,
  { history, position: end }: State,
  now: number,
  request: JournalEntry | undefined,
): number | ControlReply {
  if (typeof to === 'number') {
    return to <= end ? to : outOfReach(`the history ends at position ${end}, before ${to}`)
  }
  if (typeof to === 'string') {
    const time = parseMoment(to, now)
    if (time !== undefined) return lastBefore(history, world, time, `"${to}"`)
    return badRequest('"to" must be a position, {"request": 17}, or a date, timestamp or offset such as -5m')
  }
  if (request === undefined) return refuseAbsent(`the journal has no request ${to.request}`)
  if (request.world !== world) return refuseAbsent(`the request ${to.request} was in another world: ${request.world}`)
  if (request.position === LOST) return outOfReach(`the log was lost after request ${to.request}, and has begun anew`)
  // A request that changed nothing: rewind to its arrival.
  return request.position === undefined
    ? lastBefore(history, world, request.at - request.milliseconds, `request ${to.request}`)
    : request.position - 1
}

/** Returns the position of a world at a time. @param named the time as a refusal names it */
function lastBefore(history: State['history'], world: string, time: number, named: string): number | ControlReply {
  const last = history
    .of(world)
    .filter(({ at }) => at <= time)
    .at(-1)
  if (last !== undefined) return last.position
  const { since, reach } = history
  return time >= since ? reach : outOfReach(`the history begins at ${timestamp(since)}, after ${named}`)
}
