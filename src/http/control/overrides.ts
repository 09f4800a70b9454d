// The routes of what overrides the configuration for a time: answers on demand, which replace the replies to the next requests,
// and weather (a chaos profile).

import { MOST_ANSWERS, type StandingAnswer } from '../../gateway/answers.ts'
import { giveAnswer, planFor, setWeather, weatherSlotOf } from '../../gateway/orders.ts'
import { describeReport } from '../../gateway/refused.ts'
import type { CurrentWeather } from '../../gateway/weather.ts'
import type { Worlds } from '../../gateway/worlds/worlds.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { timestamp } from '../../world/dates.ts'
import type { World } from '../../world/world.ts'
import { invalidOrder, orderSpec, orderText } from './configuration.ts'
import { type ControlReply, DONE, done, json, refuseAbsent } from './replies.ts'
import {
  type Call,
  type Control,
  described,
  inMadeWorld,
  inWorld,
  list,
  object,
  type PlainRoute,
  replyWith,
  shape,
  string,
  under,
} from './route.ts'

const warningsOf = (report: Diagnostics) => (report.list.length > 0 ? { diagnostics: describeReport(report) } : {})

const allSchema = object({ answers: described('The newest first.', list(shape('GivenAnswer'))) })

const describeAnswer = ({ id, world, order, left, given, toSkip, until }: StandingAnswer): object => ({
  ...order,
  id,
  world: world ?? null,
  times: order.times === undefined ? 1 : order.times,
  left: left ?? null,
  given,
  toSkip: order.skip && toSkip,
  until: until && timestamp(until),
})

/** The largest answer, in bytes. */
const MAX_ANSWER = 300_000

const answerBody = orderSpec('The requests to answer, the reply, and how often.', MAX_ANSWER, shape('AnswerOrder'))
const taken = {
  201: replyWith('The answer is set.', shape('GivenAnswer')),
  409: `There are ${MOST_ANSWERS} already, or there is no such world and sandboxes are off.`,
  ...invalidOrder('The answer is invalid; nothing was changed.'),
}

export const answerRoutes = ({ gateway }: Control) => {
  const { answers, worlds } = gateway
  const put = async (world: World | undefined, call: Call): Promise<ControlReply> => {
    const report = new Diagnostics()
    const standing = giveAnswer(gateway, world, orderText(call), report)
    return json({ ...describeAnswer(standing), ...warningsOf(report) }, 201)
  }
  return under('shared', {
    ...inAllAndIn(worlds, ['listAnswers', 'listWorldAnswers'], {
      at: 'GET /answers',
      summary: 'The answers that are set: those for every world, then those of each world.',
      worldSummary: 'The answers that are set for one world.',
      replies: { 200: replyWith('The answers.', allSchema) },
      handle: world => json({ answers: (world ? answers.list(world) : answers.all()).map(describeAnswer) }),
    }),
    ...inAllAndIn(worlds, ['giveAnswer', 'giveWorldAnswer'], {
      at: 'POST /answers',
      summary: 'Sets the answer to the next requests in every world. It takes precedence over rules and weather.',
      worldSummary: 'Sets the answer to the next requests in one world. A reset removes it.',
      body: answerBody,
      replies: taken,
      handle: put,
    }),
    ...inAllAndIn(worlds, ['clearAnswers', 'clearWorldAnswers'], {
      at: 'DELETE /answers',
      summary: 'Removes all answers, those of single worlds too.',
      worldSummary: 'Removes the answers of one world.',
      replies: done,
      handle(world) {
        if (world === undefined) answers.clearAll()
        else answers.clear(world)
        return DONE
      },
    }),
    removeAnswer: {
      at: 'DELETE /answers/{id}',
      summary: 'Removes an answer.',
      parameters: { id: described('Its id.', { ...string, maxLength: 20 }) },
      replies: { ...done, 404: 'The answer does not exist; it may be used up.' },
      handle: ({ parameters }) => {
        const id = parameters.id as string
        return answers.remove(id) ? DONE : refuseAbsent(`there is no answer ${id}; it may be used up`)
      },
    },
  })
}

/** A route for every world, and for one of them. */
interface OverrideRoute extends Omit<PlainRoute, 'handle'> {
  /** The summary of the route of one world. */
  readonly worldSummary: string
  /** @param world unset for every world */
  handle(world: World | undefined, call: Call): ControlReply | Promise<ControlReply>
}

/** Returns a route for every world, and the same for one world, by their operation ids. */
function inAllAndIn(
  worlds: Worlds,
  [id, worldId]: readonly [string, string],
  { worldSummary, ...route }: OverrideRoute,
): Readonly<Record<string, PlainRoute>> {
  const at = route.at.replace(' ', ' /worlds/{name}') as PlainRoute['at']
  // A world is created when something is set for it.
  const find = 'body' in route ? inMadeWorld : inWorld
  return {
    [id]: { ...route, handle: call => route.handle(undefined, call) },
    [worldId]: find(worlds, { ...route, at, summary: worldSummary }),
  }
}

const weatherShown = { 200: replyWith('The weather.', shape('ServedWeather')) }
const weatherSet = {
  200: replyWith('The new weather.', shape('ServedWeather')),
  ...invalidOrder('The weather is invalid and was not changed.'),
}

/** The largest weather, in bytes. */
const MAX_WEATHER = 100_000

const weatherBody = orderSpec('A name of the configuration, or blocks as under `weather` there.', MAX_WEATHER)

export const weatherRoutes = ({ gateway }: Control) => {
  const show = (world: World | undefined, current?: CurrentWeather, report = new Diagnostics()): ControlReply => {
    const plan = planFor(gateway, world)
    const { operations, simulation } = plan
    const { weather, until, source } = current ?? {}
    const written = weather && (source?.value ?? simulation.file.weather?.[weather.name])
    const { name: _, for: __, ...blocks } = (written ?? {}) as JsonObject
    return json({
      name: weather?.name ?? null,
      until: until && timestamp(until),
      operations: operations
        .filter(planned => weather?.operations.changes(planned))
        .map(({ operation }) => operation.id),
      consumers: [...(weather?.consumers.keys() ?? [])],
      known: [...plan.weather.keys()],
      blocks,
      ...warningsOf(report),
    })
  }
  const { worlds } = gateway
  return under('shared', {
    ...inAllAndIn(worlds, ['getWeather', 'getWorldWeather'], {
      at: 'GET /weather',
      summary: 'The current weather (chaos profile), and those of the configuration.',
      worldSummary: 'The weather of one world.',
      replies: weatherShown,
      handle: world => show(world, weatherSlotOf(gateway, world).current),
    }),
    ...inAllAndIn(worlds, ['setWeather', 'setWorldWeather'], {
      at: 'PUT /weather',
      summary:
        'Sets the weather (chaos profile) of every world without a separate one, for a time or until it is changed.',
      worldSummary: 'Sets the weather of one world, instead of that of all worlds. A reset clears it.',
      body: weatherBody,
      replies: weatherSet,
      handle(world, call) {
        const report = new Diagnostics()
        return show(world, setWeather(gateway, world, orderText(call), report), report)
      },
    }),
    ...inAllAndIn(worlds, ['clearWeather', 'clearWorldWeather'], {
      at: 'DELETE /weather',
      summary: 'Clears the weather.',
      worldSummary: 'Clears the weather of one world, so that the weather of all worlds applies.',
      replies: { 204: 'The weather is clear.' },
      handle(world) {
        weatherSlotOf(gateway, world).clear()
        return DONE
      },
    }),
  })
}
