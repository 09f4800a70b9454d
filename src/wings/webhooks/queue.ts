// The deliveries of a world: pending ones, and the last of those that are done. The world keeps them, so they are in the log of its
// changes: a change that is undone takes its deliveries along.

import { Notes } from '../../world/kept/notes.ts'
import type { World } from '../../world/world.ts'
import type { Attempt, SubscriptionName } from './types.ts'

/** A delivery as it is kept. Never changed, but replaced. */
export interface Kept {
  readonly id: string
  /** Orders the deliveries of a world. */
  readonly ordinal: number
  readonly webhook: string
  readonly cause: string
  /** Milliseconds since the epoch by the world's clock, as `due`. */
  readonly at: number
  /** `undefined` once it is done. */
  readonly due: number | undefined
  readonly state: 'pending' | 'delivered' | 'failed' | 'gone'
  readonly why: string | undefined
  readonly subscription: SubscriptionName | undefined
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly warnings: readonly string[]
  /** The delivery that the weather repeats with this one. */
  readonly copyOf?: string | undefined
  /** The faults that the weather has put in. */
  readonly injected?: readonly string[] | undefined
  readonly attempts: readonly Attempt[]
  /** The process that makes an attempt, where several may, and the real time at which it has failed to. */
  readonly claim?: { readonly by: string; readonly until: number } | undefined
}

/** A delivery before it has a number. `repeats`: it is a copy of the one before. */
export type NewDelivery = Omit<Kept, 'id' | 'ordinal' | 'copyOf'> & { readonly repeats?: true }

/** The most deliveries of a world that wait, and that are done; and the characters of the bodies of each kind. */
const [MOST_PENDING, MOST_DONE, MOST_CHARACTERS] = [10_000, 1000, 50_000_000]
/** How many are left once there are too many that are done, and the characters of a body that needs no count. */
const [LEFT_DONE, SHORT] = [900, 10_000]

const PLACE = 'webhooks'
const COUNTER = ''

/** Deliveries with the same receiver begin one after the other. */
export const receiverOf = ({ webhook, subscription, url }: Pick<Kept, 'webhook' | 'subscription' | 'url'>): string =>
  subscription === undefined ? `${webhook} ${url}` : `${subscription.resource}/${subscription.id}`

export const inOrder = (a: Kept, b: Kept): number => (a.due ?? a.at) - (b.due ?? b.at) || a.ordinal - b.ordinal

function count(sum: { count: number; characters: number }, { body }: Pick<Kept, 'body'>): void {
  sum.count += 1
  sum.characters += body.length
}

export class Queue {
  readonly #world: World
  readonly #notes: Notes

  constructor(world: World) {
    this.#world = world
    this.#notes = world.keep(Notes, PLACE)
  }

  get(id: string): Kept | undefined {
    return id === COUNTER ? undefined : (this.#notes.get(id) as Kept | undefined)
  }

  *all(): Iterable<Kept> {
    for (const note of this.#notes.all()) if ('id' in note) yield note as Kept
  }

  /** The pending ones, in no order. */
  *pending(): Iterable<Kept> {
    for (const kept of this.all()) if (kept.state === 'pending') yield kept
  }

  put(kept: Kept): void {
    this.#notes.put(kept.id, kept)
  }

  /** The number of the last event. */
  get lastEvent(): number {
    const { events = 0 } = (this.#notes.get(COUNTER) ?? {}) as { events?: number }
    return events
  }

  /** The number of the next event. */
  nextEvent(): number {
    const events = this.lastEvent + 1
    this.#notes.put(COUNTER, { events })
    return events
  }

  /** Adds the deliveries of an event; returns the ids, and how many found no room. */
  add(
    event: number,
    deliveries: readonly NewDelivery[],
  ): { readonly ids: readonly string[]; readonly dropped: number } {
    const isNear = this.#notes.size + deliveries.length > MOST_DONE || (deliveries[0]?.body.length ?? 0) > SHORT
    const fitting = isNear ? this.#fitting(deliveries) : deliveries
    const idAt = (i: number): string => `msg_${this.#world.drawUuid('webhooks', event, `${i}`)}`
    const ids = fitting.map(({ repeats, ...delivery }, i) => {
      const id = idAt(i)
      this.put({ ...delivery, id, ordinal: event + i / 1e6, copyOf: repeats && idAt(i - 1) })
      return id
    })
    return { ids, dropped: deliveries.length - fitting.length }
  }

  /** Removes the oldest that are done where there are too many, and returns the deliveries that find room. */
  #fitting(deliveries: readonly NewDelivery[]): readonly NewDelivery[] {
    const done: Kept[] = []
    const waiting = { count: 0, characters: 0 }
    for (const kept of this.all()) {
      if (kept.state === 'pending') count(waiting, kept)
      else done.push(kept)
    }
    const over = { count: 0, characters: 0 }
    for (const kept of done.sort((a, b) => b.ordinal - a.ordinal)) {
      count(over, kept)
      if (over.count > LEFT_DONE || over.characters > MOST_CHARACTERS) this.#notes.put(kept.id, undefined)
    }
    return deliveries.filter(delivery => {
      count(waiting, delivery)
      return waiting.count <= MOST_PENDING && waiting.characters <= MOST_CHARACTERS
    })
  }
}
