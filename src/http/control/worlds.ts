// The routes of worlds: listing, creating, resetting and deleting them; and whole worlds as one JSON document.

import { Readable } from 'node:stream'
import type { Gateway } from '../../gateway/gateway.ts'
import { refusedSnapshot } from '../../gateway/refused.ts'
import { importSnapshot, putSnapshot as putSnapshotIn } from '../../gateway/restore.ts'
import { enterScenarios, scenarioStates } from '../../gateway/scenarios.ts'
import type { Worlds } from '../../gateway/worlds/worlds.ts'
import { stringifyJson } from '../../kernel/json.ts'
import { type Snapshot, takeSnapshot } from '../../world/snapshot.ts'
import type { World } from '../../world/world.ts'
import { clockWordsSchema, describeClock } from './clock.ts'
import { badRequest, type ControlReply, DONE, done, json, refused, stream } from './replies.ts'
import {
  anyObject,
  type Control,
  type ControlRoute,
  described,
  inMadeWorld,
  integer,
  inWorld,
  list,
  mapOf,
  nameParameter,
  natural,
  noNewWorld,
  noWorld,
  object,
  type PlainRoute,
  positive,
  refuseNewWorld,
  refuseWorld,
  replyWith,
  shape,
  string,
  under,
  type WorldRoute,
} from './route.ts'

/** The largest snapshot, in bytes. */
const MAX_SNAPSHOT = 64_000_000

/** A number that is counted on from. */
const startSchema = { ...natural, maximum: Number.MAX_SAFE_INTEGER } as const
const starts = mapOf(startSchema)
const anyId = { type: ['integer', 'string'] } as const

const dumpSchema = object({
  records: list(anyObject),
  'created?': described(
    'The ids of created records, oldest first, which may be removed above the bounds.',
    list(anyId),
  ),
  'nextId?': described('The next of a sequence, if beyond those of the records.', positive),
  'creations?': described('How many records were ever created.', startSchema),
  'timers?': {
    ...list(
      object({
        id: anyId,
        state: string,
        entry: described('Counts the states that it has had, this one included.', positive),
        'due?': described('When it leaves the state, in milliseconds since the epoch.', integer),
        'to?': string,
      }),
    ),
    description: 'Where records go from state to state: since when each is in its own.',
  },
})

export const snapshotSchema = object({
  version: { const: 1, description: 'Of this form.' },
  'clock?': described('Absent: real time.', clockWordsSchema),
  'ordinals?': described('How many requests of each operation the world has seen: draws follow from it.', starts),
  'counters?': described(
    'The counts of rules with `times`, and of requests by method and path; the states of scenarios.',
    object({ rules: starts, paths: starts, 'scenarios?': mapOf(string) }),
  ),
  collections: described('By resource; one that is not named begins with its seeds.', mapOf(dumpSchema)),
})

/** Characters of a snapshot that are written at once. */
const PIECE = 100_000

/** A snapshot as JSON text, in pieces: all of it may be longer than a text can be. */
function* snapshotPieces({ collections, ...rest }: Snapshot): Iterable<string> {
  yield `${stringifyJson(rest).slice(0, -1)},"collections":{`
  let between = ''
  for (const [name, { records, ...more }] of Object.entries(collections)) {
    yield `${between}${JSON.stringify(name)}:{"records":[`
    let piece = ''
    for (const [i, record] of records.entries()) {
      piece += `${i > 0 ? ',' : ''}${stringifyJson(record)}`
      if (piece.length < PIECE) continue
      yield piece
      piece = ''
    }
    const others = stringifyJson(more).slice(1)
    yield `${piece}]${others === '}' ? '' : ','}${others}`
    between = ','
  }
  yield '}}'
}

interface Creation {
  readonly name: string
  readonly from?: string
  readonly snapshot?: Snapshot
}

export const worldRoutes = ({ gateway }: Control): ControlRoute[] => {
  const { worlds } = gateway
  return [
    ...under('reset', { reset: resetAll(gateway) }),
    ...under('shared', {
      listWorlds: listWorlds(worlds),
      createWorld: createWorld(worlds),
      getWorld: inWorld(worlds, getWorld(worlds)),
      deleteWorld: deleteWorld(gateway),
      resetWorld: inMadeWorld(worlds, resetWorld(gateway)),
      getSnapshot: inWorld(worlds, getSnapshot),
      putSnapshot: putSnapshot(worlds),
      getScenarios: inWorld(worlds, getScenarios(worlds)),
      putScenarios: inMadeWorld(worlds, putScenarios(worlds)),
    }),
  ]
}

function describeWorld({ name, clock, collections }: World, worlds: Worlds): object {
  return {
    name,
    permanent: worlds.isPermanent(name),
    host: worlds.hostOf(name),
    default: name === worlds.default.name,
    clock: describeClock(clock),
    records: Object.fromEntries([...collections].map(([collection, { size }]) => [collection, size])),
  }
}

const resetAll = (gateway: Gateway): PlainRoute => ({
  at: 'POST /reset',
  summary:
    'Begins the default world anew, as the reset of a world does. Requests under way finish in the state they began in.',
  replies: done,
  handle: () => {
    gateway.reset()
    return DONE
  },
})

const listWorlds = (worlds: Worlds): PlainRoute => ({
  at: 'GET /worlds',
  summary: 'The permanent worlds, then the sandboxes, the last used one first.',
  replies: { 200: replyWith('Every world.', list(shape('DescribedWorld'))) },
  handle: () => json(worlds.list().map(world => describeWorld(world, worlds))),
})

const createWorld = (worlds: Worlds): PlainRoute => ({
  at: 'POST /worlds',
  summary: 'Makes a sandbox: from the seeds, or as a copy of another world, or from a snapshot.',
  body: {
    description: 'Its name, and its initial content.',
    schema: object({
      name: string,
      'from?': described('A world whose records and time it begins with.'),
      'snapshot?': snapshotSchema,
    }),
    maxBytes: MAX_SNAPSHOT,
    decimals: true,
  },
  replies: {
    201: replyWith('The world is restored.', shape('DescribedWorld')),
    404: 'The world to copy does not exist.',
    409: 'There is such a world already, or sandboxes are off.',
    422: 'The snapshot breaks the contract; no world was made.',
  },
  handle: async ({ body }) => {
    const world = await makeWorld(body as unknown as Creation, worlds)
    if ('status' in world) return world
    worlds.put(world)
    return { ...json(describeWorld(world, worlds), 201), headers: { location: `/worlds/${world.name}` } }
  },
})

const getWorld = (worlds: Worlds): WorldRoute => ({
  at: 'GET /worlds/{name}',
  summary: 'One world.',
  replies: { 200: replyWith('The world.', shape('DescribedWorld')) },
  handle: world => json(describeWorld(world, worlds)),
})

const deleteWorld = (gateway: Gateway): PlainRoute => ({
  at: 'DELETE /worlds/{name}',
  summary: 'Deletes a sandbox and its requests. The next request that names it creates it again.',
  parameters: nameParameter,
  replies: { ...done, ...noWorld, 409: 'The world is permanent.' },
  handle: ({ parameters }) => {
    const name = parameters.name as string
    const fault = gateway.deleteWorld(name)
    return fault === undefined ? DONE : refuseWorld(fault, name, gateway.worlds)
  },
})

const resetWorld = (gateway: Gateway): WorldRoute => ({
  at: 'POST /worlds/{name}/reset',
  summary: 'Begins a world anew: from the seeds, by real time, with no requests in the journal.',
  replies: done,
  handle: ({ name }) => {
    gateway.reset(name)
    return DONE
  },
})

const getSnapshot: WorldRoute = {
  at: 'GET /worlds/{name}/snapshot',
  summary: 'A world as a snapshot: one document with all its state.',
  replies: { 200: replyWith('The snapshot.', snapshotSchema) },
  handle: async world =>
    stream('application/json', Readable.from(snapshotPieces(await takeSnapshot(world)), { objectMode: false })),
}

const putSnapshot = (worlds: Worlds): PlainRoute => ({
  at: 'PUT /worlds/{name}/snapshot',
  summary: 'Replaces a world by a snapshot, if all of it is valid; otherwise nothing is changed.',
  parameters: nameParameter,
  body: { description: 'A snapshot.', schema: snapshotSchema, maxBytes: MAX_SNAPSHOT, decimals: true },
  replies: {
    ...done,
    ...noNewWorld,
    422: 'The request breaks the contract; nothing was changed.',
  },
  handle: async ({ parameters, body }) => {
    const name = parameters.name as string
    const refusal = refuseNewWorld(name, worlds)
    if (refusal !== undefined) return refusal
    await putSnapshotIn(worlds, name, body as unknown as Snapshot)
    return DONE
  },
})

const getScenarios = (worlds: Worlds): WorldRoute => ({
  at: 'GET /worlds/{name}/scenarios',
  summary: 'The states of the scenarios of a world, by name; empty at first.',
  replies: { 200: replyWith('The states.', mapOf(string)) },
  handle: world => json(scenarioStates(worlds, world)),
})

const putScenarios = (worlds: Worlds): WorldRoute => ({
  at: 'PUT /worlds/{name}/scenarios',
  summary: 'Sets the states of some scenarios of a world, as `enter` of a rule does; the others stay.',
  body: { description: 'States by scenario: `{"order": "paid"}`.', schema: mapOf(string) },
  replies: { 200: replyWith('The states of all scenarios.', mapOf(string)), 404: 'There is no such scenario.' },
  handle: (world, { body }) => {
    enterScenarios(worlds, world, body as Readonly<Record<string, string>>)
    return json(scenarioStates(worlds, world))
  },
})

/** @param pointer the place of the snapshot in the body */
const refuseSnapshot = (faults: readonly string[], pointer: string): ControlReply =>
  refused(refusedSnapshot(faults.map(fault => pointer + fault)))

/** Makes a world that is not listed yet. */
async function makeWorld({ name, from, snapshot }: Creation, worlds: Worlds): Promise<World | ControlReply> {
  const fault = worlds.refuses(name)
  if (fault !== undefined) return refuseWorld(fault, name, worlds)
  if (from !== undefined && snapshot !== undefined) return badRequest('"from" and "snapshot" exclude each other')
  if (snapshot !== undefined) {
    const world = await importSnapshot(worlds, worlds.planOf(name), name, snapshot)
    return Array.isArray(world) ? refuseSnapshot(world, '/snapshot') : world
  }
  if (from === undefined) return worlds.blank(name)
  return worlds.get(from)?.fork(name) ?? refuseWorld('unknown', from, worlds)
}
