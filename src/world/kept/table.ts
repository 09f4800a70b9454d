// A table of JSON values by key that outlasts the process. It tells its changes to the recorder of its world.

import { LRUCache } from 'lru-cache'
import type { KeptChange, Lasting } from '../changes.ts'

/** A table of a bounded size: the least recently used key is evicted. */
export abstract class Table<Value extends object | number | string> implements Lasting {
  onChange: KeptChange | undefined = undefined
  protected readonly values: LRUCache<string, Value>

  constructor(bounds: { max: number; maxSize?: number; sizeCalculation?: (value: Value) => number }) {
    this.values = new LRUCache(bounds)
  }

  /** Converts a value to JSON, and back; `null` for one that is not shared. */
  protected abstract write(value: Value): unknown
  protected abstract read(value: unknown): Value

  at(key: string): unknown {
    const value = this.values.peek(key)
    return value === undefined ? null : this.write(value)
  }

  restore(key: string, value: unknown): void {
    if (value === null) this.values.delete(key)
    else this.values.set(key, this.read(value))
  }

  /** Sets the value of a key. */
  protected set(key: string, value: Value): void {
    const before = this.onChange && this.at(key)
    this.values.set(key, value)
    this.onChange?.(key, this.at(key), before)
  }

  /** The oldest first. */
  *dump(): Iterable<readonly [string, unknown]> {
    for (const key of [...this.values.keys()].reverse()) {
      const value = this.at(key)
      if (value !== null) yield [key, value]
    }
  }
}
