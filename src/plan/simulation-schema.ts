// The JSON Schema of gateway.yaml.

import { type SettingSchema, setting } from '../behaviours/behaviour.ts'
import { latency } from '../behaviours/latency.ts'
import { generalSchema } from '../behaviours/respond/index.ts'
import type { Schema } from '../kernel/schema/schema.ts'
import { behavioursBlock, blockSchemasOf } from './block-schemas.ts'
import type { House } from './house.ts'
import { WORLD_NAME } from './settings.ts'

const cors = setting.block(
  'Which pages of other origins may call the API (CORS). `off`: none, and preflight requests are not permitted. Default: all, with credentials.',
  {
    origins: {
      ...setting.list(
        { type: 'string', format: 'origin' },
        'The origins whose pages may read replies; `*` is every origin. Default: ["*"].',
      ),
      minItems: 1,
    },
    credentials: setting.flag('Whether these pages may send cookies and HTTP authentication. Default: true.'),
  },
  { type: ['object', 'string'], format: 'block or "off"' },
)

const tls = setting.block(
  'Serves both planes over https, with TLS 1.2 or newer. `self-signed`, or a block without `key` and `cert`, generates a certificate for this machine at start and prints its fingerprint. Files are reloaded when they change. Default: http.',
  {
    key: setting.text('The file of the private key (PEM), relative to this file.'),
    cert: setting.text('The file of the certificate and its intermediates (PEM).'),
    ca: setting.text('The file with the authorities that issue client certificates (PEM).'),
    clients: setting.choice(
      ['required', 'wanted'],
      'Whether clients of the API must present a certificate: `required` refuses connections without one; `wanted` refuses requests to operations with `mutualTLS` security. Default: clients are not asked for one.',
    ),
  },
  { type: ['string', 'object'] },
)

const listen = setting.block('Addresses and ports.', {
  host: setting.text('The address of the API. Default: 127.0.0.1.'),
  port: setting.integer('The port of the API; 0 picks a free one. Default: 4010.', 0, 65535),
  control: setting.integer('The port of the control plane; 0 picks a free one. Default: 4011.', 0, 65535),
  controlHost: setting.text(
    'The address of the control plane. An address beyond loopback needs UNDERSTUDY_CONTROL_TOKEN. Default: 127.0.0.1.',
  ),
  expose: setting.list(
    { enum: ['metrics', 'healthz', 'readyz'] },
    'The paths of the control plane that the API port serves too, unless the contract has the path. Default: [metrics, healthz].',
  ),
  clientControls: setting.flag(
    'Whether requests may control the gateway with `Understudy-*` headers and with a world in the path. Default: true.',
  ),
  cors,
  tls,
  drain: setting.duration(
    'The time after SIGTERM in which requests are still served, while /readyz answers 503. Default: 250ms.',
  ),
  basePath: setting.text('The path below which the API is served. Default: the paths of the servers of the contract.', {
    format: 'path',
  }),
})

const limits = setting.block('Limits for each request and connection.', {
  body: setting.size('The maximum size of a body, decompressed. Default: 1MB.'),
  headers: setting.size('The maximum size of the request line and the headers together. Default: 16kB.'),
  request: setting.duration(
    'The maximum time for a request to arrive, and for its reply to be received. Default: 30s.',
  ),
  idle: setting.duration('The time for which an idle connection is kept. Default: 10s.'),
})

const seedSchema = setting.block(
  'The initial records: a YAML or JSON file, a list, or `{ generate: 1000 }` to generate them from the schema.',
  { generate: setting.integer('The number of records to generate from the schema.', 0, 100_000) },
  { type: ['string', 'array', 'object'], items: { type: 'object' }, required: ['generate'] },
)

const worlds = setting.block(
  'Isolated worlds: sandboxes, forked from the seeds when a request first names them, and a permanent world for each host among the servers of the contract.',
  {
    sandboxes: setting.flag(
      'Whether a request may name a sandbox, with `Understudy-World: NAME` or with `/~NAME` before or after the base path. Default: true.',
    ),
    max: setting.integer(
      'The maximum number of sandboxes. Above it the least recently used one is removed, unchanged ones first. Default: 1000.',
      1,
      100_000,
    ),
    idle: setting.duration('The real time without a request after which a sandbox is removed. Default: 1h.'),
    maxBytes: setting.size(
      'The maximum memory for the records of all worlds together, estimated as 190 bytes a record and 2 bytes for each character of its JSON; records that worlds share count once. Above it the least recently used sandbox is removed; if no sandbox is left, writes are refused with 507. Default: 40 % of the heap.',
    ),
    default: setting.text(
      'The name of the world for requests that name no world and are not for a host of the contract. It may be the world of a host. Default: default.',
      { pattern: WORLD_NAME.source },
    ),
    named: setting.named(
      'Permanent worlds with a contract of their own, by name: the rest of this file applies to them as far as it fits.',
      setting.block(
        'A world.',
        {
          contract: {
            type: ['string', 'array'],
            items: { type: 'string' },
            minItems: 1,
            description: 'Its OpenAPI document: a path relative to this file, or a list of it and its overlays.',
          },
          clock: setting.block('The clock with which it begins, and after a reset. Default: real time.', {
            now: setting.text('A date, a timestamp, or an offset from the time of the start: 2030-12-06, +30d.'),
            shift: setting.text('An offset from real time, or from `now`: 30d, -12h.'),
            freeze: setting.flag('Whether the clock stands still. Default: false.'),
            rate: { type: 'number', description: 'Seconds of the world in a real second. Default: 1.' },
          }),
          weather: setting.text('The name of the weather that it has while no other is set.'),
          seeds: setting.named('Its records by resource, instead of the seeds of the resource.', seedSchema),
        },
        { required: ['contract'] },
      ),
      { propertyNames: { pattern: WORLD_NAME.source } },
    ),
  },
)

const journal = setting.block(
  'The journal of past requests, for the control plane; null switches it off. Credentials are masked.',
  {
    requests: setting.integer('The number of requests that are kept. Default: 1000.', 1, 1_000_000),
    size: setting.size(
      'The approximate memory limit, at most a tenth of the heap; the oldest requests are removed first. Default: 16MB.',
    ),
    bodies: {
      ...setting.size('The length up to which request and reply bodies are kept. Default: null, no bodies.'),
      type: ['string', 'null'],
    },
    headers: {
      type: ['boolean', 'array'],
      items: { type: 'string', pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
      description: 'The names of the request headers that are kept; true keeps all. Default: false.',
    },
  },
  { type: ['object', 'null'] },
)

/** @param keys those of engines */
const stateBlock = (keys: Readonly<Record<string, Schema>>) =>
  setting.block(
    'Where the state of the worlds is stored: in `memory`, lost when the process ends; in a file, kept over restarts; or in a database, shared by replicas. Default: memory.',
    {
      ...keys,
      onSeedChange: setting.choice(
        ['keep', 'reset'],
        'What to do at start with the records of a resource whose seeds have changed: `keep` them with a warning, or `reset` to the new seeds. Default: keep.',
      ),
      history: setting.choice(
        [true],
        'Whether `memory` keeps the history of the worlds, for `GET /worlds/{name}/history`; other stores always do.',
      ),
    },
    { type: ['string', 'object'], pattern: '^memory$', minProperties: 1 },
  )

const states = setting.block(
  'The states of the records: `{ field: status, from: { open: { closed: {} } } }`. A write that does not follow an edge is refused with 409.',
  {
    field: setting.text('The field with the state.'),
    from: setting.named(
      'For each state, the states that may follow it.',
      setting.named(
        'The edges by the state that they lead to.',
        setting.block('An edge. Without `after` it is only followed by writes.', {
          after: {
            ...(latency.schema as SettingSchema),
            type: ['string', 'object'],
            format: 'duration',
            description:
              "The time in its state after which a record follows the edge by itself, by the world's clock: a duration, or a distribution as in `latency`.",
          },
          set: {
            type: 'object',
            description: 'Fields that are set when a record follows the edge by itself; `${now}` is that moment.',
          },
        }),
      ),
      { minProperties: 1 },
    ),
  },
  { required: ['field', 'from'] },
)

/** The keys of a resource; those of record sources are added. */
const resourceKeys = {
  schema: setting.text('The schema of the contract that every record must match.'),
  id: setting.block('The id of a record: `{ field: isbn }`.', {
    field: setting.text(
      'The field with the id, such as `metadata.name` for a nested one. Default: `id`; without such a field, an id that is kept with the record and not shown in replies.',
    ),
    within: setting.list(
      { type: 'string' },
      'The fields that an id is unique within, such as `[metadata.namespace]`: the paths of the operations on one record name each by `within`. Default: none, ids are unique among all records.',
    ),
    assign: setting.choice(
      ['sequence', 'uuid', 'generate', 'client'],
      'How new ids are assigned: `sequence` counts, `uuid` makes UUIDs, `generate` makes text in the form of the id’s example, format or pattern, `client` takes the id from the request and makes one if it has none. Default: the first of these that matches the schema.',
    ),
    change: setting.choice(
      ['refuse', 'ignore'],
      'With `assign: client`: what to do with a write whose body has another id than its path: refuse it with 400, or keep the id of the path. Default: refuse.',
    ),
  }),
  seed: seedSchema,
  references: setting.named(
    'Fields with the id of a record of another resource, or a list of ids. A write with an id that does not exist is refused. The value is the name of the resource, or a block.',
    {
      type: ['string', 'object'],
      required: ['to'],
      additionalProperties: false,
      properties: {
        to: setting.text('The resource that the field refers to.'),
        onDelete: setting.choice(
          ['restrict', 'cascade', null],
          'The effect of deleting a record that others refer to: `restrict` refuses with 409, `cascade` deletes them too, null empties their field. Default: restrict.',
        ),
      },
    },
  ),
  defaults: {
    type: 'object',
    description:
      'The values of fields that a request does not set in a new record. `${now}` is the time of the request in the format of the field, `${uuid}` a new UUID.',
  },
  set: {
    type: 'object',
    description:
      'Fields that every write through the API sets, over those of the request, such as `updatedAt: "${now}"`.',
  },
  filled: setting.list(
    setting.text('The name of a field.'),
    'Optional fields that every new record has: one that its request does not give is generated.',
  ),
  unknownFields: setting.choice(
    ['drop', 'keep', 'refuse'],
    'What to do with fields that the schema does not have. Default: drop.',
  ),
  states,
  maxRecords: setting.integer(
    'The maximum number of records; above it the oldest created record is removed, seeds never. Default: 100000.',
    1,
  ),
  maxBytes: setting.size(
    'The maximum size of the records in each world, in characters of JSON; above it the oldest created record is removed. Default: 256MB.',
  ),
}

const resourcesBlock = (sources: Readonly<Record<string, Schema>>) =>
  setting.named('Collections of records.', {
    type: 'object',
    required: ['schema'],
    additionalProperties: false,
    properties: { ...resourceKeys, ...sources },
  })

const consumers = setting.named(
  'The callers with their credentials. Their names appear in metrics and logs, their credentials never. Default: any well-formed credential is accepted.',
  {
    type: 'object',
    description: 'Credentials by security scheme of the contract.',
    properties: {
      expires: setting.text("By the world's clock.", { format: 'date or time' }),
      scopes: setting.list({ type: 'string' }, 'The granted scopes, for oauth2 and openIdConnect. Default: none.'),
    },
    additionalProperties: { type: 'string', minLength: 1 },
    minProperties: 1,
  },
)

const weatherSchema = (blocks: Readonly<Record<string, Schema>>) =>
  setting.named(
    'Weather (chaos profiles) by name. The control plane switches one on (`PUT /weather`), or a request chooses one (`Understudy-Weather: NAME`).',
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
      consumers,
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
