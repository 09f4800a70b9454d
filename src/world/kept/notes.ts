// Values that a wing keeps in a world, as JSON by key. They outlast the process, and are those of all replicas.

import { Table } from './table.ts'

/** More than any wing keeps: a wing bounds its own notes. */
const MOST_NOTES = 100_000

export class Notes extends Table<object> {
  constructor() {
    super({ max: MOST_NOTES })
  }

  protected write = (value: object): unknown => value
  protected read = (value: unknown): object => value as object

  get(key: string): object | undefined {
    return this.values.peek(key)
  }

  /** Sets the value of a key; `undefined` removes it. */
  put(key: string, value: object | undefined): void {
    if (value !== undefined) this.set(key, value)
    else {
      const before = this.at(key)
      this.values.delete(key)
      this.onChange?.(key, null, before)
    }
  }

  /** The values, in no order. */
  all(): Iterable<object> {
    return this.values.values()
  }
}
