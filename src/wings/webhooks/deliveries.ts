// The deliveries of all worlds, as they are shown.

import type { Gateway } from '../../gateway/gateway.ts'
import { timestamp } from '../../world/dates.ts'
import type { World } from '../../world/world.ts'
import { webhooksObserver } from './observe.ts'
import { type Kept, Queue } from './queue.ts'
import type { Delivery } from './types.ts'

export interface DeliveryFilter {
  readonly world?: string
  readonly webhook?: string
  readonly state?: Delivery['state']
  readonly request?: number
}

function shown(kept: Kept, world: World, request: number | undefined): Delivery {
  const {
    id,
    webhook,
    state,
    why,
    cause,
    at,
    due,
    subscription,
    method,
    url,
    headers,
    body,
    warnings,
    attempts,
    copyOf,
    injected,
  } = kept
  return {
    id,
    webhook,
    world: world.name,
    state,
    ...(why !== undefined && { why }),
    cause,
    ...(copyOf !== undefined && { copyOf }),
    ...(injected && injected.length > 0 && { injected }),
    ...(request !== undefined && { request }),
    at: timestamp(at),
    ...(due !== undefined && { due: timestamp(due) }),
    ...(subscription && { subscription }),
    method,
    url,
    headers,
    body,
    ...(warnings.length > 0 && { warnings }),
    attempts,
  }
}

/** Returns those that match, in the order of their events. */
export function deliveriesIn(gateway: Gateway, filter: DeliveryFilter): readonly Delivery[] {
  const { world: name, webhook, state, request } = filter
  const { requests } = gateway.observed(webhooksObserver)
  const all = gateway.worlds.list().flatMap(world => {
    if (name !== undefined && world.name !== name) return []
    return [...new Queue(world).all()].map(kept => ({ kept, world }))
  })
  all.sort((a, b) => a.kept.at - b.kept.at || a.kept.ordinal - b.kept.ordinal)
  return all
    .map(({ kept, world }) => shown(kept, world, requests.get(kept.id)))
    .filter(one => (webhook ?? one.webhook) === one.webhook && (state ?? one.state) === one.state)
    .filter(one => request === undefined || one.request === request)
}
