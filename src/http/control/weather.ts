// The routes of weather (a chaos profile), which overrides the configuration for a time.

import type { CurrentWeather, WeatherSlot } from '../../gateway/weather.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import type { JsonObject } from '../../kernel/value/json.ts'
import { timestamp } from '../../world/clock.ts'
import type { World } from '../../world/world.ts'
import { invalidOrder, orderSpec, readOrder, refuseConfiguration } from './configuration.ts'
import { inMadeWorld, inWorld } from './find-world.ts'
import { DONE, json } from './replies.ts'
import { type Call, type Control, type ControlReply, type ControlRoute, under } from './route.ts'
import { dateTime, list, object, replyWith, string } from './schemas.ts'

const weatherReplySchema = object({
  name: { type: ['string', 'null'], description: 'null if the weather is clear.' },
  'until?': { ...dateTime, description: 'By real time. Absent: until it is changed.' },
  operations: { ...list(string), description: 'The operations that it changes for all consumers.' },
  consumers: { ...list(string), description: 'The consumers with different weather.' },
  known: { ...list(string), description: 'The weather that the configuration names.' },
  blocks: {
    type: 'object',
    description: 'The blocks that are in force, as they were put or stand in the configuration.',
  },
})
const weatherShown = { 200: replyWith('The weather.', weatherReplySchema) }
const weatherSet = {
  200: replyWith('The new weather.', weatherReplySchema),
  ...invalidOrder('The weather is invalid and was not changed.'),
}
const cleared = { 204: 'The weather is clear.' }

/** The largest weather, in bytes. */
const MAX_WEATHER = 100_000

const weatherBody = orderSpec(
  'A name of the configuration; or blocks as under `weather` there, in JSON or YAML.',
  MAX_WEATHER,
)

export const weatherRoutes = ({ gateway }: Control): ControlRoute[] => {
  const show = (current: CurrentWeather | undefined): ControlReply => {
    const { plan } = gateway
    const { operations, simulation } = plan
    const { weather, until, source } = current ?? {}
    const written = weather && (source?.value ?? simulation.file.weather?.[weather.name])
    const { name: _, for: __, ...blocks } = (written ?? {}) as JsonObject
    return json({
      name: weather?.name ?? null,
      ...(until === undefined ? {} : { until: timestamp(until) }),
      operations: operations.filter(one => weather?.operations.changes(one)).map(({ operation }) => operation.id),
      consumers: [...(weather?.consumers.keys() ?? [])],
      known: [...plan.weather.keys()],
      blocks,
    })
  }
  const make = (slot: WeatherSlot, call: Call): ControlReply => {
    const report = new Diagnostics()
    const source = readOrder('weather', call, report)
    const current = source && slot.make(gateway.plan, source, report)
    return current === undefined ? refuseConfiguration(report) : show(current)
  }
  const clear = (slot: WeatherSlot): ControlReply => {
    slot.clear()
    return DONE
  }
  const slotOf = (world: World) => gateway.weather.of(world, gateway.plan)
  return under('shared', [
    {
      at: 'GET /weather',
      operation: 'getWeather',
      summary: 'The current weather (chaos profile), and those of the configuration.',
      replies: weatherShown,
      handle: () => show(gateway.weather.current),
    },
    {
      at: 'PUT /weather',
      operation: 'setWeather',
      summary:
        'Sets the weather (chaos profile) of every world without a separate one: a preset of the configuration, or new blocks; for a time, or until it is changed.',
      body: weatherBody,
      replies: weatherSet,
      handle: call => make(gateway.weather.overall, call),
    },
    {
      at: 'DELETE /weather',
      operation: 'clearWeather',
      summary: 'Clears the weather.',
      replies: cleared,
      handle: () => clear(gateway.weather.overall),
    },
    inWorld(gateway.worlds, {
      at: 'GET /worlds/{name}/weather',
      operation: 'getWorldWeather',
      summary: 'The weather of one world.',
      replies: weatherShown,
      handle: world => show(slotOf(world).current),
    }),
    inMadeWorld(gateway.worlds, {
      at: 'PUT /worlds/{name}/weather',
      operation: 'setWorldWeather',
      summary: 'Sets the weather of one world, instead of that of all worlds. A reset clears it.',
      body: weatherBody,
      replies: weatherSet,
      handle: (world, call) => make(slotOf(world), call),
    }),
    inWorld(gateway.worlds, {
      at: 'DELETE /worlds/{name}/weather',
      operation: 'clearWorldWeather',
      summary: 'Clears the weather of one world, so that the weather of all worlds applies.',
      replies: cleared,
      handle: world => clear(slotOf(world)),
    }),
  ])
}
