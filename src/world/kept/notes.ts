// Values that a wing keeps in a world, as JSON by key. They outlast the process, and are those of all replicas.

import { Table } from './table.ts'

/** More than any wing keeps: a wing bounds its own notes. */
const MOST_NOTES = 100_000

export class Notes extends Table<object> {
  constructor(max = MOST_NOTES) {
    super({ max })
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

  get size(): number {
    return this.values.size
  }

  /** The values, in no order. */
  all(): Iterable<object> {
    return this.values.values()
  }
}

const MOST_INHERITED = 10_000

/** Notes that forks of the world keep, too. */
export class InheritedNotes extends Notes {
  constructor() {
    super(MOST_INHERITED)
  }

  fork(): InheritedNotes {
    const copy = new InheritedNotes()
    for (const [key, value] of this.dump()) copy.restore(key, value)
    return copy
  }
}
