// The streams of a gateway: how many are open, what became of them, and the changes of records that are events.

import type { Finished } from '../../gateway/finished.ts'
import { Instrument, metricOf } from '../../gateway/metrics/families.ts'
import type { Host, Observer } from '../../gateway/observer.ts'
import type { Leaving, ReplyStream } from '../../kernel/http.ts'
import { isObject } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { RecordChange } from '../../world/changes.ts'
import type { Clock } from '../../world/clock.ts'
import type { World, WorldWatcher } from '../../world/world.ts'
import { Feed } from './feed.ts'

/** How a stream went. */
export interface Course {
  items: number
  /** The real time in milliseconds until its first item. */
  first: number | undefined
  ended: string
}

/** A comment is sent after this many milliseconds without an item, so that no proxy gives the connection up. */
export const HEARTBEAT = 15_000

export class Streams implements WorldWatcher {
  readonly clock: Clock
  readonly #host: Host
  readonly #items: Instrument
  /** Ends the waits in a world. */
  readonly #waits = new WeakMap<World, Set<() => void>>()
  readonly #feeds = new WeakMap<World, Map<string, Feed>>()
  /** The worlds that have feeds, by name. They may be evicted. */
  readonly #fed = new Map<string, WeakRef<World>>()
  readonly #running = new WeakMap<ReplyStream, Promise<Course>>()
  /** End all waits, for a gateway that stops. */
  readonly #sleeping = new Set<() => void>()
  #isStopped = false
  #open = 0
  /** The most streams at a time. */
  most = Number.POSITIVE_INFINITY

  constructor(host: Host) {
    this.#host = host
    this.clock = host.clock
    const about = metricOf('understudy_streams_open', 'Streams that are being sent.', 'gauge')
    const open = () => this.#open
    host.metrics.add({
      about,
      get family() {
        return { ...about, values: [{ labels: {}, value: open() }] }
      },
    })
    this.#items = host.metrics.add(
      new Instrument('understudy_stream_items_total{operation}', 'Items of streams that were sent.'),
    )
  }

  get isFull(): boolean {
    return this.#open >= this.most
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Ends all streams. */
  stop(): void {
    this.#isStopped = true
    for (const end of this.#sleeping) end()
  }

  /** Passes a body on until the gateway stops: then it ends with a last text. */
  async *untilStopped(chunks: AsyncGenerator<Uint8Array>, lastText: string): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      if (this.#isStopped) {
        yield Buffer.from(lastText)
        return
      }
      yield chunk
    }
  }

  /** Watches the worlds, for changes of records and of their clocks. */
  watch(isNeeded: boolean): void {
    this.#host.worlds.watchBy('streams', isNeeded ? this : undefined)
  }

  /** Sleeps in real time, until the clock of the world is set or the client leaves. */
  async sleep(milliseconds: number, world: World, signal: Leaving | undefined): Promise<void> {
    const waits = getOrMake(this.#waits, world, () => new Set())
    await this.#rest(milliseconds, signal, end => {
      waits.add(end)
      return () => void waits.delete(end)
    })
  }

  /** Resolves with the next event of a feed, or when the client leaves; to `false` when a heartbeat is due before. */
  async next(feed: Feed, signal: Leaving | undefined): Promise<boolean> {
    return this.#rest(HEARTBEAT, signal, end => feed.wait(end))
  }

  /**
   * Sleeps in real time, until the client leaves, the gateway stops or something else happens. Resolves to whether that ended it.
   *
   * @param listen has the end called; returns a function after which it is not any more
   */
  async #rest(
    milliseconds: number,
    signal: Leaving | undefined,
    listen: (end: () => void) => () => void,
  ): Promise<boolean> {
    const ending = new AbortController()
    const end = () => ending.abort()
    const forget = listen(end)
    this.#sleeping.add(end)
    if (this.#isStopped) end()
    signal?.addEventListener('abort', end)
    try {
      await this.clock.sleep(milliseconds, ending.signal)
      // A gateway that stops lets its streams go on once more: to their end.
      return ending.signal.aborted && !this.#isStopped
    } finally {
      forget()
      this.#sleeping.delete(end)
      signal?.removeEventListener('abort', end)
    }
  }

  moved(world: World): void {
    for (const end of this.#waits.get(world) ?? []) end()
  }

  placed(world: World): void {
    const before = this.#fed.get(world.name)?.deref()
    if (before === undefined || before === world) return
    const feeds = this.#feeds.get(before)
    if (feeds === undefined) return
    this.#feeds.delete(before)
    this.#feeds.set(world, feeds)
    this.#fed.set(world.name, new WeakRef(world))
    for (const feed of feeds.values()) feed.reset()
  }

  changed(world: World, resource: string, change: RecordChange): void {
    // A feed begins with its first reader: nobody has the id of an earlier event.
    this.#feeds.get(world)?.get(resource)?.add(change)
  }

  /** The changes of a resource in a world. */
  feedOf(world: World, resource: string): Feed {
    const feeds = getOrMake(this.#feeds, world, () => new Map<string, Feed>())
    this.#fed.set(world.name, new WeakRef(world))
    return getOrMake(feeds, resource, () => new Feed(this.clock.now().toString(36)))
  }

  /** Keeps what will be told of a stream at its end. It may never begin: a fault can take its place. */
  follow(stream: ReplyStream, course: Promise<Course>): void {
    this.#running.set(stream, course)
  }

  /** Counts a stream that is being sent; returns a function to call at its end. */
  begin(operation: string): (course: Course) => void {
    this.#open += 1
    const series = this.#items.series({ operation })
    return course => {
      const { items } = course
      this.#open -= 1
      if (this.#isStopped) course.ended = 'the gateway stopped'
      for (let i = 0; i < items; i++) series.add()
    }
  }

  /** Notes in the journal how a stream went. */
  observe({ reply }: Finished): void {
    const course = reply.stream && this.#running.get(reply.stream)
    if (course === undefined) return
    const { journal } = this.#host
    const entry = journal.latest
    if (entry === 0) return
    course
      .then(({ items, first, ended }) => {
        const after = first === undefined ? '' : `, the first after ${Math.round(first)} ms`
        journal.note(entry, `stream: ${items} items${after}; ${ended}`)
      })
      .catch(this.#host.fail)
  }
}

/** Whether a configuration has a stream: `respond: { stream: … }`. */
function hasStream(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasStream)
  if (!isObject(value)) return false
  const { respond } = value
  return (isObject(respond) && respond.stream !== undefined) || Object.values(value).some(hasStream)
}

export const streamsObserver: Observer<Streams> = {
  name: 'streams',
  open: host => new Streams(host),
  stop: streams => streams.stop(),
  compile(plan, streams) {
    const plans = [plan, ...(plan.others?.values() ?? [])]
    if (plan.world === undefined) streams.most = plan.simulation.limits.streams
    if (plan.world === undefined) streams.watch(plans.some(({ simulation }) => hasStream(simulation.source.value)))
    return hasStream(plan.simulation.source.value) ? done => streams.observe(done) : undefined
  },
}
