// The schemas of the blocks of gateway.yaml that are not behaviours: addresses, limits, worlds, the journal and resources. The types
// of these blocks are derived from them.

import { type ConfigOf, type SettingOf, type SettingSchema, setting } from '../behaviours/behaviour.ts'
import { type LatencyConfig, latency } from '../behaviours/latency.ts'
import type { KeysOf } from '../behaviours/respond/config.ts'
import type { Json } from '../kernel/json.ts'
import { WORLD_NAME } from '../world/world-name.ts'

const text = { type: 'string' } as SettingOf<string>

const corsBlock = setting.block(
  'Which pages of other origins may call the API (CORS). `off`: none. Default: all, with credentials.',
  {
    origins: {
      ...setting.list(
        { ...text, format: 'origin' } as SettingOf<string>,
        'The origins whose pages may read replies; `*` is every origin. Default: ["*"].',
      ),
      minItems: 1,
    },
    credentials: setting.flag('Whether these pages may send cookies and HTTP authentication. Default: true.'),
  },
  { type: ['object', 'string'], format: 'block or "off"' },
)
const cors = corsBlock as SettingOf<'off' | ConfigOf<typeof corsBlock>>

const tlsBlock = setting.block(
  'Serves both planes over https. `self-signed`, or a block without `key` and `cert`, generates a certificate at start. Default: http.',
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
const tls = tlsBlock as SettingOf<string | ConfigOf<typeof tlsBlock>>

export const listen = setting.block('Addresses and ports.', {
  host: setting.text('The address of the API. Default: 127.0.0.1.'),
  port: setting.integer('The port of the API; 0 picks a free one. Default: 4010.', 0, 65535),
  control: setting.integer('The port of the control plane; 0 picks a free one. Default: 4011.', 0, 65535),
  controlHost: setting.text(
    'The address of the control plane. An address beyond loopback needs UNDERSTUDY_CONTROL_TOKEN. Default: 127.0.0.1.',
  ),
  expose: setting.list(
    { enum: ['metrics', 'healthz', 'readyz'] } as SettingOf<'metrics' | 'healthz' | 'readyz'>,
    'The paths of the control plane that the API port serves too, unless the contract has the path. Default: [metrics, healthz].',
  ),
  clientControls: setting.flag(
    'Whether requests may use `Understudy-*` headers and a world in the path. Default: true.',
  ),
  cors,
  tls,
  drain: setting.duration('The time after SIGTERM in which requests are still served. Default: 250ms.'),
  basePath: setting.text('The path below which the API is served. Default: the paths of the servers of the contract.', {
    format: 'path',
  }),
})

export const limits = setting.block('Limits for each request and connection.', {
  body: setting.size('The maximum size of a body, decompressed. Default: 1MB.'),
  headers: setting.size('The maximum size of the request line and the headers together. Default: 16kB.'),
  request: setting.duration(
    'The maximum time for a request to arrive, and for its reply to be received. Default: 30s.',
  ),
  streams: setting.integer('The number of streams that may be open at once. Default: 1000.', 1, 1_000_000),
  idle: setting.duration('The time for which an idle connection is kept. Default: 10s.'),
})

const seedBlock = setting.block(
  'The initial records: a YAML or JSON file, a list, or `{ generate: 1000 }` to generate them.',
  { generate: setting.integer('The number of records to generate from the schema.', 0, 100_000) },
  { type: ['string', 'array', 'object'], items: { type: 'object' }, required: ['generate'] },
)
const seedSchema = seedBlock as SettingOf<string | readonly Json[] | ConfigOf<typeof seedBlock>>

export const worlds = setting.block(
  'Isolated worlds: sandboxes, and a permanent world for each host among the servers of the contract.',
  {
    sandboxes: setting.flag(
      'Whether a request may name a sandbox, with `Understudy-World: NAME` or with `/~NAME` before or after the base path. Default: true.',
    ),
    max: setting.integer(
      'The maximum number of sandboxes; above it the least recently used is removed, unchanged ones first. Default: 1000.',
      1,
      100_000,
    ),
    idle: setting.duration('The real time without a request after which a sandbox is removed. Default: 1h.'),
    maxBytes: setting.size(
      'The maximum memory for the records of all worlds, estimated as 190 bytes a record and 2 bytes a character of its JSON; shared records count once. Above it the least recently used sandbox is removed; without one, writes are refused with 507. Default: 40 % of the heap.',
    ),
    default: setting.text(
      'The world of requests that name none and are not for a host of the contract. It may be the world of a host. Default: default.',
      { pattern: WORLD_NAME.source },
    ),
    named: setting.named(
      'Permanent worlds with a contract of their own; the rest of this file applies as far as it fits.',
      setting.block(
        'A world.',
        {
          contract: {
            type: ['string', 'array'],
            items: { type: 'string' },
            minItems: 1,
            description: 'Its OpenAPI document: a path relative to this file, or a list of it and its overlays.',
          } as SettingOf<string | readonly string[]>,
          clock: setting.block('The clock with which it begins, and after a reset. Default: real time.', {
            now: setting.text('A date, a timestamp, or an offset from the time of the start: 2030-12-06, +30d.'),
            shift: setting.text('An offset from real time, or from `now`: 30d, -12h.'),
            freeze: setting.flag('Whether the clock stands still. Default: false.'),
            rate: {
              type: 'number',
              description: 'Seconds of the world in a real second. Default: 1.',
            } as SettingOf<number>,
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

export const journal = setting.block(
  'The journal of past requests; null switches it off. Credentials are masked.',
  {
    requests: setting.integer('The number of requests that are kept. Default: 1000.', 1, 1_000_000),
    size: setting.size(
      'The approximate memory limit, at most a tenth of the heap; the oldest requests are removed first. Default: 16MB.',
    ),
    bodies: {
      ...setting.size('The length up to which request and reply bodies are kept. Default: null, no bodies.'),
      type: ['string', 'null'],
    } as SettingOf<string | null>,
    headers: {
      type: ['boolean', 'array'],
      items: { type: 'string', pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
      description: 'The names of the request headers that are kept; true keeps all. Default: false.',
    } as SettingOf<boolean | readonly string[]>,
  },
  { type: ['object', 'null'] },
)

export const states = setting.block(
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
              'The time in its state after which a record follows the edge by itself: a duration, or a distribution as in `latency`.',
          } as SettingOf<string | LatencyConfig>,
          set: {
            type: 'object',
            description: 'Fields that are set when a record follows the edge by itself; `${now}` is that moment.',
          } as SettingOf<Readonly<Record<string, Json>>>,
        }),
      ),
      { minProperties: 1 },
    ),
  },
  { required: ['field', 'from'] },
)

const referenceKeys = {
  to: setting.text('The resource that the field refers to.'),
  onDelete: setting.choice(
    ['restrict', 'cascade', null],
    'Deleting a record that others refer to: `restrict` refuses with 409, `cascade` deletes them too, null empties their field. Default: restrict.',
  ),
}

/** The keys of a resource; those of record sources are added. */
export const resourceKeys = {
  schema: setting.text('The schema of the contract that every record must match.'),
  id: setting.block('The id of a record: `{ field: isbn }`.', {
    field: setting.text(
      'The field with the id, such as `metadata.name` for a nested one. Default: `id`; without such a field, an id that is kept with the record and not shown in replies.',
    ),
    within: setting.list(
      text,
      'The fields that an id is unique within, such as `[metadata.namespace]`: the paths of the operations on one record name each by `within`. Default: none, ids are unique among all records.',
    ),
    assign: setting.choice(
      ['sequence', 'uuid', 'generate', 'client'],
      'Where new ids come from: `sequence` counts, `uuid` makes UUIDs, `generate` text in the form of the id’s example, format or pattern, `client` takes that of the request, or makes one. Default: the first of these that matches the schema.',
    ),
    change: setting.choice(
      ['refuse', 'ignore'],
      'With `assign: client`: whether a write whose body has another id than its path is refused with 400, or keeps the id of the path. Default: refuse.',
    ),
  }),
  seed: seedSchema,
  references: setting.named(
    'Fields with the id of a record of another resource, or a list of ids; unknown ids are refused. The value is the name of the resource, or a block.',
    {
      type: ['string', 'object'],
      required: ['to'],
      additionalProperties: false,
      properties: referenceKeys,
    } as SettingOf<string | (KeysOf<typeof referenceKeys> & { readonly to: string })>,
  ),
  defaults: {
    type: 'object',
    description:
      'Values of fields of a new record that its request leaves out. `${now}` is its time in the format of the field, `${uuid}` a new UUID.',
  } as SettingOf<Readonly<Record<string, Json>>>,
  set: {
    type: 'object',
    description:
      'Fields that every write through the API sets, over those of the request, such as `updatedAt: "${now}"`.',
  } as SettingOf<Readonly<Record<string, Json>>>,
  filled: setting.list(
    setting.text('The name of a field.'),
    'Optional fields that every new record has: one that its request does not give is generated.',
  ),
  unknownFields: setting.choice(
    ['drop', 'warn', 'keep', 'refuse'],
    'What to do with fields that the schema does not have; `warn` drops them with an `Understudy-Warning`. Default: drop.',
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
