// The routes of answers on demand, which replace the replies to the next requests.

import { MOST_ANSWERS, type StandingAnswer } from '../../gateway/answers.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { answerSchema } from '../../plan/block-schemas.ts'
import { timestamp } from '../../world/clock.ts'
import type { World } from '../../world/world.ts'
import { invalidOrder, orderSpec, readOrder, refuseConfiguration } from './configuration.ts'
import { inMadeWorld, inWorld } from './find-world.ts'
import { DONE, done, json, problem } from './replies.ts'
import { type Call, type Control, type ControlReply, type ControlRoute, under } from './route.ts'
import { dateTime, list, natural, object, replyWith, string, stringParameter } from './schemas.ts'

const {
  properties: { times: _, ...properties },
} = answerSchema as { readonly properties: Readonly<Record<string, object>> }

const standingSchema = {
  ...object({
    ...Object.fromEntries(Object.entries(properties).map(([name, schema]) => [`${name}?`, schema])),
    ...{ 'delay?': string, 'for?': string, 'fault?': { type: 'object' }, id: string },
    world: { type: ['string', 'null'], description: 'null: every world.' },
    times: { type: ['integer', 'null'], description: 'How many requests it answers; null: without end.' },
    left: { type: ['integer', 'null'], description: 'How many of them are left.' },
    given: { ...natural, description: 'How many requests it has answered.' },
    'toSkip?': { ...natural, description: 'How many requests are answered as usual before that.' },
    'until?': { ...dateTime, description: 'By the real clock.' },
  }),
  description: 'The answer as it was set, and how often it was used.',
}
const allSchema = object({ answers: { ...list(standingSchema), description: 'The newest first.' } })

const describeAnswer = ({ id, world, order, left, given, toSkip, until }: StandingAnswer): object => ({
  ...order,
  ...{ id, world: world ?? null, times: order.times === undefined ? 1 : order.times, left: left ?? null, given },
  ...(order.skip === undefined ? {} : { toSkip }),
  ...(until === undefined ? {} : { until: timestamp(until) }),
})

/** The largest answer, in bytes. */
const MAX_ANSWER = 300_000

const answerBody = orderSpec('The requests to answer, the reply, and how often.', MAX_ANSWER)
const taken = {
  201: replyWith('The answer is set.', standingSchema),
  409: `There are ${MOST_ANSWERS} already, or there is no such world and sandboxes are switched off.`,
  ...invalidOrder('The answer is invalid; nothing was changed.'),
}

export const answerRoutes = ({ gateway }: Control): ControlRoute[] => {
  const { answers, worlds } = gateway
  const put = async (world: World | undefined, call: Call): Promise<ControlReply> => {
    const report = new Diagnostics()
    const source = readOrder('answer', call, report)
    const standing = source && answers.put(gateway.plan, source, world, report)
    if (standing === undefined) return refuseConfiguration(report, 'invalid_answer')
    if (standing !== 'full') return json(describeAnswer(standing), 201)
    return problem(409, 'conflict', `there are already ${MOST_ANSWERS} answers; remove some with DELETE /answers`)
  }
  const show = (all: readonly StandingAnswer[]) => json({ answers: all.map(describeAnswer) })
  return under('shared', [
    {
      at: 'GET /answers',
      operation: 'listAnswers',
      summary: 'The answers that are set: those for every world, then those of each world.',
      replies: { 200: replyWith('All of them.', allSchema) },
      handle: () => show(answers.all()),
    },
    {
      at: 'POST /answers',
      operation: 'giveAnswer',
      summary: 'Sets the answer to the next requests in every world. It takes precedence over rules and weather.',
      body: answerBody,
      replies: taken,
      handle: call => put(undefined, call),
    },
    {
      at: 'DELETE /answers',
      operation: 'clearAnswers',
      summary: 'Removes all answers, those of single worlds too.',
      replies: done,
      handle: () => {
        answers.clearAll()
        return DONE
      },
    },
    {
      at: 'DELETE /answers/{id}',
      operation: 'removeAnswer',
      summary: 'Removes an answer.',
      parameters: { id: stringParameter('Its id.', { maxLength: 20 }) },
      replies: { ...done, 404: 'The answer does not exist; it may be used up.' },
      handle: ({ parameters }) => {
        const id = parameters.id as string
        return answers.remove(id) ? DONE : problem(404, 'not_found', `there is no answer ${id}; it may be used up`)
      },
    },
    inWorld(worlds, {
      at: 'GET /worlds/{name}/answers',
      operation: 'listWorldAnswers',
      summary: 'The answers that are set for one world.',
      replies: { 200: replyWith('Its own.', allSchema) },
      handle: world => show(answers.list(world)),
    }),
    inMadeWorld(worlds, {
      at: 'POST /worlds/{name}/answers',
      operation: 'giveWorldAnswer',
      summary: 'Sets the answer to the next requests in one world. A reset removes it.',
      body: answerBody,
      replies: taken,
      handle: put,
    }),
    inWorld(worlds, {
      at: 'DELETE /worlds/{name}/answers',
      operation: 'clearWorldAnswers',
      summary: 'Removes the answers of one world.',
      replies: done,
      handle: world => {
        answers.clear(world)
        return DONE
      },
    }),
  ])
}
