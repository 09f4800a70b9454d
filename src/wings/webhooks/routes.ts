// The routes of webhooks and their deliveries.

import type { Gateway } from '../../gateway/gateway.ts'
import { badRequest, type ControlReply, json, missing } from '../../http/control/replies.ts'
import {
  anyObject,
  type Call,
  type Control,
  described,
  natural,
  object,
  outsideTurns,
  type PlainRoute,
  positive,
  refuseWorld,
  replyWith,
  shape,
  string,
  under,
} from '../../http/control/route.ts'
import { type MadeUp, redeliver, sendByHand, webhookOf } from './by-hand.ts'
import { type DeliveryFilter, deliveriesIn, filterFault, verifyDeliveries } from './deliveries.ts'
import { webhooksBlock } from './settings.ts'
import type { Delivery, DeliveryPage } from './types.ts'

const FILTER = {
  world: described('The world. Default: all.'),
  webhook: described('The webhook.'),
  state: described('The state.', { ...string, enum: ['pending', 'delivered', 'failed', 'gone'] }),
  request: described('The id of the request that caused it.', positive),
}

export const webhookRoutes = ({ gateway }: Control) => [
  ...under('shared', { listDeliveries: listDeliveries(gateway), verifyDeliveries: verify(gateway) }),
  ...outsideTurns(under('shared', { sendWebhook: sendWebhook(gateway), redeliver: redeliverAgain(gateway) })),
]

/** Answers with the deliveries that match. */
const selecting =
  (
    gateway: Gateway,
    answer: (all: readonly Delivery[], call: Call['parameters']) => ControlReply,
  ): PlainRoute['handle'] =>
  ({ parameters }) => {
    const filter = parameters as DeliveryFilter
    const fault = filterFault(gateway, filter)
    return fault === undefined ? answer(deliveriesIn(gateway, filter), parameters) : badRequest(fault)
  }

const webhooksOf = ({ plan }: Gateway): readonly string[] => [...(plan.settings(webhooksBlock)?.keys() ?? [])]

const pageOf = (gateway: Gateway, all: readonly Delivery[], limit = all.length): DeliveryPage => ({
  deliveries: limit === 0 ? [] : all.slice(-limit),
  total: all.length,
  webhooks: webhooksOf(gateway),
})

const listDeliveries = (gateway: Gateway): PlainRoute => ({
  at: 'GET /deliveries',
  summary: 'The deliveries of webhooks with their attempts, in the order of their events.',
  parameters: {
    ...FILTER,
    limit: described('The maximum number, the latest ones. Default: 100.', { ...positive, maximum: 10_000 }),
  },
  replies: { 200: replyWith('Those that match.', shape('DeliveryPage')) },
  handle: selecting(gateway, (all, { limit = 100 }) => json(pageOf(gateway, all, Number(limit)))),
})

const verify = (gateway: Gateway): PlainRoute => ({
  at: 'GET /deliveries/verify',
  summary: 'Whether between `min` and `max` deliveries match, with the others of the webhook if too few do.',
  parameters: {
    ...FILTER,
    min: described('The minimum number of matching deliveries. Default: 1, or 0 with `max`.', natural),
    max: described('The maximum number of matching deliveries.', natural),
  },
  replies: { 200: replyWith('The verdict.', shape('DeliveryVerdict')) },
  handle: ({ parameters }) => {
    const { min, max, ...filter } = parameters as DeliveryFilter & { readonly min?: number; readonly max?: number }
    const fault = filterFault(gateway, filter)
    return fault === undefined ? json(verifyDeliveries(gateway, filter, { min, max })) : badRequest(fault)
  },
})

const sendWebhook = (gateway: Gateway): PlainRoute => ({
  at: 'POST /webhooks/{name}/send',
  summary: 'Delivers an event of a webhook now, and answers when the first attempts are made.',
  parameters: { name: described('The webhook.') },
  body: {
    description: 'The event.',
    required: false,
    schema: object({
      'world?': described('The world. Default: the default one.'),
      'record?': described('The record, whose fields are laid over the body.', anyObject),
      'body?': { description: 'The whole body.' },
      'url?': described('The receiver. Default: those of the webhook.'),
    }),
  },
  replies: {
    200: replyWith('The deliveries.', shape('DeliveryPage')),
    404: 'The world or the webhook does not exist.',
  },
  handle: async ({ parameters, body }) => {
    const { world: named = gateway.worlds.default.name, ...event } = (body ?? {}) as MadeUp & {
      readonly world?: string
    }
    const world = gateway.worlds.get(named)
    if (world === undefined) return refuseWorld('unknown', named, gateway.worlds)
    const name = String(parameters.name)
    const webhook = webhookOf(gateway, world, name)
    if (webhook === undefined) return missing('webhook', name, webhooksOf(gateway))
    const ids = await sendByHand(gateway, world, webhook, event)
    const deliveries = deliveriesIn(gateway, { world: named }).filter(({ id }) => ids.includes(id))
    return json(pageOf(gateway, deliveries))
  },
})

const redeliverAgain = (gateway: Gateway): PlainRoute => ({
  at: 'POST /deliveries/{id}/redeliver',
  summary: 'Makes one more attempt of a delivery, and answers when it is made.',
  parameters: { id: described('The delivery.') },
  replies: { 200: replyWith('The delivery.', shape('Delivery')), 404: 'There is no such delivery.' },
  handle: async ({ parameters }) => {
    const id = String(parameters.id)
    if (!(await redeliver(gateway, id))) return missing('delivery', id, [])
    const delivery = deliveriesIn(gateway, {}).find(one => one.id === id)
    return delivery === undefined ? missing('delivery', id, []) : json(delivery)
  },
})
