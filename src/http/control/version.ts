// The program that serves, and where: a client reads it first.

import { findFirstCall } from '../../gateway/curl.ts'
import { timestamp } from '../../world/clock.ts'
import { json } from './replies.ts'
import type { Control, ControlRoute } from './route.ts'
import { list, object, replyWith, words } from './schemas.ts'

const versionSchema = object(
  {
    name: { const: 'understudy' },
    version: words,
    title: { ...words, description: 'Of the contract.' },
    contractVersion: words,
    configuration: { ...words, description: 'The file that is being served.' },
    api: { ...words, description: 'The address of the API, without a base path.' },
    basePaths: list(words),
    firstCall: {
      ...words,
      description: 'A first `curl` command; absent if it needs a key that the configuration does not publish.',
    },
    workers: {
      type: ['integer', 'null'],
      description: 'The number of processes that serve the API; null for only this one.',
    },
    sandboxes: { type: 'boolean', description: 'Whether a world can be made by naming it.' },
    defaultWorld: words,
    now: { type: 'string', format: 'date-time', description: 'By the real clock.' },
  },
  'firstCall',
)

const rootSchema = object({ name: { const: 'understudy' }, version: words, openapi: words, console: words })

export const versionRoutes = ({ gateway, about: { version, api, workers } }: Control): ControlRoute[] => [
  {
    method: 'GET',
    path: '/',
    operation: 'getRoot',
    underWorkers: 'always',
    summary: 'The console for a browser; the main addresses for other clients.',
    open: true,
    replies: {
      200: { description: 'Paths.', content: { 'application/json': rootSchema, 'text/html': { type: 'string' } } },
      503: { description: 'The console is not built.', content: { 'text/plain': { type: 'string' } } },
    },
    answer: () => json({ name: 'understudy', version, openapi: '/openapi.json', console: '/' }),
  },
  {
    method: 'GET',
    path: '/version',
    operation: 'getVersion',
    underWorkers: 'always',
    summary: 'The version of the program, and the contract and addresses that it serves.',
    replies: { 200: replyWith('The version.', versionSchema) },
    answer: () => {
      const { contract, simulation } = gateway.plan
      const call = findFirstCall(gateway.plan, api())
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
]
