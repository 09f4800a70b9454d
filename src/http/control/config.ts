// The configuration that is being served: shown without its secrets, and replaced by another in one step.

import { effectiveConfiguration } from '../../gateway/effective.ts'
import { stringifyJson } from '../../kernel/json.ts'
import { adoptedSchema, invalidConfigurationSchema, refuseConfiguration } from './plan.ts'
import { type Control, json, object, problem, type Route, replyWith, words } from './route.ts'

/** A whole contract may stand in it. */
const MAX_CONFIGURATION = 8_000_000

const YAML = ['application/yaml', 'application/x-yaml', 'text/yaml']

const configurationSchema = object({
  file: { ...words, description: 'What relative paths are relative to.' },
  written: {
    type: 'object',
    description: 'As it stands in gateway.yaml, environment variables filled in, credentials as ***.',
  },
  effective: object({
    seed: { type: 'integer' },
    listen: { type: 'object' },
    limits: { type: 'object', description: 'Bytes and milliseconds.' },
    worlds: { type: 'object', description: 'Milliseconds.' },
    journal: { type: 'object', description: 'Bytes.' },
    consumers: { type: 'array', items: words },
  }),
})

export const configRoutes = ({ gateway, reloader }: Control): Route[] => [
  {
    method: 'GET',
    path: '/config',
    operation: 'getConfiguration',
    summary: 'The configuration that is being served, as written and with its defaults; credentials never appear.',
    replies: { 200: replyWith('The configuration.', configurationSchema) },
    answer: () => json(effectiveConfiguration(gateway.plan)),
  },
  {
    method: 'PUT',
    path: '/config',
    operation: 'replaceConfiguration',
    underWorkers: 'absent',
    summary:
      'Serves another configuration, until the next reload; the records stay. What cannot be served changes nothing.',
    body: {
      description: 'The whole content of a gateway.yaml, as YAML or as JSON; relative paths mean what they mean there.',
      schema: { type: 'object', required: ['contract'] },
      texts: YAML,
      maxBytes: MAX_CONFIGURATION,
    },
    replies: {
      200: replyWith('It is being served.', adoptedSchema),
      409: { description: 'This gateway was not started from a file.' },
      422: {
        description: 'It cannot be served; the one before keeps serving.',
        content: { 'application/problem+json': invalidConfigurationSchema },
      },
    },
    answer: async ({ text, body }) => {
      if (reloader === undefined) return problem(409, 'conflict', 'this gateway was not started from a file')
      const { plan, report } = await reloader.replace(text ?? stringifyJson(body))
      if (plan === undefined) return refuseConfiguration(report)
      return json({ reloaded: true, operations: plan.operations.length, warnings: report.size })
    },
  },
]
