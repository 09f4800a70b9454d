// The JSON Schema of gateway.yaml.

import { setting } from '../behaviours/behaviour.ts'
import { generalSchema } from '../behaviours/respond/index.ts'
import type { Schema } from '../kernel/schema/schema.ts'
import { journal, limits, listen, resourceKeys, worlds } from './block-keys.ts'
import { behavioursBlock, blockSchemasOf } from './block-schemas.ts'
import type { House } from './house.ts'

/** @param keys those of engines */
const stateBlock = (keys: Readonly<Record<string, Schema>>) =>
  setting.block(
    'Where worlds are stored: in `memory`, lost with the process; in a file, kept over restarts; or in a database, shared by replicas. Default: memory.',
    {
      ...keys,
      onSeedChange: setting.choice(
        ['keep', 'reset'],
        'If the seeds of a resource have changed at a start: `keep` its records with a warning, or `reset` to the new seeds. Default: keep.',
      ),
      history: setting.choice(
        [true],
        'Whether `memory` keeps the history of the worlds, for `GET /worlds/{name}/history`; other stores always do.',
      ),
    },
    { type: ['string', 'object'], pattern: '^memory$', minProperties: 1 },
  )

const resourcesBlock = (sources: Readonly<Record<string, Schema>>) =>
  setting.named('Collections of records.', {
    type: 'object',
    required: ['schema'],
    additionalProperties: false,
    properties: { ...resourceKeys, ...sources },
  })

const consumersBlock = (keys: Readonly<Record<string, Schema>>) =>
  setting.named(
    'The callers with their credentials. Metrics and logs show names, never credentials. Default: any well-formed credential is accepted.',
    {
      type: 'object',
      description: 'Credentials by security scheme of the contract.',
      properties: {
        expires: setting.text("By the world's clock.", { format: 'date or time' }),
        scopes: setting.list({ type: 'string' }, 'The granted scopes, for oauth2 and openIdConnect. Default: none.'),
        ...keys,
      },
      additionalProperties: { type: 'string', minLength: 1 },
      minProperties: 1,
    },
  )

const weatherSchema = (blocks: Readonly<Record<string, Schema>>) =>
  setting.named(
    'Weather (chaos profiles) by name, chosen by `PUT /weather` or a request (`Understudy-Weather: NAME`).',
    setting.block(
      'Latency, faults, limits and capacities that override those of the configuration; null switches one off.',
      blocks,
      { minProperties: 1 },
    ),
    { propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9-]*$' } },
  )

/** The JSON Schema of gateway.yaml. */
export function simulationSchemaOf(house: House): Schema {
  const { behaviours, configurable, $defs, weather } = blockSchemasOf(house)
  const general = configurable.filter(name => name !== 'respond')
  const respond = generalSchema(house.responders)
  const replying: Readonly<Record<string, Schema>> = respond === undefined ? {} : { respond }
  const blocks = Object.fromEntries(house.blocks.map(({ key, schema }) => [key, schema]))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Understudy gateway.yaml',
    type: 'object',
    required: ['contract'],
    additionalProperties: false,
    properties: {
      contract: {
        type: ['string', 'array', 'object'],
        items: { type: 'string' },
        minItems: 1,
        description:
          'The OpenAPI document: a path relative to this file, or the document itself. A list names a document, and overlays (1.0 or 1.1) that are applied to it in order.',
      },
      include: {
        type: ['string', 'array'],
        items: { type: 'string', minLength: 1 },
        minItems: 1,
        description:
          'Files of settings that are laid over this one in their order: objects are merged, lists replaced, `null` removes a setting of the files before. A `*` in the name of a file is a pattern; its files are sorted by name. Paths in them are relative to this file.',
      },
      seed: {
        type: 'integer',
        description:
          'The seed of all random choices: the same seed and the same requests give the same replies. Default: 0.',
      },
      listen,
      limits,
      worlds,
      journal,
      state: stateBlock(Object.assign({}, ...house.engines.map(({ keys }) => keys))),
      ...blocks,
      consumers: consumersBlock(Object.assign({}, ...house.wings.map(({ consumerKeys }) => consumerKeys))),
      weather: weatherSchema(weather),
      errors: house.behaviours.find(({ name }) => name === 'errors')?.schema as Schema,
      resources: resourcesBlock(Object.assign({}, ...house.recordSources.map(({ keys }) => keys))),
      defaults: behavioursBlock(
        'Behaviours of every operation, overridden by `tags` and `operations`; null switches one off.',
        general,
        replying,
      ),
      tags: setting.named(
        'Behaviours of the operations with a tag.',
        behavioursBlock('Overrides `defaults`.', general, replying),
      ),
      operations: setting.named(
        'Behaviours of single operations, by operationId or by method and path: "GET /books".',
        behavioursBlock('Each key is a behaviour; null switches it off.', Object.keys(behaviours)),
      ),
    },
    $defs,
  }
}
