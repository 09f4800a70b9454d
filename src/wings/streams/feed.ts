// The changes of a resource in a world, as events, and those who wait for them.

import type { Json } from '../../kernel/json.ts'
import type { RecordChange } from '../../world/changes.ts'
import type { Entry } from '../../world/records/types.ts'

/** An event of a feed. */
export interface FeedEvent {
  readonly position: number
  /** Unset for a reset: all records may have changed. */
  readonly change?: RecordChange
}

/** How many events are kept for clients that connect again. */
const KEPT = 1000

export class Feed {
  /** Begins the ids of its events: those of another process or of an earlier one are not its own. */
  readonly name: string
  readonly #events: FeedEvent[] = []
  readonly #waiting = new Set<() => void>()
  #last = 0

  constructor(name: string) {
    this.name = name
  }

  /** The position of the last event. */
  get last(): number {
    return this.#last
  }

  add(change: RecordChange): void {
    this.#put({ position: this.#last + 1, change })
  }

  reset(): void {
    this.#put({ position: this.#last + 1 })
  }

  #put(event: FeedEvent): void {
    this.#last = event.position
    this.#events.push(event)
    if (this.#events.length > KEPT) this.#events.shift()
    for (const wake of this.#waiting) wake()
  }

  /** Returns the events behind a position; `undefined` if some of them are not kept any more. */
  since(position: number): readonly FeedEvent[] | undefined {
    const first = this.#last - this.#events.length
    if (position < first || position > this.#last) return undefined
    return this.#events.slice(position - first)
  }

  /** Calls back with each new event, until the returned function is called. */
  wait(wake: () => void): () => void {
    this.#waiting.add(wake)
    return () => void this.#waiting.delete(wake)
  }
}

/** The kind of a change as a list with a filter sees it, and the record that it shows; `undefined` if it sees nothing. */
export function seenChange(
  { before, after }: RecordChange,
  selects: (entry: Entry) => boolean,
): { readonly kind: 'created' | 'updated' | 'deleted'; readonly record: Json } | undefined {
  const was = before !== undefined && selects(before)
  const is = after !== undefined && selects(after)
  if (is) return { kind: was ? 'updated' : 'created', record: after.value }
  return was ? { kind: 'deleted', record: before.value } : undefined
}
