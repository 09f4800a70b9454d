// The past of a world: what changed in it, and how it is rewound.

import type { Gateway } from '../../gateway/gateway.ts'
import { REWIND, type RewindTarget, rewindWorld as rewind, unrecorded } from '../../gateway/rewind.ts'
import { describeChanges, isTold } from '../../state/described-changes.ts'
import { type HistoryEntry, MOST_ENTRIES } from '../../state/history.ts'
import { timestamp } from '../../world/dates.ts'
import { json } from './replies.ts'
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
  replyWith,
  shape,
  under,
  type WorldRoute,
} from './route.ts'

interface Target {
  readonly to: RewindTarget
  readonly into?: string
}

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
    if (gateway.state === undefined) throw unrecorded()
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
  handle: async ({ parameters, body }) => {
    const { to, into } = body as unknown as Target
    return json(await rewind(gateway, parameters.name as string, to, into))
  },
})

const describeHistoryEntry = (entry: HistoryEntry) => {
  const { position, at, by } = entry
  return { position, at: timestamp(at), by, changes: describeChanges(entry) }
}
