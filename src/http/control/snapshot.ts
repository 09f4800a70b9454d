// A whole world as one JSON document: written down, and read back all or not at all.

import { Readable } from 'node:stream'
import { importSnapshot } from '../../gateway/import.ts'
import { stringifyJson } from '../../kernel/json.ts'
import { takingTurns } from '../../world/clock.ts'
import { type Snapshot, takeSnapshot } from '../../world/snapshot.ts'
import { clockWordsSchema } from './clock.ts'
import { inWorld, nameParameter, noNewWorld, noSuchWorld, refuseWorld } from './find-world.ts'
import { DONE, list, problem, replyWith, stream } from './replies.ts'
import type { Control, ControlReply, ControlRoute } from './route.ts'

/** The largest snapshot, in bytes. */
export const MAX_SNAPSHOT = 64_000_000

/** Characters that are written before others may have their turn. */
const PIECE = 100_000

/** One that is counted on from. */
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const

const collectionSchema = {
  type: 'object',
  required: ['records'],
  additionalProperties: false,
  properties: {
    records: list({ type: 'object' }),
    created: {
      ...list({ type: ['integer', 'string'] }),
      description: 'The ids of created records, oldest first, which may be removed above the bounds.',
    },
    nextId: { type: 'integer', minimum: 1, description: 'The next of a sequence, if beyond those of the records.' },
    creations: { ...count, description: 'How many records were ever created.' },
    timers: {
      ...list({
        type: 'object',
        required: ['id', 'state', 'entry'],
        additionalProperties: false,
        properties: {
          id: { type: ['integer', 'string'] },
          state: { type: 'string' },
          entry: { type: 'integer', minimum: 1, description: 'Counts the states that it has had, this one included.' },
          due: { type: 'integer', description: 'When it leaves the state, in milliseconds since the epoch.' },
          to: { type: 'string' },
        },
      }),
      description: 'Where records go from state to state: since when each is in its own.',
    },
  },
} as const

const counts = { type: 'object', additionalProperties: count } as const

export const snapshotSchema = {
  type: 'object',
  required: ['version', 'collections'],
  additionalProperties: false,
  properties: {
    version: { const: 1, description: 'Of this form.' },
    clock: { ...clockWordsSchema, description: 'Absent: real time.' },
    ordinals: {
      type: 'object',
      additionalProperties: count,
      description: 'How many requests of each operation the world has seen: draws follow from it.',
    },
    counters: {
      type: 'object',
      required: ['rules', 'paths'],
      additionalProperties: false,
      properties: { rules: counts, paths: counts },
      description: 'The counts of rules with `times`, and of requests by method and path.',
    },
    collections: {
      type: 'object',
      additionalProperties: collectionSchema,
      description: 'By resource; one that is not named begins with its seeds.',
    },
  },
} as const

/** A snapshot as JSON text, in slices: others have their turn between two of them. */
async function* written({ collections, ...rest }: Snapshot): AsyncIterable<string> {
  const turn = takingTurns()
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
      await turn()
    }
    yield piece
    const others = stringifyJson(more).slice(1)
    yield `]${others === '}' ? '' : ','}${others}`
    between = ','
  }
  yield '}}'
}

export const refuseSnapshot = (faults: readonly string[], at = ''): ControlReply =>
  problem(422, 'invalid_snapshot', faults.map(fault => (fault.startsWith('/') ? at + fault : fault)).join('; '))

export const snapshotRoutes = ({ gateway }: Control): ControlRoute[] => [
  {
    method: 'GET',
    path: '/worlds/{name}/snapshot',
    operation: 'getSnapshot',
    underWorkers: 'shared',
    summary: 'A world as a snapshot: one document with all its state.',
    parameters: nameParameter,
    replies: { 200: replyWith('The snapshot.', snapshotSchema), ...noSuchWorld },
    answer: inWorld(gateway.worlds, async world =>
      stream('application/json', Readable.from(written(await takeSnapshot(world)), { objectMode: false })),
    ),
  },
  {
    method: 'PUT',
    path: '/worlds/{name}/snapshot',
    operation: 'putSnapshot',
    underWorkers: 'shared',
    summary: 'Replaces a world by a snapshot, if all of it is valid; otherwise nothing is changed.',
    parameters: nameParameter,
    body: {
      description: 'A snapshot.',
      schema: snapshotSchema,
      maxBytes: MAX_SNAPSHOT,
      decimals: true,
    },
    replies: {
      204: { description: 'Done.' },
      ...noNewWorld,
      422: { description: 'The request breaks the contract; nothing was changed.' },
    },
    answer: async ({ parameters, body }) => {
      const { worlds } = gateway
      const name = parameters.name as string
      const fault = worlds.get(name) === undefined ? worlds.refuses(name) : undefined
      if (fault !== undefined) return refuseWorld(fault, name, worlds)
      let plan = gateway.plan
      let made = await importSnapshot(worlds, plan, name, body as unknown as Snapshot)
      // The plan may have been replaced meanwhile: the snapshot may be invalid for the new one.
      while (plan !== gateway.plan) {
        plan = gateway.plan
        made = await importSnapshot(worlds, plan, name, body as unknown as Snapshot)
      }
      if (Array.isArray(made)) return refuseSnapshot(made)
      worlds.put(made)
      return DONE
    },
  },
]
