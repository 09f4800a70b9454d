// The routes of weather (a chaos profile), which overrides the configuration for a time.

import type { CurrentWeather, WeatherSlot } from '../../gateway/weather.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { isObject, type JsonObject, stringifyJson } from '../../kernel/json.ts'
import { parseSource } from '../../kernel/read-source.ts'
import type { Plan } from '../../plan/plan.ts'
import type { World } from '../../world/world.ts'
import { inMadeWorld, inWorld, nameParameter, noNewWorld, noSuchWorld } from './find-world.ts'
import { invalidConfigurationSchema, refuseConfiguration } from './plan.ts'
import { DONE, json, list, object, problem, replyWith, words } from './replies.ts'
import type { Call, Control, ControlReply, ControlRoute } from './route.ts'

export const weatherSchema = object(
  {
    name: { type: ['string', 'null'], description: 'null if the weather is clear.' },
    until: { type: 'string', format: 'date-time', description: 'By real time. Absent: until it is changed.' },
    operations: { ...list(words), description: 'The operations that it changes for all consumers.' },
    consumers: { ...list(words), description: 'The consumers with different weather.' },
    known: { ...list(words), description: 'The weather that the configuration names.' },
    blocks: {
      type: 'object',
      description: 'The blocks that are in force, as they were put or stand in the configuration.',
    },
  },
  'until',
)

const describe = (plan: Plan, current: CurrentWeather | undefined) => ({
  name: current?.weather.name ?? null,
  ...(current?.until === undefined ? {} : { until: new Date(current.until).toISOString() }),
  operations: plan.operations
    .filter(planned => current?.weather.operations.changes(planned))
    .map(({ operation }) => operation.id),
  consumers: [...(current?.weather.consumers.keys() ?? [])],
  known: [...plan.weather.keys()],
  blocks: blocksOf(plan, current),
})

/** Returns the blocks of the weather: `defaults`, `tags`, `operations` and `consumers`. */
function blocksOf({ simulation }: Plan, current: CurrentWeather | undefined): object {
  if (current === undefined) return {}
  const {
    name: _,
    for: __,
    ...blocks
  } = (current.source?.value ?? simulation.file.weather?.[current.weather.name] ?? {}) as JsonObject
  return blocks
}

/** The largest weather, in bytes. */
const MAX_WEATHER = 100_000
/** More rules than a test has a use for: those of one operation are compiled in one step, a tenth of a millisecond each. */
const MOST_RULES = 500

/** Counts the rules of an order in all its blocks. */
function countRules(order: unknown): number {
  if (!isObject(order)) return 0
  const { defaults, ...groups } = order as JsonObject
  const blocks = [defaults, ...Object.values(groups).flatMap(group => (isObject(group) ? Object.values(group) : []))]
  return blocks.reduce<number>((sum, block) => {
    const rules = isObject(block) ? (block as JsonObject).rules : undefined
    return sum + (Array.isArray(rules) ? rules.length : 0)
  }, 0)
}

const order = {
  description: 'A name of the configuration; or blocks as under `weather` there, in JSON or YAML.',
  schema: { type: 'object' },
  texts: ['application/yaml'],
  maxBytes: MAX_WEATHER,
} as const

const impossible = {
  422: {
    description: 'The weather is invalid and was not changed.',
    content: { 'application/problem+json': invalidConfigurationSchema },
  },
} as const

export const weatherRoutes = ({ gateway }: Control): ControlRoute[] => {
  const make = async (slotNow: () => WeatherSlot, { body, text }: Call): Promise<ControlReply> => {
    const report = new Diagnostics()
    const given = text ?? stringifyJson(body as JsonObject)
    const refused = refuseExpressions(given)
    if (refused !== undefined) return refused
    const source = parseSource('weather', given, report, { mostWorded: MOST_WORDED })
    if (countRules(source?.value) > MOST_RULES) {
      const detail = `the weather has more than ${MOST_RULES} rules; put them into the configuration`
      return problem(413, 'payload_too_large', detail)
    }
    const current = source && slotNow().make(gateway.plan, source, report)
    if (current !== undefined) return json(describe(gateway.plan, current))
    return refuseConfiguration(report)
  }
  const slotOf = (world: World) => gateway.weather.of(world, gateway.plan)
  return [
    {
      method: 'GET',
      path: '/weather',
      operation: 'getWeather',
      underWorkers: 'shared',
      summary: 'The current weather (chaos profile), and those of the configuration.',
      replies: { 200: replyWith('The weather.', weatherSchema) },
      answer: () => json(describe(gateway.plan, gateway.weather.current)),
    },
    {
      method: 'PUT',
      path: '/weather',
      operation: 'setWeather',
      underWorkers: 'shared',
      summary:
        'Sets the weather (chaos profile) of every world without a separate one: a preset of the configuration, or new blocks; for a time, or until it is changed.',
      body: order,
      replies: { 200: replyWith('The new weather.', weatherSchema), ...impossible },
      answer: call => make(() => gateway.weather.overall, call),
    },
    {
      method: 'DELETE',
      path: '/weather',
      operation: 'clearWeather',
      underWorkers: 'shared',
      summary: 'Clears the weather.',
      replies: { 204: { description: 'The weather is clear.' } },
      answer: () => {
        gateway.weather.overall.clear()
        return DONE
      },
    },
    {
      method: 'GET',
      path: '/worlds/{name}/weather',
      operation: 'getWorldWeather',
      underWorkers: 'shared',
      summary: 'The weather of one world.',
      parameters: nameParameter,
      replies: { 200: replyWith('The weather.', weatherSchema), ...noSuchWorld },
      answer: inWorld(gateway.worlds, world => json(describe(gateway.plan, slotOf(world).current))),
    },
    {
      method: 'PUT',
      path: '/worlds/{name}/weather',
      operation: 'setWorldWeather',
      underWorkers: 'shared',
      summary: 'Sets the weather of one world, instead of that of all worlds. A reset clears it.',
      parameters: nameParameter,
      body: order,
      replies: { 200: replyWith('The new weather.', weatherSchema), ...noNewWorld, ...impossible },
      answer: inMadeWorld(gateway.worlds, (world, call) => make(() => slotOf(world), call)),
    },
    {
      method: 'DELETE',
      path: '/worlds/{name}/weather',
      operation: 'clearWorldWeather',
      underWorkers: 'shared',
      summary: 'Clears the weather of one world, so that the weather of all worlds applies.',
      parameters: nameParameter,
      replies: { 204: { description: 'The weather is clear.' }, ...noSuchWorld },
      answer: inWorld(gateway.worlds, world => {
        slotOf(world).clear()
        return DONE
      }),
    },
  ]
}

// The bounds of an order: weather or an answer that is sent to the control plane, and compiled while others wait.

/** A longer order is parsed only once: describing a mistake of syntax in other words takes four times as long. */
export const MOST_WORDED = 20_000

/** Each takes up to 40 µs to compile. */
const MOST_EXPRESSIONS = 1000

/** Refuses an order with more expressions. */
export function refuseExpressions(text: string): ControlReply | undefined {
  let count = 0
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', at + 2)) count += 1
  if (count <= MOST_EXPRESSIONS) return undefined
  const detail = `there are more than ${MOST_EXPRESSIONS} expressions; put them into the configuration`
  return problem(413, 'payload_too_large', detail)
}
