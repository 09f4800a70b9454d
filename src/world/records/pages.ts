// The cache of a collection's pages.

import { LRUCache } from 'lru-cache'
import { heapLimit } from '../budget.ts'
import type { Entry, Page, Query } from './types.ts'
import { isPlain, queryKey } from './values.ts'

const CACHED_PAGES = 500
/** For all pages of a collection and its forks; a larger page is not kept. */
const CACHED_CHARACTERS = Math.min(16 * 2 ** 20, Math.floor(heapLimit() / 32))

/** The number of records from which a query is cached. */
const LARGE = 1000

/** The pages of a collection and all its forks: a thousand sandboxes share one budget and common pages. */
interface Shelf {
  /** How many states have a number. No two states share one. */
  states: number
  cache: LRUCache<string, Page> | undefined
}

/**
 * Keeps the pages that were asked for, which happens far more often than a collection changes. The key of a page begins with
 * the number of its state, which every write changes.
 */
export class Pages {
  readonly #shelf: Shelf
  /** Names the collection's present state; `undefined` after a write, until a page is read. */
  #state: number | undefined
  /** Names the state that full pages show: adding records behind them all leaves it as it is. */
  #front: number | undefined
  /** Whether a fork has the same `#front`. The two will add different records. */
  #shared = false
  /** The records of the last large query, so that its next page needs no sorting. */
  #last: { readonly state: number; readonly key: string; readonly rows: WeakRef<readonly Entry[]> } | undefined

  /** @param of the pages of the collection that this one is forked from */
  constructor(of?: Pages) {
    this.#shelf = of === undefined ? { states: 0, cache: undefined } : of.#shelf
    if (of === undefined) return
    of.#number()
    this.#state = of.#state
    this.#front = of.#front
    this.#shared = of.#shared = true
  }

  /** Gives the present states their numbers. */
  #number(): void {
    const shelf = this.#shelf
    this.#state ??= ++shelf.states
    this.#front ??= ++shelf.states
  }

  /** Returns the page that answers `query`, where it is kept. */
  find(query: Query): Page | undefined {
    this.#number()
    const { cache } = this.#shelf
    const key = queryKey(query)
    return (isPlain(query) ? cache?.get(`${this.#front} ${key}`) : undefined) ?? cache?.get(`${this.#state} ${key}`)
  }

  /** Keeps a page of the present state and returns it. */
  keep(query: Query, page: Page): Page {
    this.#number()
    const shelf = this.#shelf
    shelf.cache ??= new LRUCache({
      max: CACHED_PAGES,
      maxSize: CACHED_CHARACTERS,
      sizeCalculation: page => page.text.length,
    })
    shelf.cache.set(`${isPlain(query) && page.more ? this.#front : this.#state} ${queryKey(query)}`, page)
    return page
  }

  /** Returns the records of all pages of a query. Those of the last large query are cached while there is memory. */
  order(query: Query, make: () => readonly Entry[]): readonly Entry[] {
    this.#number()
    const key = queryKey({ ...query, limit: 0, offset: undefined, after: undefined, count: true })
    const last = this.#last
    const kept = last?.state === this.#state && last?.key === key ? last.rows.deref() : undefined
    if (kept !== undefined) return kept
    const rows = make()
    if (rows.length >= LARGE) this.#last = { state: this.#state as number, key, rows: new WeakRef(rows) }
    return rows
  }

  /** Must be called with every write. @param behind whether it added a record behind all others */
  leave(behind: boolean): void {
    this.#state = undefined
    if (!behind || this.#shared) this.#front = undefined
    this.#shared = false
  }
}
