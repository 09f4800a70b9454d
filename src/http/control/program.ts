// The program that serves, and where, which a client reads first; its metrics, health and readiness.

import { timestamp } from '../../world/dates.ts'
import type { Status } from '../status.ts'
import { json } from './replies.ts'
import {
  type Control,
  described,
  firstCallOf,
  object,
  type PlainRoute,
  replyWith,
  shape,
  string,
  under,
} from './route.ts'

const rootSchema = object({ name: { const: 'understudy' }, version: string, openapi: string, console: string })

export const programRoutes = ({ gateway, status, about, wings }: Control) => {
  const { version, api, workers } = about
  return under('always', {
    getRoot: {
      at: 'GET /',
      summary: 'The console for a browser; the main addresses for other clients.',
      open: true,
      replies: {
        200: replyWith('Paths.', rootSchema, 'text/html'),
        503: { description: 'The console is not built.', content: { 'text/plain': string } },
      },
      handle: () => json({ name: 'understudy', version, openapi: '/openapi.json', console: '/' }),
    },
    getVersion: {
      at: 'GET /version',
      summary: 'The version of the program, and the contract and addresses that it serves.',
      replies: { 200: replyWith('The version.', shape('ProgramVersion')) },
      handle: async () => {
        const { contract, simulation } = gateway.plan
        const call = await firstCallOf(gateway.plan, api(), wings)
        return json({
          name: 'understudy',
          version,
          title: contract.title,
          contractVersion: contract.version,
          configuration: simulation.source.file,
          api: api(),
          basePaths: contract.basePaths.map(path => path || '/'),
          ...(call?.known ? { firstCall: call.command } : {}),
          workers: workers ?? null,
          sandboxes: simulation.worlds.sandboxes,
          defaultWorld: gateway.worlds.default.name,
          now: timestamp(gateway.clock.now()),
        })
      },
    },
    ...probeRoutes(status),
  })
}

const notReadySchema = object({
  status: { enum: ['stopping', 'unavailable'] },
  'reason?': described('Why it is unavailable.'),
})

function probeRoutes(status: Status): Readonly<Record<string, PlainRoute>> {
  const showStatus = (path: string) => async () => {
    const { status: code, headers, body } = await status(path)
    const { 'content-type': type, ...others } = headers
    return { status: code, type, headers: others, body }
  }
  return {
    getMetrics: {
      at: 'GET /metrics',
      summary: 'The metrics for Prometheus.',
      replies: { 200: { description: 'The exposition format.', content: { 'text/plain': string } } },
      handle: showStatus('/metrics'),
    },
    getHealth: {
      at: 'GET /healthz',
      summary: 'Whether the process is alive.',
      open: true,
      replies: { 200: replyWith('The process is alive.', object({ status: { const: 'ok' } })) },
      handle: showStatus('/healthz'),
    },
    getReadiness: {
      at: 'GET /readyz',
      summary: 'Whether the gateway accepts new requests.',
      open: true,
      replies: {
        200: replyWith('It does.', object({ status: { const: 'ready' } })),
        503: replyWith('The gateway is stopping, or cannot answer.', notReadySchema),
      },
      handle: showStatus('/readyz'),
    },
  }
}
