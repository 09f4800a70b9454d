// The routes of operations: their measurements, and the data for a request to one.

import { behaviours } from '../../behaviours/index.ts'
import { deprecationsAsCsv, describeDeprecations, formatDeprecations } from '../../gateway/deprecations.ts'
import { describeChain, describeForm } from '../../gateway/reference.ts'
import type { Measure } from '../../gateway/traffic.ts'
import { describeDay } from '../../plan/describe.ts'
import { timestamp } from '../../world/clock.ts'
import { parseMoment } from '../../world/world-clock.ts'
import { phaseSchema } from './configuration.ts'
import { refuseWorld } from './find-world.ts'
import { badRequest, json, missing, text } from './replies.ts'
import { type Control, type ControlRoute, under } from './route.ts'
import { dateTime, integerParameter, list, natural, object, replyWith, string, stringParameter } from './schemas.ts'

const latencySchema = { type: ['number', 'null'], minimum: 0 } as const

const measureSchema = object({
  requests: natural,
  perSecond: { type: 'number', minimum: 0 },
  errors: { ...natural, description: 'Without a reply, or with one of 500 or above.' },
  refused: { ...natural, description: 'With a reply from 400 to 499.' },
  p50: {
    ...latencySchema,
    description: 'Half of the requests took no longer, in milliseconds; null without a request.',
  },
  ...{ p90: latencySchema, p95: latencySchema, p99: latencySchema, max: latencySchema },
  series: {
    ...list(object({ requests: natural, errors: natural, p50: latencySchema, p95: latencySchema })),
    description: 'One for each step, the oldest first.',
  },
})

const linkSchema = object({ name: string, 'detail?': string })

const operationsSchema = object({
  at: { ...dateTime, description: 'By the real clock.' },
  seconds: { ...natural, description: 'The time that is measured.' },
  step: { type: 'number', description: 'Seconds of each step of a series.' },
  operations: list(
    object({
      ...{ operation: string, method: string, path: string, tags: list(string), 'summary?': string },
      deprecated: { type: 'boolean' },
      phase: phaseSchema,
      chain: list(linkSchema),
      settings: {
        type: 'object',
        description: 'Latency, faults and limits as they are in force, by the keys of gateway.yaml; weather included.',
      },
      measured: measureSchema,
    }),
  ),
  all: measureSchema,
})

const example = object({ name: { type: ['string', 'null'] }, value: {} })
const jsonSchema = {
  type: ['object', 'boolean'],
  description: 'JSON Schema 2020-12, with all that it refers to.',
} as const

const formSchema = object({
  ...{ operation: string, method: string },
  path: { ...string, description: 'The path template, base path included.' },
  ...{ tags: list(string), 'summary?': string, 'description?': string },
  deprecated: { type: 'boolean' },
  chain: list(linkSchema),
  security: { ...list(list(string)), description: 'Alternatives of schemes that belong together.' },
  parameters: list(
    object({
      ...{ name: string, in: { enum: ['path', 'query', 'header', 'cookie'] }, 'description?': string },
      ...{ required: { type: 'boolean' }, deprecated: { type: 'boolean' }, schema: jsonSchema },
      'sample?': { ...string, description: 'Its text in the sample.' },
    }),
  ),
  'body?': object({
    required: { type: 'boolean' },
    content: list(object({ type: string, 'schema?': jsonSchema, examples: list(example) })),
  }),
  responses: list(
    object({
      status: { ...string, description: 'As the contract has it: `200`, `4XX`, `default`.' },
      description: string,
      content: list(
        object({
          ...{ type: string, examples: list(example) },
          'sample?': { description: 'A valid value, if the contract has no example.' },
        }),
      ),
    }),
  ),
  'curl?': {
    ...string,
    description: 'A command that sends the sample; absent if it needs a key that the configuration does not publish.',
  },
  'sample?': {
    ...object({ path: string, query: string, headers: { type: 'object' }, 'body?': string }),
    description: 'A request that keeps to the contract, without a credential.',
  },
})

const caller = {
  consumer: { type: ['string', 'null'], description: 'null for calls of unknown consumers.' },
  calls: natural,
  firstSeen: { ...string, description: "By the world's clock." },
  lastSeen: string,
}

const reportSchema = object({
  at: { ...string, description: 'The moment from which days are counted.' },
  operations: list(
    object({
      ...{ operation: string, method: string, path: string, 'since?': string, 'sunset?': string },
      'daysLeft?': {
        type: 'integer',
        description: 'Days until the sunset, one that has begun counted; negative after it.',
      },
      calls: { ...natural, description: 'Live ones, here and below: neither in a sandbox nor at another time.' },
      consumers: list(object(caller)),
      rehearsed: { ...natural, description: 'Calls in sandboxes, or at another time than the real one.' },
    }),
  ),
  inputs: {
    ...list(object({ operation: string, input: string, ...caller })),
    description: 'Deprecated parameters and fields of bodies, as far as anybody used them.',
  },
})

/** The behaviours that weather may change. */
const WEATHERED = new Set(behaviours.flatMap(({ name, weather }) => (weather ? [name] : [])))

const NONE: Measure = {
  ...{ requests: 0, perSecond: 0, errors: 0, refused: 0, p50: null, p90: null, p95: null, p99: null, max: null },
  series: [],
}

interface OperationQuery {
  readonly world?: string
  readonly consumer?: string
  readonly tag?: string
  readonly minutes?: number
}

export const operationRoutes = ({ gateway, about }: Control): ControlRoute[] =>
  under('absent', [
    {
      at: 'GET /operations',
      operation: 'listOperations',
      summary:
        'Every operation with its life-cycle phase, its chain, and the rate and latency of the last minutes. Recorded from the first call until two minutes after the last.',
      parameters: {
        world: stringParameter('Requests of this world only; phases by its clock.'),
        consumer: stringParameter('Only requests of this consumer; empty for unknown consumers.'),
        tag: stringParameter('Operations with this tag only.'),
        minutes: integerParameter('Default: 5.', 1, 60),
      },
      replies: {
        200: replyWith('The operations.', operationsSchema),
        404: 'The world does not exist.',
      },
      handle: ({ parameters }) => {
        const { plan, worlds, clock } = gateway
        const { world: name, consumer, tag, minutes = 5 } = parameters as OperationQuery
        const world = name === undefined ? worlds.default : worlds.get(name)
        if (world === undefined) return refuseWorld('unknown', name as string, worlds)
        const filter = {
          ...(name === undefined ? {} : { world: name }),
          ...(consumer === undefined ? {} : { consumer }),
        }
        const { seconds, step, all, byOperation } = gateway.traffic.measure(filter, minutes, clock.now())
        const days = describeDay(plan, world.clock.now())
        const weather = (gateway.weather.of(world, plan).current ?? gateway.weather.current)?.weather
        const operations = (weather?.operations.all() ?? plan.operations)
          .filter(({ operation }) => tag === undefined || operation.tags.includes(tag))
          .map(({ operation: { id, method, tags, summary }, route, deprecated, chain, index }) => ({
            ...{ operation: id, method, path: route, tags },
            ...(summary === undefined ? {} : { summary }),
            ...{ deprecated, phase: days[index]?.phase ?? 'active', chain: describeChain(chain) },
            settings: Object.fromEntries(
              chain.flatMap(({ name, config }) => (WEATHERED.has(name) ? [[name, config]] : [])),
            ),
            measured: byOperation.get(id) ?? NONE,
          }))
        return json({ at: timestamp(clock.now()), seconds, step, operations, all })
      },
    },
    {
      at: 'GET /operations/{operation}',
      operation: 'getOperation',
      summary:
        'An operation as a form needs it: parameters and bodies with schemas and samples, and documented replies.',
      parameters: { operation: stringParameter('Its id.') },
      replies: { 200: replyWith('The operation.', formSchema), 404: 'The operation does not exist.' },
      handle: ({ parameters }) => {
        const { plan } = gateway
        const id = parameters.operation as string
        const planned = plan.operations.find(({ operation }) => operation.id === id)
        if (planned !== undefined) return json(describeForm(planned, plan, about.api()))
        return missing(
          'operation',
          id,
          plan.operations.map(({ operation }) => operation.id),
        )
      },
    },
    {
      at: 'GET /deprecations',
      operation: 'getDeprecations',
      summary: 'Every deprecated operation with the consumers that still call it, and the days that are left.',
      parameters: {
        at: stringParameter(
          "Counts days from then: a date, a timestamp, or an offset such as `+30d`. Default: the default world's time.",
        ),
      },
      replies: { 200: replyWith('The report.', reportSchema, 'text/plain', 'text/csv') },
      handle: call => {
        const now = gateway.worlds.default.clock.now()
        const { at } = call.parameters as { at?: string }
        const time = at === undefined ? now : parseMoment(at, now)
        if (time === undefined)
          return badRequest(`at must be a date, a timestamp or an offset such as +30d, not "${at}"`)
        const report = describeDeprecations(gateway.plan, gateway.metrics.deprecations, time)
        if (call.prefers('text/csv')) return text(deprecationsAsCsv(report), 'text/csv')
        return call.prefers('text/plain') ? text(formatDeprecations(report)) : json(report)
      },
    },
  ])
