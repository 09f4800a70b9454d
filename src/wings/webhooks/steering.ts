// The deliveries of webhooks, as a test reads and causes them: by method calls, and over the control plane.

import type { Gateway } from '../../gateway/gateway.ts'
import { Refused, refusedWorld, unknownName, withHint } from '../../gateway/refused.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { World } from '../../world/world.ts'
import { changeWorld } from './courier.ts'
import { type DeliveryFilter, deliveriesIn } from './deliveries.ts'
import { webhooksObserver } from './observe.ts'
import { Queue } from './queue.ts'
import { webhooksBlock } from './settings.ts'
import type { Delivery, DeliveryVerdict } from './types.ts'

/** An event that a test makes up. */
export interface MadeUp {
  /** Default: the default world. */
  readonly world?: string
  /** The record, whose fields are laid over the body. */
  readonly record?: JsonObject
  /** The whole body. */
  readonly body?: Json
  /** The receiver, in place of those of the webhook. */
  readonly url?: string
}

export interface WebhookSteering {
  /** The deliveries of webhooks, in the order of their events. */
  deliveries(filter?: DeliveryFilter): readonly Delivery[]
  /** Whether as many deliveries as should have matched did. @param times the exact number, or two bounds. Default: at least one. */
  verifyDeliveries(
    filter: DeliveryFilter,
    times?: number | { readonly min?: number | undefined; readonly max?: number | undefined },
  ): DeliveryVerdict
  /** Resolves when everything that is due by the clock of a world has been attempted. Default: the default world. */
  delivered(world?: string): Promise<void>
  /** Delivers an event that the test makes up; resolves with its deliveries when the first attempts are made. */
  sendWebhook(name: string, event?: MadeUp): Promise<readonly Delivery[]>
  /** Makes one more attempt of a delivery. */
  redeliver(id: string): Promise<Delivery>
}

export function steerWebhooks(gateway: Gateway): WebhookSteering {
  const { worlds } = gateway
  const worldOf = (name = worlds.default.name): World => {
    const world = worlds.get(name)
    if (world === undefined) throw refusedWorld('unknown', name, worlds)
    return world
  }
  const namesOf = (world: World) => worlds.planOf(world.name).settings(webhooksBlock) ?? new Map<string, never>()
  const deliveries = (filter: DeliveryFilter = {}): readonly Delivery[] => {
    const { webhook, world } = filter
    const known = namesOf(worldOf(world))
    if (webhook === undefined || known.has(webhook)) return deliveriesIn(gateway, filter)
    throw new Refused('invalid_request', withHint(`there is no webhook "${webhook}"`, webhook, known.keys()))
  }
  return {
    deliveries,
    verifyDeliveries(filter, times = {}) {
      const { min, max } = typeof times === 'number' ? { min: times, max: times } : times
      const least = min ?? (max === undefined ? 1 : 0)
      const { length: count } = deliveries(filter)
      const { state: _, request: __, ...wider } = filter
      const others = count < least ? deliveriesIn(gateway, wider).slice(-5) : []
      return {
        passed: count >= least && count <= (max ?? count),
        count,
        others: others.map(({ id, state, why }) => ({ id, state, ...(why !== undefined && { why }) })),
      }
    },
    delivered: world => gateway.settle(worldOf(world).name),
    async sendWebhook(name, { world: named, record, body, url } = {}) {
      const world = worldOf(named)
      const webhooks = gateway.observed(webhooksObserver)
      const known = namesOf(world)
      const webhook = known.get(name)
      if (webhook === undefined) throw unknownName('webhook', name, known.keys())
      const at = world.clock.now()
      const happening = { at, cause: 'by hand', before: undefined, after: record, record, body, url }
      const ids = await changeWorld(world, `send ${name}`, () => webhooks.deliver(webhook, world, happening))
      await webhooks.settle(world)
      return deliveriesIn(gateway, { world: world.name }).filter(({ id }) => ids.includes(id))
    },
    async redeliver(id) {
      const world = worlds.list().find(one => new Queue(one).get(id) !== undefined)
      if (world === undefined) throw unknownName('delivery', id, [])
      await changeWorld(world, `redeliver ${id}`, () => {
        const queue = new Queue(world)
        const kept = queue.get(id)
        const again = { state: 'pending', due: world.clock.now(), why: undefined, claim: undefined } as const
        if (kept !== undefined) queue.put({ ...kept, ...again })
      })
      await gateway.observed(webhooksObserver).settle(world)
      return deliveriesIn(gateway, { world: world.name }).find(one => one.id === id) as Delivery
    },
  }
}
