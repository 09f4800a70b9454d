// A document that other sources write into. Every value of it keeps the place where it is written, and no source is changed.
// Mistakes in a part that an overlay wrote are reported much later, with these places; the contract, the console and the reload
// need to know nothing of overlays.

import type { Path, Source, Spot } from '../../kernel/file/source.ts'
import { isObject, memberAt, put } from '../../kernel/json.ts'

type Container = unknown[] | Record<string, unknown>

const isContainer = (value: unknown): value is Container => Array.isArray(value) || isObject(value)

type Kind = 'object' | 'list' | 'single value'

export const kindOfValue = (value: unknown): Kind =>
  Array.isArray(value) ? 'list' : isObject(value) ? 'object' : 'single value'

export class MergedTree {
  value: unknown
  readonly #root: Source
  /** The spots of the members that are not where their holder's place says, by holder. */
  readonly #written = new WeakMap<object, Map<string | number, Spot>>()
  /** The containers that are copies and have one holder, so that they may be changed. */
  #own = new WeakSet<object>()

  constructor(root: Source) {
    this.#root = root
    this.value = root.value
  }

  /** The document as a source. */
  get source(): Source {
    return this.#root.combine(this.value, path => this.spotOf(path))
  }

  at(path: Path): unknown {
    return memberAt(this.value, path)
  }

  /** Returns where the value at a path is written. */
  spotOf(path: Path): Spot {
    let spot: Spot = { source: this.#root, path: [] }
    let at: unknown = this.value
    for (const part of path) {
      const key = Array.isArray(at) ? Number(part) : String(part)
      const own = isContainer(at) ? this.#written.get(at)?.get(key) : undefined
      spot = own ?? { source: spot.source, path: [...spot.path, key] }
      at = memberAt(at, [key])
    }
    return spot
  }

  /** Returns a spot that another source wrote at or below a path. */
  writtenBelow(path: Path): Spot | undefined {
    const spot = this.spotOf(path)
    return spot.source === this.#root ? this.#writtenIn(this.at(path)) : spot
  }

  #writtenIn(value: unknown): Spot | undefined {
    if (!isContainer(value)) return undefined
    for (const spot of this.#written.get(value)?.values() ?? []) if (spot.source !== this.#root) return spot
    for (const item of Object.values(value)) {
      const spot = this.#writtenIn(item)
      if (spot !== undefined) return spot
    }
    return undefined
  }

  /** Writes a value at a path that exists, or as a new member of what is there. */
  set(path: Path, value: unknown, spot: Spot): void {
    const key = path.at(-1)
    if (key === undefined) {
      this.value = value
      return
    }
    const holder = this.#open(path.slice(0, -1))
    setMember(holder, key, value)
    this.#note(holder, key, spot)
  }

  /** Appends values to the list at a path. */
  append(path: Path, values: readonly (readonly [value: unknown, spot: Spot])[]): void {
    const list = this.#open(path) as unknown[]
    for (const [value, spot] of values) this.#note(list, list.push(value) - 1, spot)
  }

  remove(path: Path): void {
    const above = path.slice(0, -1)
    const key = path.at(-1) as string | number
    const holder = this.#open(above)
    if (!Array.isArray(holder)) {
      delete holder[key]
      this.#written.get(holder)?.delete(key)
      return
    }
    const spots = holder.map((_, index) => this.spotOf([...above, index]))
    holder.splice(Number(key), 1)
    spots.splice(Number(key), 1)
    this.#written.set(holder, new Map(spots.entries()))
  }

  /** Returns the value at a path for use at another one: later changes there do not reach it. */
  share(path: Path): unknown {
    this.#own = new WeakSet()
    return this.at(path)
  }

  #note(holder: Container, key: string | number, spot: Spot): void {
    const spots = this.#written.get(holder) ?? new Map<string | number, Spot>()
    this.#written.set(holder, spots.set(key, spot))
  }

  /** Returns the container at a path, which may be changed. Aliases of YAML, and values written twice, are one value at two paths. */
  #open(path: Path): Container {
    let at = this.#owned(this.value as Container)
    this.value = at
    for (const key of path) {
      const child = this.#owned(memberAt(at, [key]) as Container)
      setMember(at, key, child)
      at = child
    }
    return at
  }

  #owned(container: Container): Container {
    if (this.#own.has(container)) return container
    const copy = Array.isArray(container) ? [...container] : { ...container }
    const spots = this.#written.get(container)
    if (spots !== undefined) this.#written.set(copy, new Map(spots))
    this.#own.add(copy)
    return copy
  }
}

function setMember(holder: Container, key: string | number, value: unknown): void {
  if (Array.isArray(holder)) holder[Number(key)] = value
  else put(holder, String(key), value)
}
