// How many requests of each operation a world has seen since a recorder took the counts, as changes.

import type { WorldChange, WorldEffect } from './effects.ts'

/** A number of further requests of an operation. */
export class CountChange implements WorldChange {
  world: string
  operation: string
  more = 1
  /** How its text begins. */
  #head: string

  constructor(world: string, operation: string, head: string) {
    this.world = world
    this.operation = operation
    this.#head = head
  }

  keptIn(into: unknown): CountChange {
    if (!(into instanceof CountChange)) return this
    into.world = this.world
    into.operation = this.operation
    into.more = this.more
    into.#head = this.#head
    return into
  }

  get kind(): 'ordinal' {
    return 'ordinal'
  }

  get effect(): WorldEffect {
    return ['ordinal', this.operation, this.more]
  }

  get inverse(): WorldEffect {
    return ['ordinal', this.operation, -this.more]
  }

  get text(): string {
    return `${this.#head}${this.more}]]`
  }
}

export class RequestCounts {
  readonly #world: string
  /** The count of the last request: most are like the one before. */
  #last: CountChange | undefined
  readonly #others = new Map<string, CountChange>()
  /** The operation that was counted last, and how the text of its changes begins. */
  #operation: string | undefined
  #head = ''

  constructor(world: string) {
    this.#world = world
  }

  /** Returns whether it is the first one since the counts were taken. */
  add(operation: string): boolean {
    const last = this.#last
    if (last?.operation === operation) {
      last.more += 1
      return false
    }
    const known = this.#others.get(operation)
    if (known !== undefined) {
      known.more += 1
      return false
    }
    if (last !== undefined) this.#others.set(last.operation, last)
    if (operation !== this.#operation) {
      this.#operation = operation
      this.#head = `[${JSON.stringify(this.#world)},["ordinal",${JSON.stringify(operation)},`
    }
    this.#last = new CountChange(this.#world, operation, this.#head)
    return last === undefined
  }

  /** Returns the counts, and resets them. */
  take(): readonly CountChange[] {
    const last = this.#last
    if (last === undefined) return []
    this.#last = undefined
    if (this.#others.size === 0) return [last]
    const all = [...this.#others.values(), last]
    this.#others.clear()
    return all
  }
}
