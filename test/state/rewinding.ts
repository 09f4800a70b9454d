// Rewinding the worlds of replicas through the control plane.

import { historyRoutes } from '../../src/http/control/history.ts'
import type { ControlReply } from '../../src/http/control/replies.ts'
import type { Call, ControlRoute } from '../../src/http/control/route.ts'
import { MemoryLog } from '../support/memory-log.ts'
import { type Replica, replica } from './replicas.ts'

/** Calls a route of the control plane of a replica, in its turn where it does not take one itself. */
export async function call(
  { gateway }: Replica,
  operation: string,
  body?: object,
  world = 'default',
): Promise<ControlReply & { body: never }> {
  const routes = historyRoutes({ gateway } as never)
  const route = routes.find(one => one.operation === operation) as ControlRoute
  const given = { parameters: { name: world }, body, text: undefined, prefers: () => false } as unknown as Call
  const answered = route.outsideTurns ? route.handle(given) : gateway.change(() => route.handle(given), route.at)
  return (await answered) as never
}

export const titles = async (one: Replica) =>
  ((await one.send('GET /books')).body as { title: string }[]).map(({ title }) => title)

export async function withChanges() {
  const log = new MemoryLog()
  const one = await replica(log.connect())
  await one.send('POST /books', { title: 'three' })
  one.clock.time += 60_000
  await one.send('PUT /books/1', { title: 'eins' })
  await one.send('DELETE /books/2')
  return { log, one }
}

/** Rewinds the default world. Returns the reply's status and its position, or why it was refused. */
export async function rewound(one: Replica, to: unknown): Promise<readonly [status: number, position: unknown]> {
  const { status, body } = await call(one, 'rewindWorld', { to })
  const { position, code, detail } = body as { position?: number; code?: string; detail?: string }
  return [status, position ?? `${code}: ${detail}`]
}
