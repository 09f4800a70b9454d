// The JSON Schema of gateway.yaml, assembled from the schemas of its parts and of the behaviours.

import { behaviours } from '../behaviours/index.ts'
import type { Schema } from '../kernel/schema.ts'
import { blockSchema, configurable, keyed } from './layers.ts'
import { resourcesSchema } from './resources.ts'
import { rulesSchema } from './rules.ts'
import { corsSchema, journalSchema, worldsSchema } from './settings.ts'
import { stateSchema } from './state.ts'
import { tlsSchema } from './tls.ts'
import { weatherSchema } from './weather.ts'

const port = { type: 'integer', minimum: 0, maximum: 65535 }

const listenSchema = {
  type: 'object',
  description: 'Addresses and ports.',
  additionalProperties: false,
  properties: {
    host: { type: 'string', description: 'The address of the API. Default: 127.0.0.1.' },
    port: { ...port, description: 'The port of the API; 0 picks a free one. Default: 4010.' },
    control: { ...port, description: 'The port of the control plane; 0 picks a free one. Default: 4011.' },
    controlHost: {
      type: 'string',
      description:
        'The address of the control plane. An address beyond loopback needs UNDERSTUDY_CONTROL_TOKEN. Default: 127.0.0.1.',
    },
    expose: {
      type: 'array',
      items: { enum: ['metrics', 'healthz', 'readyz'] },
      description:
        'The paths of the control plane that the API port serves too, unless the contract has the path. Default: [metrics, healthz].',
    },
    clientControls: {
      type: 'boolean',
      description:
        'Whether requests may control the gateway with `Understudy-*` headers and with a world in the path. Default: true.',
    },
    cors: corsSchema,
    tls: tlsSchema,
    drain: {
      type: 'string',
      format: 'duration',
      description:
        'The time after SIGTERM in which requests are still served, while /readyz answers 503. Default: 250ms.',
    },
    basePath: {
      type: 'string',
      format: 'path',
      description: 'The path below which the API is served. Default: the paths of the servers of the contract.',
    },
  },
} as const

const limitsSchema = {
  type: 'object',
  description: 'Limits for each request and connection.',
  additionalProperties: false,
  properties: {
    body: {
      type: 'string',
      format: 'size',
      description: 'The maximum size of a body, decompressed. Default: 1MB.',
    },
    headers: {
      type: 'string',
      format: 'size',
      description: 'The maximum size of the request line and the headers together. Default: 16kB.',
    },
    request: {
      type: 'string',
      format: 'duration',
      description: 'The maximum time for a request to arrive, and for its reply to be received. Default: 30s.',
    },
    idle: {
      type: 'string',
      format: 'duration',
      description: 'The time for which an idle connection is kept. Default: 10s.',
    },
  },
} as const

const block = (names: readonly string[], description: string): Schema =>
  blockSchema(names, description, { rules: rulesSchema })
const defaults = configurable.filter(name => name !== 'respond')
const errorsSchema = behaviours.find(({ name }) => name === 'errors')?.schema as Schema

const consumersSchema = {
  type: 'object',
  description:
    'The callers with their credentials. Their names appear in metrics and logs, their credentials never. Default: any well-formed credential is accepted.',
  additionalProperties: {
    type: 'object',
    description: 'Credentials by security scheme of the contract.',
    properties: {
      expires: { type: 'string', format: 'date or time', description: "By the world's clock." },
      scopes: {
        type: 'array',
        items: { type: 'string' },
        description: 'The granted scopes, for oauth2 and openIdConnect. Default: none.',
      },
    },
    additionalProperties: { type: 'string', minLength: 1 },
    minProperties: 1,
  },
} as const

/** The JSON Schema of gateway.yaml. */
export const simulationSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Understudy gateway.yaml',
  type: 'object',
  required: ['contract'],
  additionalProperties: false,
  properties: {
    contract: {
      type: ['string', 'object'],
      description: 'The OpenAPI document: a path relative to this file, or the document itself.',
    },
    seed: {
      type: 'integer',
      description:
        'The seed of all random choices: the same seed and the same requests give the same replies. Default: 0.',
    },
    listen: listenSchema,
    limits: limitsSchema,
    worlds: worldsSchema,
    journal: journalSchema,
    state: stateSchema,
    consumers: consumersSchema,
    weather: weatherSchema,
    errors: errorsSchema,
    resources: resourcesSchema,
    defaults: block(
      defaults,
      'Behaviours of every operation, overridden by `tags` and `operations`; null switches one off.',
    ),
    tags: {
      type: 'object',
      description: 'Behaviours of the operations with a tag.',
      additionalProperties: block(defaults, 'Overrides `defaults`.'),
    },
    operations: {
      type: 'object',
      description: 'Behaviours of single operations, by operationId or by method and path: "GET /books".',
      additionalProperties: block(keyed, 'Each key is a behaviour; null switches it off.'),
    },
  },
}
