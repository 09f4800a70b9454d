// The program that serves, and where, which a client reads first; its metrics, health and readiness.

import { findFirstCall } from '../../gateway/curl.ts'
import { timestamp } from '../../world/clock.ts'
import { json } from './replies.ts'
import { type Control, type ControlRoute, under } from './route.ts'
import { dateTime, list, object, replyWith, string } from './schemas.ts'

const versionSchema = object({
  name: { const: 'understudy' },
  version: string,
  title: { ...string, description: 'Of the contract.' },
  contractVersion: string,
  configuration: { ...string, description: 'The file that is being served.' },
  api: { ...string, description: 'The address of the API, without a base path.' },
  basePaths: list(string),
  'firstCall?': {
    ...string,
    description: 'A first `curl` command; absent if it needs a key that the configuration does not publish.',
  },
  workers: {
    type: ['integer', 'null'],
    description: 'The number of processes that serve the API; null for only this one.',
  },
  sandboxes: { type: 'boolean', description: 'Whether a world can be made by naming it.' },
  defaultWorld: string,
  now: { ...dateTime, description: 'By the real clock.' },
})

const rootSchema = object({ name: { const: 'understudy' }, version: string, openapi: string, console: string })

export const programRoutes = ({ gateway, status, about }: Control): ControlRoute[] => {
  const { version, api, workers } = about
  const showStatus = (path: string) => async () => {
    const { status: code, headers, body } = await status(path)
    const { 'content-type': type, ...others } = headers
    return { status: code, type, headers: others, body }
  }
  const state = (...words: string[]) => object({ status: { enum: words } })
  return under('always', [
    {
      at: 'GET /',
      operation: 'getRoot',
      summary: 'The console for a browser; the main addresses for other clients.',
      open: true,
      replies: {
        200: replyWith('Paths.', rootSchema, 'text/html'),
        503: { description: 'The console is not built.', content: { 'text/plain': { type: 'string' } } },
      },
      handle: () => json({ name: 'understudy', version, openapi: '/openapi.json', console: '/' }),
    },
    {
      at: 'GET /version',
      operation: 'getVersion',
      summary: 'The version of the program, and the contract and addresses that it serves.',
      replies: { 200: replyWith('The version.', versionSchema) },
      handle: () => {
        const { contract, simulation } = gateway.plan
        const call = findFirstCall(gateway.plan, api())
        return json({
          ...{ name: 'understudy', version, title: contract.title, contractVersion: contract.version },
          ...{ configuration: simulation.source.file, api: api() },
          basePaths: contract.basePaths.map(path => path || '/'),
          ...(call?.known ? { firstCall: call.command } : {}),
          workers: workers ?? null,
          sandboxes: simulation.worlds.sandboxes,
          defaultWorld: gateway.worlds.default.name,
          now: timestamp(gateway.clock.now()),
        })
      },
    },
    {
      at: 'GET /metrics',
      operation: 'getMetrics',
      summary: 'The metrics for Prometheus.',
      replies: { 200: { description: 'The exposition format.', content: { 'text/plain': { type: 'string' } } } },
      handle: showStatus('/metrics'),
    },
    {
      at: 'GET /healthz',
      operation: 'getHealth',
      summary: 'Whether the process is alive.',
      open: true,
      replies: { 200: replyWith('The process is alive.', state('ok')) },
      handle: showStatus('/healthz'),
    },
    {
      at: 'GET /readyz',
      operation: 'getReadiness',
      summary: 'Whether the gateway accepts new requests.',
      open: true,
      replies: {
        200: replyWith('They are.', state('ready')),
        503: replyWith('The gateway is stopping.', state('stopping')),
      },
      handle: showStatus('/readyz'),
    },
  ])
}
