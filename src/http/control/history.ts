// Shows the changes of a world and rewinds it, for a recorded state.

import { type JournalEntry, LOST } from '../../gateway/journal/entry.ts'
import { describeChanges, type History, type HistoryEntry, isTold, MOST_ENTRIES } from '../../gateway/state/history.ts'
import type { KeptState } from '../../gateway/state/kept-state.ts'
import { timestamp } from '../../world/clock.ts'
import { parseMoment } from '../../world/world-clock.ts'
import { inWorld, nameParameter, refuseWorld } from './find-world.ts'
import { badRequest, json, problem } from './replies.ts'
import { type Control, type ControlReply, type ControlRoute, under } from './route.ts'
import { dateTime, integerParameter, list, natural, object, replyWith, string } from './schemas.ts'

const entrySchema = object({
  position: { ...natural, description: 'Its place in the log.' },
  at: { ...dateTime, description: 'By the real clock.' },
  by: { ...string, description: 'The request that made the change; empty for changes without a request.' },
  changes: list(object({ change: string, 'collection?': string, 'id?': { type: ['string', 'integer'] } })),
})

const historySchema = object({
  entries: list(entrySchema),
  more: { type: 'boolean', description: 'Whether there are older ones that are remembered.' },
  reach: { ...natural, description: 'The earliest position that can be restored.' },
})

interface Target {
  readonly to: number | string | { readonly request: number }
}

const REWIND = 'POST /worlds/{name}/rewind'

export const historyRoutes = ({ gateway }: Control): ControlRoute[] => {
  const { worlds } = gateway
  const rewind = (name: string, to: Target['to'], request: JournalEntry | undefined): ControlReply => {
    const { state } = gateway
    if (worlds.get(name) === undefined) return refuseWorld('unknown', name, worlds)
    if (state === undefined) return refuseUnrecorded()
    const position = positionOf(to, name, state, gateway.clock.now(), request)
    if (typeof position !== 'number') return position
    const reversed = state.worldLog.rewind(name, position)
    if (reversed !== undefined) return json({ position, reversed })
    return outOfReach(`the history begins at position ${state.worldLog.history.reach}, after ${position}`)
  }
  return under('shared', [
    inWorld(worlds, {
      at: 'GET /worlds/{name}/history',
      operation: 'getHistory',
      summary: `What changed in a world, when, and by which request; the latest first. At most ${MOST_ENTRIES} entries are remembered.`,
      parameters: {
        limit: integerParameter('The maximum number of entries. Default: 100.', 1, MOST_ENTRIES),
        before: integerParameter('Only entries before this position.', 1),
      },
      replies: {
        200: replyWith('The history.', historySchema),
        409: 'The changes of worlds are not recorded.',
      },
      handle: ({ name }, { parameters }) => {
        if (gateway.state === undefined) return refuseUnrecorded()
        const { history } = gateway.state.worldLog
        const { limit = 100, before = Number.POSITIVE_INFINITY } = parameters as { limit?: number; before?: number }
        const all = history
          .of(name)
          .filter(({ position, effects }) => position < before && effects.some(([kind]) => isTold(kind)))
        const entries = all.slice(-limit).reverse()
        return json({
          entries: entries.map(describeHistoryEntry),
          more: all.length > entries.length,
          reach: history.reach,
        })
      },
    }),
    {
      at: REWIND,
      operation: 'rewindWorld',
      outsideTurns: true,
      summary:
        'Restores an earlier state of a world: after a position, at a time, or before a request. This is a change, too, and can be undone.',
      parameters: nameParameter,
      body: {
        description: 'How far.',
        schema: object({
          to: {
            type: ['integer', 'string', 'object'],
            minimum: 0,
            required: ['request'],
            additionalProperties: false,
            properties: { request: { type: 'integer', minimum: 1 } },
            description:
              'A position; a date, timestamp or offset such as -5m, by the real clock; or `{"request": 17}`, the id of a request in GET /requests.',
          },
        }),
      },
      replies: {
        200: replyWith('The world is restored.', object({ position: natural, reversed: natural })),
        404: 'The world does not exist, or the journal does not have the request.',
        409: 'The history does not reach back so far, ends before that position, or is not kept.',
      },
      handle: async call => {
        const { to } = call.body as unknown as Target
        // Another process may have answered it: no turn waits for that.
        const request = typeof to === 'object' ? (await gateway.requests.read()).find(to.request) : undefined
        return gateway.change(() => rewind(call.parameters.name as string, to, request), REWIND)
      },
    },
  ])
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
  { worldLog: { history }, position: end }: KeptState,
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
  if (request === undefined) return problem(404, 'not_found', `the journal has no request ${to.request}`)
  if (request.world !== world)
    return problem(404, 'not_found', `the request ${to.request} was in another world: ${request.world}`)
  if (request.position === LOST) return outOfReach(`the log was lost after request ${to.request}, and has begun anew`)
  // A request that changed nothing: rewind to its arrival.
  return request.position === undefined
    ? lastBefore(history, world, request.at - request.milliseconds, `request ${to.request}`)
    : request.position - 1
}

/** Returns the position of a world at a time. @param named the time as a refusal names it */
function lastBefore(history: History<unknown>, world: string, time: number, named: string): number | ControlReply {
  const last = history
    .of(world)
    .filter(({ at }) => at <= time)
    .at(-1)
  if (last !== undefined) return last.position
  const { since, reach } = history
  return time >= since ? reach : outOfReach(`the history begins at ${timestamp(since)}, after ${named}`)
}
