// The records of a long table, loaded by page when they become visible. Only the pages near them are kept.

/** Records in a page. */
export const PAGE = 100
const MOST_PAGES = 40

export interface RecordPage<Row> {
  readonly rows: readonly Row[]
  /** How many there are in all. */
  readonly total: number
}

export type LoadPage<Row> = (offset: number, limit: number, signal: AbortSignal) => Promise<RecordPage<Row>>

export class RecordPages<Row> {
  readonly #load: LoadPage<Row>
  readonly #changed: () => void
  readonly #pages = new Map<number, readonly Row[]>()
  readonly #loading = new Map<number, AbortController>()
  /** Pages that are shown until newer ones are there. */
  #outdated = new Map<number, readonly Row[]>()
  #total: number | undefined
  #error: Error | undefined
  #from = 0
  #to = 0

  /** @param changed is called after each page that arrived or failed */
  constructor(load: LoadPage<Row>, changed: () => void) {
    this.#load = load
    this.#changed = changed
  }

  /** How many records there are; undefined until the first page is there. */
  get total(): number | undefined {
    return this.#total
  }

  get error(): Error | undefined {
    return this.#error
  }

  at(index: number): Row | undefined {
    const page = Math.floor(index / PAGE)
    return (this.#pages.get(page) ?? this.#outdated.get(page))?.[index % PAGE]
  }

  /** Loads missing visible rows, and aborts requests for rows that are no longer visible. */
  show(from: number, to: number): void {
    this.#from = from
    this.#to = to
    const first = Math.floor(from / PAGE)
    const last = Math.floor(Math.max(from, to - 1) / PAGE)
    for (const [page, abort] of this.#loading) {
      if (page >= first && page <= last) continue
      abort.abort()
      this.#loading.delete(page)
    }
    for (let page = first; page <= last; page++) {
      if (!this.#pages.has(page) && !this.#loading.has(page)) void this.#fetch(page)
    }
  }

  /** Loads the visible rows again; the old ones are shown until then. */
  refresh(): void {
    this.#outdated = new Map([...this.#outdated, ...this.#pages])
    this.#pages.clear()
    this.#error = undefined
    this.stop()
    this.show(this.#from, this.#to)
  }

  /** Aborts all running requests. */
  stop(): void {
    for (const abort of this.#loading.values()) abort.abort()
    this.#loading.clear()
  }

  async #fetch(page: number): Promise<void> {
    const abort = new AbortController()
    this.#loading.set(page, abort)
    try {
      const { rows, total } = await this.#load(page * PAGE, PAGE, abort.signal)
      if (abort.signal.aborted) return
      this.#pages.set(page, rows)
      this.#outdated.delete(page)
      this.#total = total
      this.#error = undefined
      this.#forget(page)
    } catch (error) {
      if (abort.signal.aborted) return
      this.#error = error as Error
    }
    this.#loading.delete(page)
    this.#changed()
  }

  #forget(near: number): void {
    if (this.#pages.size <= MOST_PAGES) return
    const farthest = [...this.#pages.keys()].reduce((a, b) => (Math.abs(a - near) > Math.abs(b - near) ? a : b))
    this.#pages.delete(farthest)
  }
}
