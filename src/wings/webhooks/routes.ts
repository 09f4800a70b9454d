// The routes of webhooks and their deliveries.

import type { Gateway } from '../../gateway/gateway.ts'
import { json } from '../../http/control/replies.ts'
import {
  anyObject,
  type Control,
  described,
  natural,
  noWorld,
  object,
  outsideTurns,
  positive,
  replyWith,
  shape,
  string,
  under,
} from '../../http/control/route.ts'
import type { DeliveryFilter } from './deliveries.ts'
import { webhooksBlock } from './settings.ts'
import { type MadeUp, steerWebhooks, type WebhookSteering } from './steering.ts'
import type { Delivery, DeliveryPage } from './types.ts'

const FILTER = {
  world: described('The world. Default: all.'),
  webhook: described('The webhook.'),
  state: described('The state.', { ...string, enum: ['pending', 'delivered', 'failed', 'gone'] }),
  request: described('The id of the request that caused it.', positive),
}

export const webhookRoutes = ({ gateway }: Control) => {
  const steering = steerWebhooks(gateway)
  return [...under('shared', reading(gateway, steering)), ...outsideTurns(under('shared', sending(gateway, steering)))]
}

const pageOf = ({ plan }: Gateway, all: readonly Delivery[], limit = all.length): DeliveryPage => ({
  deliveries: all.slice(Math.max(0, all.length - limit)),
  total: all.length,
  webhooks: [...(plan.settings(webhooksBlock)?.keys() ?? [])],
})

const reading = (gateway: Gateway, { deliveries, verifyDeliveries }: WebhookSteering) =>
  ({
    listDeliveries: {
      at: 'GET /deliveries',
      summary: 'The deliveries of webhooks with their attempts, in the order of their events.',
      parameters: {
        ...FILTER,
        limit: described('The maximum number, the latest ones. Default: 100.', { ...positive, maximum: 10_000 }),
      },
      replies: { 200: replyWith('Those that match.', shape('DeliveryPage')), ...noWorld },
      handle: ({ parameters: { limit = 100, ...filter } }) =>
        json(pageOf(gateway, deliveries(filter as DeliveryFilter), Number(limit))),
    },
    verifyDeliveries: {
      at: 'GET /deliveries/verify',
      summary: 'Whether between `min` and `max` deliveries match, with others of the webhook if too few do.',
      parameters: {
        ...FILTER,
        min: described('The minimum number of matching deliveries. Default: 1, or 0 with `max`.', natural),
        max: described('The maximum number of matching deliveries.', natural),
      },
      replies: { 200: replyWith('The verdict.', shape('DeliveryVerdict')), ...noWorld },
      handle: ({ parameters: { min, max, ...filter } }) =>
        json(verifyDeliveries(filter as DeliveryFilter, { min, max } as { readonly min?: number })),
    },
  }) satisfies Parameters<typeof under>[1]

const sending = (gateway: Gateway, { sendWebhook, redeliver }: WebhookSteering) =>
  ({
    sendWebhook: {
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
      handle: async ({ parameters, body }) =>
        json(pageOf(gateway, await sendWebhook(String(parameters.name), (body ?? {}) as MadeUp))),
    },
    redeliver: {
      at: 'POST /deliveries/{id}/redeliver',
      summary: 'Makes one more attempt of a delivery, and answers when it is made.',
      parameters: { id: described('The delivery.') },
      replies: { 200: replyWith('The delivery.', shape('Delivery')), 404: 'There is no such delivery.' },
      handle: async ({ parameters }) => json(await redeliver(String(parameters.id))),
    },
  }) satisfies Parameters<typeof under>[1]
