// The deliveries of webhooks, as a test reads and causes them: by method calls, without HTTP.

import type { Gateway } from '../../gateway/gateway.ts'
import type { World } from '../../world/world.ts'
import { type MadeUp, redeliver, sendByHand, webhookOf } from './by-hand.ts'
import { type DeliveryFilter, deliveriesIn, filterFault, verifyDeliveries } from './deliveries.ts'
import type { Delivery, DeliveryVerdict } from './types.ts'

export interface WebhookSteering {
  /** The deliveries of webhooks, in the order of their events. */
  deliveries(filter?: DeliveryFilter): readonly Delivery[]
  /** Whether as many deliveries as should have matched did. @param times the exact number, or two bounds. Default: at least one. */
  verifyDeliveries(
    filter: DeliveryFilter,
    times?: number | { readonly min?: number; readonly max?: number },
  ): DeliveryVerdict
  /** Resolves when everything that is due by the clock of a world has been attempted. Default: the default world. */
  delivered(world?: string): Promise<void>
  /** Delivers an event that the test makes up; resolves with its deliveries when the first attempts are made. */
  sendWebhook(name: string, event?: MadeUp & { readonly world?: string }): Promise<readonly Delivery[]>
  /** Makes one more attempt of a delivery. */
  redeliver(id: string): Promise<Delivery>
}

export const steerWebhooks = (gateway: Gateway): WebhookSteering => {
  const worldOf = (name = gateway.worlds.default.name): World => {
    const world = gateway.worlds.get(name)
    if (world === undefined) throw new Error(`there is no world "${name}"`)
    return world
  }
  const checked = (filter: DeliveryFilter): DeliveryFilter => {
    const fault = filterFault(gateway, filter)
    if (fault !== undefined) throw new Error(fault)
    return filter
  }
  return {
    deliveries: (filter = {}) => deliveriesIn(gateway, checked(filter)),
    verifyDeliveries: (filter, times = {}) =>
      verifyDeliveries(gateway, checked(filter), typeof times === 'number' ? { min: times, max: times } : times),
    delivered: world => gateway.settle(worldOf(world).name),
    async sendWebhook(name, { world: named, ...event } = {}) {
      const world = worldOf(named)
      const webhook = webhookOf(gateway, world, name)
      if (webhook === undefined) throw new Error(`there is no webhook "${name}"`)
      const ids = await sendByHand(gateway, world, webhook, event)
      return deliveriesIn(gateway, { world: world.name }).filter(({ id }) => ids.includes(id))
    },
    async redeliver(id) {
      await redeliver(gateway, id)
      const delivery = deliveriesIn(gateway, {}).find(one => one.id === id)
      if (delivery === undefined) throw new Error(`there is no delivery "${id}"`)
      return delivery
    },
  }
}
