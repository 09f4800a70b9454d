// The JSON Schema of gateway.yaml, assembled from the schemas of its parts and of the behaviours.

import { behaviours } from '../behaviours/index.ts'
import type { Schema } from '../kernel/schema.ts'
import { behaviourSettings, configurable, keyed } from './behaviour-settings.ts'
import { journalSchema } from './journal.ts'
import { limitsSchema, listenSchema } from './listen-schema.ts'
import { resourcesSchema } from './resources-schema.ts'
import { rulesSchema } from './rules.ts'
import { stateSchema } from './state.ts'
import { weatherSchema } from './weather.ts'
import { worldsSchema } from './worlds.ts'

const blockOf = (list: typeof behaviours, description: string): Schema => ({
  type: 'object',
  description,
  additionalProperties: false,
  properties: {
    rules: rulesSchema,
    ...Object.fromEntries(list.map(({ name }) => [name, behaviourSettings.get(name)])),
  },
})
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
    defaults: blockOf(
      configurable.filter(({ name }) => name !== 'respond'),
      'Behaviours of every operation, overridden by `tags` and `operations`; null switches one off.',
    ),
    tags: {
      type: 'object',
      description: 'Behaviours of the operations with a tag.',
      additionalProperties: blockOf(
        configurable.filter(({ name }) => name !== 'respond'),
        'Overrides `defaults`.',
      ),
    },
    operations: {
      type: 'object',
      description: 'Behaviours of single operations, by operationId or by method and path: "GET /books".',
      additionalProperties: blockOf(keyed, 'Each key is a behaviour; null switches it off.'),
    },
  },
}
