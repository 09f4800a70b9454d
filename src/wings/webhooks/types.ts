// The replies of the routes of deliveries.

import type { DateTime, Fraction } from '../../kernel/units.ts'

/** An event of a webhook for one receiver. */
export interface Delivery {
  /** The same in each attempt. */
  readonly id: string
  readonly webhook: string
  readonly world: string
  /** `failed`: it is given up. `gone`: the receiver answered 410, and its subscription was removed. */
  readonly state: 'pending' | 'delivered' | 'failed' | 'gone'
  /** Why it is not delivered. */
  readonly why?: string
  /** The change that it tells of: `update orders 7`. */
  readonly cause: string
  /** The entry of the journal that caused it. */
  readonly request?: number
  /** The delivery that the weather repeats with this one. */
  readonly copyOf?: string
  /** The faults that the weather (a chaos profile) has put in. */
  readonly injected?: readonly string[]
  /** When that happened, by the world's clock. */
  readonly at: DateTime
  /** When it is attempted next, by the world's clock. */
  readonly due?: DateTime
  readonly subscription?: SubscriptionName
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The places at which the body breaks its schema. */
  readonly warnings?: readonly string[]
  readonly attempts: readonly Attempt[]
}

export interface SubscriptionName {
  readonly resource: string
  readonly id: string
}

export interface Attempt {
  /** When it was due, by the world's clock. */
  readonly due: DateTime
  /** When it was made, by the real clock. */
  readonly at: DateTime
  readonly durationMs: Fraction
  /** The signature. */
  readonly headers: Readonly<Record<string, string>>
  /** The status of the reply; absent without one. */
  readonly status?: number
  /** The beginning of the reply. */
  readonly reply?: string
  /** Why there is no reply, or why it does not count. */
  readonly error?: string
  /** The faults that the weather has put in. */
  readonly injected?: readonly string[]
  /** How the reply breaks the contract. */
  readonly warning?: string
}

export interface DeliveryPage {
  /** The latest ones, in the order of their events. */
  readonly deliveries: readonly Delivery[]
  /** The number of those that match. */
  readonly total: number
  /** The webhooks of the configuration. */
  readonly webhooks: readonly string[]
}

export interface DeliveryVerdict {
  readonly passed: boolean
  /** The number of those that match. */
  readonly count: number
  /** If too few match, the last of the others of the webhook and the world. */
  readonly others: readonly OtherDelivery[]
}

export interface OtherDelivery {
  readonly id: string
  readonly state: 'pending' | 'delivered' | 'failed' | 'gone'
  readonly why?: string
}
