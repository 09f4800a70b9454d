// The deliveries of all worlds, as they are shown.

import type { Gateway } from '../../gateway/gateway.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { timestamp } from '../../world/dates.ts'
import type { World } from '../../world/world.ts'
import { webhooksObserver } from './observe.ts'
import { type Kept, Queue } from './queue.ts'
import { webhooksBlock } from './settings.ts'
import type { Delivery, DeliveryVerdict } from './types.ts'

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

/** Returns a delivery of any world, as it is kept. */
export function findDelivery(
  { worlds }: Gateway,
  id: string,
): { readonly kept: Kept; readonly world: World } | undefined {
  for (const world of worlds.list()) {
    const kept = new Queue(world).get(id)
    if (kept !== undefined) return { kept, world }
  }
  return undefined
}

/** Returns what is wrong with a filter; `undefined` if nothing is. */
export function filterFault({ plan, worlds }: Gateway, { world, webhook }: DeliveryFilter): string | undefined {
  const names = [...(plan.settings(webhooksBlock)?.keys() ?? [])]
  if (webhook !== undefined && !names.includes(webhook)) {
    const hint = suggest(webhook, names)
    return `there is no webhook "${webhook}"${hint === undefined ? '' : `; ${hint}`}`
  }
  if (world !== undefined && worlds.peek(world) === undefined) return `there is no world "${world}"`
  return undefined
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

/** Returns whether as many match as should, and if too few do, what became of the others of the webhook. */
export function verifyDeliveries(
  gateway: Gateway,
  filter: DeliveryFilter,
  { min, max = Number.POSITIVE_INFINITY }: { readonly min?: number | undefined; readonly max?: number | undefined },
): DeliveryVerdict {
  const least = min ?? (max === Number.POSITIVE_INFINITY ? 1 : 0)
  const { length: count } = deliveriesIn(gateway, filter)
  const { state: _, request: __, ...wider } = filter
  const others = count < least ? deliveriesIn(gateway, wider) : []
  return {
    passed: count >= least && count <= max,
    count,
    others: others.slice(-5).map(({ id, state, why }) => ({ id, state, ...(why !== undefined && { why }) })),
  }
}
