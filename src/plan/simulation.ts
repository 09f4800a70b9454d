// Checks gateway.yaml against its schema, which is assembled from the schemas of the behaviours.

import { behaviours } from '../behaviours/index.ts'
import { parseStart } from '../behaviours/lifecycle.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Json } from '../kernel/json.ts'
import { type Check, type Schema, Schemas } from '../kernel/schema.ts'
import { narrow, shareRepeated } from '../kernel/schema-parts.ts'
import type { Source } from '../kernel/source.ts'
import { parseByteRate, parseDuration, parseRate, parseSize } from '../kernel/units.ts'
import { parseDate } from '../world/clock.ts'
import type { Assign } from '../world/collection.ts'
import { type AnswerOrder, answerSchema } from './answer-order.ts'
import { behaviourSettings, configurable, keyed } from './behaviour-settings.ts'
import { type CorsFile, corsSchema, isOrigin } from './cors.ts'
import { type JournalFile, journalSchema } from './journal.ts'
import { type StatesFile, statesSchema } from './record-states.ts'
import { rulesSchema } from './rules.ts'
import { checkShape, type ShapeCheck } from './shape.ts'
import { type StateFile, stateSchema } from './state.ts'
import { type TlsFile, tlsSchema } from './tls.ts'
import { type BehaviourConfigs, orderSchema, type WeatherFile, type WeatherOrder, weatherSchema } from './weather.ts'
import { type WorldsFile, worldsSchema } from './worlds.ts'

/** The content of gateway.yaml, as written and checked. */
export interface SimulationFile {
  readonly contract?: string | Readonly<Record<string, unknown>>
  readonly seed?: number
  readonly listen?: {
    readonly host?: string
    readonly port?: number
    readonly control?: number
    readonly controlHost?: string
    readonly expose?: readonly ('metrics' | 'healthz' | 'readyz')[]
    readonly clientControls?: boolean
    readonly cors?: CorsFile
    readonly drain?: string
    readonly tls?: TlsFile
    readonly basePath?: string
  }
  readonly limits?: {
    readonly body?: string
    readonly headers?: string
    readonly request?: string
    readonly idle?: string
  }
  readonly worlds?: WorldsFile
  readonly journal?: JournalFile | null
  readonly state?: StateFile
  readonly consumers?: Readonly<Record<string, ConsumerFile>>
  readonly errors?: unknown
  readonly resources?: Readonly<Record<string, ResourceFile>>
  readonly weather?: Readonly<Record<string, WeatherFile>>
  readonly defaults?: BehaviourConfigs
  readonly tags?: Readonly<Record<string, BehaviourConfigs>>
  readonly operations?: Readonly<Record<string, BehaviourConfigs>>
}

export interface ConsumerFile {
  readonly expires?: string
  readonly scopes?: readonly string[]
  /** Credentials by security scheme. */
  readonly [scheme: string]: string | readonly string[] | undefined
}

export interface ResourceFile {
  readonly schema: string
  readonly id?: {
    readonly field?: string
    readonly within?: readonly string[]
    readonly added?: boolean
    readonly assign?: Assign
  }
  readonly seed?: string | readonly Json[] | { readonly generate: number }
  readonly references?: Readonly<Record<string, string | ReferenceFile>>
  readonly defaults?: Readonly<Record<string, Json>>
  readonly set?: Readonly<Record<string, Json>>
  readonly unknownFields?: 'drop' | 'keep' | 'refuse'
  readonly maxRecords?: number
  readonly maxBytes?: string
  readonly states?: StatesFile
}

export interface ReferenceFile {
  readonly to: string
  readonly onDelete?: 'restrict' | 'cascade' | null
}

const DURATION = '\\d+(?:\\.\\d+)? ?(?:ms|s|m|h|d)'
const SIZE = '\\d+(?:\\.\\d+)? ?(?:B|[kKMG]B|[KM]iB)'
const DATE =
  '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:[Tt]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:[Zz]|[+-]\\d\\d:\\d\\d))?'

/**
 * The formats of texts in gateway.yaml: a check, a description, and a pattern for validators that do not know the format.
 */
export const FORMATS = {
  'date or time': {
    test: (text: string) => parseDate(text) !== undefined,
    like: '2030-12-05 or 2030-12-05T10:00:00Z',
    pattern: DATE,
  },
  'date, or time before the sunset': {
    test: (text: string) => parseStart(text, 0) !== undefined,
    like: '30d before sunset or 2030-11-05',
    pattern: `${DURATION} before sunset|${DATE}`,
  },
  duration: {
    test: (text: string) => parseDuration(text) !== undefined,
    like: '250ms, 10s, 5m, 2h or 30d',
    pattern: DURATION,
  },
  rate: {
    test: (text: string) => parseRate(text) !== undefined,
    like: '10/s, 100/m or 1000/15m',
    pattern: '[1-9]\\d*/(?:0*[1-9]\\d*)?(?:s|m|h|d|sec|second|min|minute|hour|day)',
  },
  'byte rate': {
    test: (text: string) => parseByteRate(text) !== undefined,
    like: '64B/s or 10kB/s',
    pattern: `${SIZE}/s`,
  },
  'duration or "always"': {
    test: (text: string) => text === 'always' || parseDuration(text) !== undefined,
    like: 'always or 1s',
    pattern: `always|${DURATION}`,
  },
  'block or "off"': { test: (text: string) => text === 'off', like: 'off', pattern: 'off' },
  origin: {
    test: isOrigin,
    like: 'https://app.example.com, http://localhost:5173 or "*"',
    pattern: '\\*|null|[a-z][a-z0-9+.-]*://[^\\s/?#@,]+',
  },
  path: { test: (text: string) => /^\/[^\s?#]*$/.test(text), like: '/ or /api/v2', pattern: '/[^\\s?#]*' },
  size: { test: (text: string) => parseSize(text) !== undefined, like: '64kB, 1MB or 2GB', pattern: SIZE },
}

const port = { type: 'integer', minimum: 0, maximum: 65535 }
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
    listen: {
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
            'Whether requests may control the stand-in with `Understudy-*` headers and with a world in the path. Default: true.',
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
    },
    limits: {
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
    },
    worlds: worldsSchema,
    journal: journalSchema,
    state: stateSchema,
    consumers: {
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
    },
    weather: weatherSchema,
    errors: errorsSchema,
    resources: {
      type: 'object',
      description: 'Collections of records.',
      additionalProperties: {
        type: 'object',
        required: ['schema'],
        additionalProperties: false,
        properties: {
          schema: { type: 'string', description: 'The schema of the contract that every record must match.' },
          id: {
            type: 'object',
            description: 'The id of a record.',
            additionalProperties: false,
            properties: {
              field: {
                type: 'string',
                description: 'The field with the id, such as `metadata.name` for a nested one. Default: id.',
              },
              within: {
                type: 'array',
                items: { type: 'string' },
                description:
                  'The fields that an id is unique within, such as `[metadata.namespace]`: the paths of the operations on one record name each by `within`. Default: none, ids are unique among all records.',
              },
              added: {
                type: 'boolean',
                description:
                  'Whether the field is added to the records because the schema does not have it. Default: false.',
              },
              assign: {
                enum: ['sequence', 'uuid', 'generate', 'client'],
                description:
                  'How new ids are assigned: `sequence` counts, `uuid` makes UUIDs, `generate` makes text in the form of the id’s example, format or pattern, `client` takes the id from the request and makes one if it has none. Default: the first of these that matches the schema.',
              },
            },
          },
          seed: {
            type: ['string', 'array', 'object'],
            items: { type: 'object' },
            required: ['generate'],
            additionalProperties: false,
            properties: {
              generate: {
                type: 'integer',
                minimum: 0,
                maximum: 100_000,
                description: 'The number of records to generate from the schema.',
              },
            },
            description:
              'The initial records: a YAML or JSON file, a list, or `{ generate: 1000 }` to generate them from the schema.',
          },
          references: {
            type: 'object',
            description:
              'Fields with the id of a record of another resource, or a list of ids. A write with an id that does not exist is refused. The value is the name of the resource, or a block.',
            additionalProperties: {
              type: ['string', 'object'],
              required: ['to'],
              additionalProperties: false,
              properties: {
                to: { type: 'string', description: 'The resource that the field refers to.' },
                onDelete: {
                  enum: ['restrict', 'cascade', null],
                  description:
                    'The effect of deleting a record that others refer to: `restrict` refuses with 409, `cascade` deletes them too, null empties their field. Default: restrict.',
                },
              },
            },
          },
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
          unknownFields: {
            enum: ['drop', 'keep', 'refuse'],
            description: 'What to do with fields that the schema does not have. Default: drop.',
          },
          states: statesSchema,
          maxRecords: {
            type: 'integer',
            minimum: 1,
            description:
              'The maximum number of records; above it the oldest created record is removed, seeds never. Default: 100000.',
          },
          maxBytes: {
            type: 'string',
            format: 'size',
            description:
              'The maximum size of the records in each world, in characters of JSON; above it the oldest created record is removed. Default: 256MB.',
          },
        },
      },
    },
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

const tests = Object.fromEntries(Object.entries(FORMATS).map(([name, { test }]) => [name, test]))

/**
 * Compiles only the part of the schema that a file uses, which takes a fifth of the time. Cached: the next file often uses
 * the same part.
 */
function shapeOf(schema: Schema, stranger?: ShapeCheck['stranger']): ShapeCheck {
  const all = namesIn(schema)
  let last: { readonly names: string; readonly check: Check } | undefined
  return {
    schema,
    formats: FORMATS,
    ...(stranger === undefined ? {} : { stranger }),
    checkFor: value => {
      const used = namesIn(value, all)
      const names = [...used].sort().join()
      if (last?.names !== names) {
        last = { names, check: new Schemas({}, tests).compile(shareRepeated(narrow(schema, used))) }
      }
      return last.check
    },
  }
}

/** Collects the names of all members at any depth; with `known`, only names among those. */
function namesIn(value: unknown, known?: ReadonlySet<string>, names = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return names
  if (Array.isArray(value)) for (const item of value) namesIn(item, known, names)
  else {
    for (const name of Object.keys(value)) {
      if (known === undefined || known.has(name)) names.add(name)
      namesIn((value as Record<string, unknown>)[name], known, names)
    }
  }
  return names
}

const shape = shapeOf(simulationSchema, {
  message: 'this is neither a gateway file nor an OpenAPI document',
  hint: 'begin a gateway file with contract: ./openapi.yaml',
})
const orderShape = shapeOf(orderSchema)
const answerShape = shapeOf(answerSchema)

/** Checks the shape of weather from the control plane, like `checkSimulation` for a file. */
export const checkOrder = (source: Source, report: Diagnostics): WeatherOrder | undefined =>
  checkShape(source, orderShape, report) as WeatherOrder | undefined

/** Checks the shape of an order for an answer. */
export const checkAnswer = (source: Source, report: Diagnostics): AnswerOrder | undefined =>
  checkShape(source, answerShape, report) as AnswerOrder | undefined

/**
 * Checks the shape of a gateway file and reports its mistakes.
 *
 * @returns the valid parts; `undefined` if there are none
 */
export const checkSimulation = (source: Source, report: Diagnostics): SimulationFile | undefined =>
  checkShape(source, shape, report) as SimulationFile | undefined
