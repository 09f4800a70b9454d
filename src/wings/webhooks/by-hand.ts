// Deliveries by hand: of an event that a test makes up, and once more of one that is done.

import type { Gateway } from '../../gateway/gateway.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { World } from '../../world/world.ts'
import { changeWorld } from './courier.ts'
import { findDelivery } from './deliveries.ts'
import { webhooksObserver } from './observe.ts'
import { Queue } from './queue.ts'
import { type Webhook, webhooksBlock } from './settings.ts'

/** An event that a test makes up. */
export interface MadeUp {
  /** The record, whose fields are laid over the body. */
  readonly record?: JsonObject | undefined
  /** The whole body. */
  readonly body?: Json | undefined
  /** The receiver, in place of those of the webhook. */
  readonly url?: string | undefined
}

/** Delivers an event; resolves with the ids of its deliveries once the first attempts are made. */
export async function sendByHand(
  gateway: Gateway,
  world: World,
  webhook: Webhook,
  given: MadeUp,
): Promise<readonly string[]> {
  const webhooks = gateway.observed(webhooksObserver)
  const { record, body, url } = given
  const at = world.clock.now()
  const happening = { at, cause: 'by hand', before: undefined, after: record, record, body, url }
  const ids = await changeWorld(world, `send ${webhook.name}`, () => webhooks.deliver(webhook, world, happening))
  await webhooks.run(world)
  return ids
}

/** Makes one more attempt of a delivery; resolves once it is made. Returns `false` if there is no such delivery. */
export async function redeliver(gateway: Gateway, id: string): Promise<boolean> {
  const { world } = findDelivery(gateway, id) ?? {}
  if (world === undefined) return false
  await changeWorld(world, `redeliver ${id}`, () => {
    const queue = new Queue(world)
    const kept = queue.get(id)
    if (kept !== undefined)
      queue.put({ ...kept, state: 'pending', due: world.clock.now(), why: undefined, claim: undefined })
  })
  await gateway.observed(webhooksObserver).run(world)
  return true
}

/** Returns a webhook of a world by its name. */
export const webhookOf = ({ worlds }: Gateway, world: World, name: string): Webhook | undefined =>
  worlds.planOf(world.name).settings(webhooksBlock)?.get(name)
