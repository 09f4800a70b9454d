// The routes of operations: their measurements, and the data for a request to one.

import { json, missing } from '../../http/control/replies.ts'
import {
  type Control,
  described,
  type PlainRoute,
  positive,
  refuseWorld,
  replyWith,
  shape,
  under,
} from '../../http/control/route.ts'
import { describeDay } from '../../plan/describe.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import { timestamp } from '../../world/dates.ts'
import { describeChain, describeForm } from './form.ts'
import { measureTraffic } from './traffic.ts'
import type { Measure } from './types.ts'

const NONE: Measure = {
  requests: 0,
  perSecond: 0,
  errors: 0,
  refused: 0,
  p50: null,
  p90: null,
  p95: null,
  p99: null,
  max: null,
  series: [],
}

interface OperationQuery {
  readonly world?: string
  readonly consumer?: string
  readonly tag?: string
  readonly minutes?: number
}

export const operationRoutes = (control: Control) =>
  under('absent', { listOperations: listOperations(control), getOperation: getOperation(control) })

const listOperations = ({ gateway }: Control): PlainRoute => ({
  at: 'GET /operations',
  summary:
    'Every operation with its life-cycle phase, its chain, and the rate and latency of the last minutes, as far as the journal goes back.',
  parameters: {
    world: described('Requests of this world only; phases by its clock.'),
    consumer: described('Only requests of this consumer; empty for unknown consumers.'),
    tag: described('Operations with this tag only.'),
    minutes: described('Default: 5.', { ...positive, maximum: 60 }),
  },
  replies: {
    200: replyWith('The operations.', shape('MeasuredOperations')),
    404: 'The world does not exist.',
  },
  handle: ({ parameters }) => {
    const { worlds, clock, journal } = gateway
    const { world: name, consumer, tag, minutes = 5 } = parameters as OperationQuery
    const world = name === undefined ? worlds.default : worlds.get(name)
    if (world === undefined) return refuseWorld('unknown', name as string, worlds)
    const plan = worlds.planOf(world.name)
    const now = clock.now()
    const { seconds, step, all, byOperation } = measureTraffic(journal, { world: name, consumer }, minutes, now)
    const days = describeDay(plan, world.clock.now())
    const settingsOf = settingsUnderWeather(plan)
    const weather = (gateway.weather.of(world, plan).current ?? gateway.weather.current)?.weather
    const operations = (weather?.operations.all() ?? plan.operations)
      .filter(({ operation }) => tag === undefined || operation.tags.includes(tag))
      .map(({ operation, route, deprecated, chain, index }) => ({
        operation: operation.id,
        method: operation.method,
        path: route,
        tags: operation.tags,
        summary: operation.summary,
        deprecated,
        phase: days[index]?.phase ?? 'active',
        chain: describeChain(chain),
        settings: settingsOf(chain),
        measured: byOperation.get(operation.id) ?? NONE,
      }))
    return json({ at: timestamp(now), seconds, step, operations, all })
  },
})

/** Returns a function that returns the settings of an operation that weather may change, by their keys. */
function settingsUnderWeather({ simulation }: Plan) {
  const { behaviours } = simulation.house
  const names = new Set(behaviours.flatMap(({ name, weather }) => (weather ? [name] : [])))
  return (chain: PlannedOperation['chain']) =>
    Object.fromEntries(chain.flatMap(({ name, config }) => (names.has(name) ? [[name, config]] : [])))
}

const getOperation = ({ gateway, about }: Control): PlainRoute => ({
  at: 'GET /operations/{operation}',
  summary: 'An operation as a form needs it: parameters and bodies with schemas and samples, and documented replies.',
  parameters: {
    operation: described('Its id.'),
    world: described('The world whose contract has it. Default: the default one.'),
  },
  replies: {
    200: replyWith('The operation.', shape('OperationForm')),
    404: 'The operation does not exist.',
  },
  handle: ({ parameters }) => {
    const { operation: id, world = '' } = parameters as { readonly operation: string; readonly world?: string }
    const plan = gateway.worlds.planOf(world)
    const planned = plan.operations.find(({ operation }) => operation.id === id)
    if (planned !== undefined) return json(describeForm(planned, plan, about.api()))
    return missing(
      'operation',
      id,
      plan.operations.map(({ operation }) => operation.id),
    )
  },
})
