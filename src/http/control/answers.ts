// The routes of answers on demand, which replace the replies to the next requests.

import { MOST_ANSWERS, type StandingAnswer } from '../../gateway/answers.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { type JsonObject, stringifyJson } from '../../kernel/json.ts'
import { parseSource } from '../../kernel/read-source.ts'
import { answerSchema } from '../../plan/block-schemas.ts'
import { timestamp } from '../../world/clock.ts'
import type { World } from '../../world/world.ts'
import { inMadeWorld, inWorld, nameParameter, noNewWorld, noSuchWorld } from './find-world.ts'
import { invalidConfigurationSchema, refuseConfiguration } from './plan.ts'
import { count, DONE, json, list, object, problem, replyWith, words } from './replies.ts'
import type { Call, Control, ControlReply, ControlRoute } from './route.ts'
import { MOST_WORDED, refuseExpressions } from './weather.ts'

const { properties } = answerSchema as { readonly properties: Readonly<Record<string, object>> }

const standingSchema = {
  ...(object(
    {
      ...properties,
      delay: words,
      for: words,
      fault: { type: 'object' },
      id: words,
      world: { type: ['string', 'null'], description: 'null: every world.' },
      times: { type: ['integer', 'null'], description: 'How many requests it answers; null: without end.' },
      left: { type: ['integer', 'null'], description: 'How many of them are left.' },
      given: { ...count, description: 'How many requests it has answered.' },
      toSkip: { ...count, description: 'How many requests are answered as usual before that.' },
      until: { type: 'string', format: 'date-time', description: 'By the real clock.' },
    },
    ...Object.keys(properties).filter(name => name !== 'times'),
    ...['toSkip', 'until'],
  ) as object),
  description: 'The answer as it was set, and how often it was used.',
}
const allSchema = object({ answers: { ...list(standingSchema), description: 'The newest first.' } })

const describe = ({ id, world, order, left, given, toSkip, until }: StandingAnswer): object => ({
  ...order,
  ...{ id, world: world ?? null, times: order.times === undefined ? 1 : order.times, left: left ?? null, given },
  ...(order.skip === undefined ? {} : { toSkip }),
  ...(until === undefined ? {} : { until: timestamp(until) }),
})

/** The largest answer, in bytes. */
const MAX_ANSWER = 300_000

const order = {
  description: 'The requests to answer, the reply, and how often.',
  schema: { type: 'object' },
  texts: ['application/yaml'],
  maxBytes: MAX_ANSWER,
} as const

const taken = {
  201: replyWith('The answer is set.', standingSchema),
  409: { description: `There are ${MOST_ANSWERS} already, or there is no such world and sandboxes are switched off.` },
  422: {
    description: 'The answer is invalid; nothing was changed.',
    content: { 'application/problem+json': invalidConfigurationSchema },
  },
} as const

const full = (): ControlReply =>
  problem(409, 'conflict', `there are already ${MOST_ANSWERS} answers; remove some with DELETE /answers`)

export const answerRoutes = ({ gateway }: Control): ControlRoute[] => {
  const { answers, worlds } = gateway
  const put = async (world: World | undefined, { body, text }: Call): Promise<ControlReply> => {
    if (answers.list(world).length >= MOST_ANSWERS) return full()
    const report = new Diagnostics()
    const given = text ?? stringifyJson(body as JsonObject)
    const refused = refuseExpressions(given)
    if (refused !== undefined) return refused
    const source = parseSource('answer', given, report, { mostWorded: MOST_WORDED })
    const standing = source && answers.put(gateway.plan, source, world, report)
    if (standing === 'full') return full()
    if (standing !== undefined) return json(describe(standing), 201)
    return refuseConfiguration(report, 'invalid_answer')
  }
  return [
    {
      method: 'GET',
      path: '/answers',
      operation: 'listAnswers',
      underWorkers: 'shared',
      summary: 'The answers that are set: those for every world, then those of each world.',
      replies: { 200: replyWith('All of them.', allSchema) },
      answer: () => json({ answers: answers.all().map(describe) }),
    },
    {
      method: 'POST',
      path: '/answers',
      operation: 'giveAnswer',
      underWorkers: 'shared',
      summary: 'Sets the answer to the next requests in every world. It takes precedence over rules and weather.',
      body: order,
      replies: taken,
      answer: call => put(undefined, call),
    },
    {
      method: 'DELETE',
      path: '/answers',
      operation: 'clearAnswers',
      underWorkers: 'shared',
      summary: 'Removes all answers, those of single worlds too.',
      replies: { 204: { description: 'Done.' } },
      answer: () => {
        answers.clearAll()
        return DONE
      },
    },
    {
      method: 'DELETE',
      path: '/answers/{id}',
      operation: 'removeAnswer',
      underWorkers: 'shared',
      summary: 'Removes an answer.',
      parameters: { id: { schema: { type: 'string', maxLength: 20 }, description: 'Its id.' } },
      replies: { 204: { description: 'Done.' }, 404: { description: 'The answer does not exist; it may be used up.' } },
      answer: ({ parameters }) => {
        const id = parameters.id as string
        return answers.remove(id) ? DONE : problem(404, 'not_found', `there is no answer ${id}; it may be used up`)
      },
    },
    {
      method: 'GET',
      path: '/worlds/{name}/answers',
      operation: 'listWorldAnswers',
      underWorkers: 'shared',
      summary: 'The answers that are set for one world.',
      parameters: nameParameter,
      replies: { 200: replyWith('Its own.', allSchema), ...noSuchWorld },
      answer: inWorld(worlds, world => json({ answers: answers.list(world).map(describe) })),
    },
    {
      method: 'POST',
      path: '/worlds/{name}/answers',
      operation: 'giveWorldAnswer',
      underWorkers: 'shared',
      summary: 'Sets the answer to the next requests in one world. A reset removes it.',
      parameters: nameParameter,
      body: order,
      replies: { ...noNewWorld, ...taken },
      answer: inMadeWorld(worlds, put),
    },
    {
      method: 'DELETE',
      path: '/worlds/{name}/answers',
      operation: 'clearWorldAnswers',
      underWorkers: 'shared',
      summary: 'Removes the answers of one world.',
      parameters: nameParameter,
      replies: { 204: { description: 'Done.' }, ...noSuchWorld },
      answer: inWorld(worlds, world => {
        answers.clear(world)
        return DONE
      }),
    },
  ]
}
