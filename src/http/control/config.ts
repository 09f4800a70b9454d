// The configuration that is being served: shown without its credentials, and replaced by another in one step.

import { effectiveConfiguration, maskText, servedText, unmaskText } from '../../gateway/configuration-text.ts'
import { stringifyJson } from '../../kernel/json.ts'
import { INFERRED_FILE } from '../../load/infer/text.ts'
import { adoptedSchema, describeAdopted, invalidOrder, noFile } from './plan.ts'
import { json, object, replyWith, words } from './replies.ts'
import { type Control, type ControlRoute, under } from './route.ts'

/** The maximum size of a configuration, which may contain the contract. */
const MAX_CONFIGURATION = 8_000_000

const YAML = ['application/yaml', 'application/x-yaml', 'text/yaml']

const configurationSchema = object({
  file: { ...words, description: 'What relative paths are relative to.' },
  written: {
    type: 'object',
    description: 'The content of gateway.yaml with environment variables filled in and credentials as ***.',
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

const textsSchema = object({
  file: words,
  applied: { ...words, description: 'The configuration that is being served.' },
  disk: {
    type: ['string', 'null'],
    description: 'The current content of its file; null if it cannot be read or does not exist.',
  },
  same: { type: 'boolean', description: 'Whether both texts are the same.' },
})

export const configRoutes = ({ gateway, reloader }: Control): ControlRoute[] =>
  under('always', [
    {
      at: 'GET /config',
      operation: 'getConfiguration',
      summary:
        'The configuration that is being served, as written and with defaults, or as text. Credentials are masked.',
      replies: {
        200: {
          description: 'The configuration.',
          content: { 'application/json': configurationSchema, 'application/yaml': { type: 'string' } },
        },
      },
      answer: call =>
        call.prefers('application/yaml')
          ? {
              status: 200,
              type: 'application/yaml; charset=utf-8',
              body: maskText(servedText(gateway.plan), gateway.plan),
            }
          : json(effectiveConfiguration(gateway.plan)),
    },
    {
      at: 'GET /config/text',
      operation: 'getConfigurationText',
      summary:
        'The text of the served configuration, and that of its file: `<masked:CONSUMER.SCHEME>` replaces a credential.',
      replies: { 200: replyWith('Both texts.', textsSchema) },
      answer: () => {
        const { plan } = gateway
        const served = servedText(plan)
        // The file of an inferred configuration is the OpenAPI document.
        const disk = plan.simulation.source.file === INFERRED_FILE ? undefined : reloader?.readDisk()
        return json({
          file: plan.simulation.source.file,
          applied: maskText(served, plan),
          disk: disk === undefined ? null : maskText(disk, plan),
          same: served === disk,
        })
      },
    },
    {
      at: 'GET /config/schema',
      operation: 'getConfigurationSchema',
      summary: 'The JSON Schema of gateway.yaml, with the names of the contract that is being served.',
      replies: { 200: replyWith('JSON Schema, draft 2020-12.', { type: 'object' }) },
      answer: async () => {
        const { schemaFor } = await import('../../plan/published-schema.ts')
        return json(schemaFor(gateway.plan))
      },
    },
    {
      at: 'PUT /config',
      operation: 'replaceConfiguration',
      outsideTurns: true,
      underWorkers: 'absent',
      summary:
        'Serves another configuration until the next reload, and keeps the records. A faulty configuration and a dry run change nothing.',
      parameters: {
        'dry-run': { schema: { type: 'boolean' }, description: 'Only reports the mistakes, and changes nothing.' },
      },
      body: {
        description:
          'The whole content of a gateway.yaml, as YAML or as JSON, with paths relative to that file. `<masked:CONSUMER.SCHEME>` keeps the current credential.',
        schema: { type: 'object', required: ['contract'] },
        texts: YAML,
        maxBytes: MAX_CONFIGURATION,
      },
      replies: {
        200: replyWith('The configuration is being served; of a dry run, it could be.', adoptedSchema),
        409: { description: 'This gateway was not started from a file.' },
        ...invalidOrder('The configuration has errors; the previous one is still being served.'),
      },
      answer: async ({ parameters, text, body }) => {
        if (reloader === undefined) return noFile()
        const given = unmaskText(text ?? stringifyJson(body), gateway.plan)
        const dry = parameters['dry-run'] === true
        const loaded = await (dry ? reloader.check(given) : reloader.replace(given))
        if (loaded.plan !== undefined && !dry) {
          await gateway.change(() => gateway.state?.configured(given), 'PUT /config')
        }
        return describeAdopted(loaded, !dry)
      },
    },
  ])
