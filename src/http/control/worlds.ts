// The routes of worlds: listing, creating, resetting and deleting them.

import type { Gateway } from '../../gateway/gateway.ts'
import { importSnapshot } from '../../gateway/import.ts'
import type { Worlds } from '../../gateway/worlds/worlds.ts'
import type { Snapshot } from '../../world/snapshot.ts'
import type { World } from '../../world/world.ts'
import { clockSchema, describeClock } from './clock.ts'
import { inMadeWorld, inWorld, nameParameter, noNewWorld, noSuchWorld, refuseWorld } from './find-world.ts'
import { count, DONE, json, list, object, problem, replyWith, words } from './replies.ts'
import type { Call, Control, ControlReply, ControlRoute } from './route.ts'
import { MAX_SNAPSHOT, refuseSnapshot, snapshotSchema } from './snapshot.ts'

const worldSchema = object(
  {
    name: words,
    permanent: { type: 'boolean', description: 'Whether the world is permanent; a sandbox may be evicted.' },
    host: { type: 'string', description: 'The host whose requests reach it.' },
    default: { type: 'boolean', description: 'Whether requests reach it that name no world.' },
    clock: clockSchema,
    records: { type: 'object', description: 'How many, by collection.', additionalProperties: count },
  },
  'host',
)

function describeWorld({ name, clock, collections }: World, worlds: Worlds): object {
  const host = worlds.hostOf(name)
  return {
    name,
    permanent: worlds.isPermanent(name),
    ...(host === undefined ? {} : { host }),
    default: name === worlds.default.name,
    clock: describeClock(clock),
    records: Object.fromEntries([...collections].map(([collection, { size }]) => [collection, size])),
  }
}

interface Creation {
  readonly name: string
  readonly from?: string
  readonly snapshot?: Snapshot
}

export const worldRoutes = ({ gateway }: Control): ControlRoute[] => {
  const { worlds } = gateway
  return [
    {
      method: 'POST',
      path: '/reset',
      operation: 'reset',
      underWorkers: 'reset',
      summary:
        'Begins the default world anew: from the seeds, by real time, with no requests in the journal. The other worlds go on; requests under way finish in the state they began in.',
      replies: { 204: { description: 'Done.' } },
      answer: () => {
        gateway.reset()
        return DONE
      },
    },
    {
      method: 'GET',
      path: '/worlds',
      operation: 'listWorlds',
      underWorkers: 'shared',
      summary: 'The permanent worlds, then the sandboxes, that which was asked for last first.',
      replies: { 200: replyWith('Every world.', list(worldSchema)) },
      answer: () => json(worlds.list().map(world => describeWorld(world, worlds))),
    },
    {
      method: 'POST',
      path: '/worlds',
      operation: 'createWorld',
      underWorkers: 'shared',
      summary: 'Makes a sandbox: from the seeds, or as a copy of another world, or from a snapshot.',
      body: {
        description: 'Its name, and its initial content.',
        schema: object(
          {
            name: { type: 'string' },
            from: { type: 'string', description: 'A world whose records and time it begins with.' },
            snapshot: snapshotSchema,
          },
          ...['from', 'snapshot'],
        ),
        maxBytes: MAX_SNAPSHOT,
        decimals: true,
      },
      replies: {
        201: replyWith('The world is restored.', worldSchema),
        404: { description: 'The world to copy does not exist.' },
        409: { description: 'There is such a world already, or sandboxes are switched off.' },
        422: { description: 'The snapshot breaks the contract; no world was made.' },
      },
      answer: call => create(call, gateway),
    },
    {
      method: 'GET',
      path: '/worlds/{name}',
      operation: 'getWorld',
      underWorkers: 'shared',
      summary: 'One world.',
      parameters: nameParameter,
      replies: { 200: replyWith('The world.', worldSchema), ...noSuchWorld },
      answer: inWorld(worlds, world => json(describeWorld(world, worlds))),
    },
    {
      method: 'DELETE',
      path: '/worlds/{name}',
      operation: 'deleteWorld',
      underWorkers: 'shared',
      summary: 'Deletes a sandbox and its requests. The next request that names it creates it again.',
      parameters: nameParameter,
      replies: {
        204: { description: 'Done.' },
        ...noSuchWorld,
        409: { description: 'The world is permanent.' },
      },
      answer: ({ parameters }) => {
        const name = parameters.name as string
        const fault = gateway.deleteWorld(name)
        return fault === undefined ? DONE : refuseWorld(fault, name, worlds)
      },
    },
    {
      method: 'POST',
      path: '/worlds/{name}/reset',
      operation: 'resetWorld',
      underWorkers: 'shared',
      summary: 'Begins a world anew: from the seeds, by real time, with no requests in the journal.',
      parameters: nameParameter,
      replies: { 204: { description: 'Done.' }, ...noNewWorld },
      answer: inMadeWorld(worlds, ({ name }) => {
        gateway.reset(name)
        return DONE
      }),
    },
  ]
}

async function create({ body }: Call, { worlds, plan }: Gateway): Promise<ControlReply> {
  const { name, from, snapshot } = body as unknown as Creation
  const fault = worlds.refuses(name)
  if (fault !== undefined) return refuseWorld(fault, name, worlds)
  if (from !== undefined && snapshot !== undefined) {
    return problem(400, 'invalid_request', '"from" and "snapshot" exclude each other')
  }
  let world: World
  if (snapshot !== undefined) {
    const made = await importSnapshot(worlds, plan, name, snapshot)
    if (Array.isArray(made)) return refuseSnapshot(made, '/snapshot')
    world = made
  } else if (from !== undefined) {
    const model = worlds.get(from)
    if (model === undefined) return refuseWorld('unknown', from, worlds)
    world = model.fork(name)
  } else world = worlds.blank(name)
  worlds.put(world)
  return { ...json(describeWorld(world, worlds), 201), headers: { location: `/worlds/${name}` } }
}
