// All worlds: the default one, one for each host of the contract, and the sandboxes. Finds the world and the time of a
// request. Knows no socket.

import { problems } from '../kernel/problem.ts'
import { type Reply, refuse } from '../kernel/reply.ts'
import type { Request } from '../kernel/request.ts'
import type { Plan } from '../plan/plan.ts'
import { WORLD_NAME } from '../plan/worlds.ts'
import { Budget } from '../world/budget.ts'
import type { Clock } from '../world/clock.ts'
import { heapLimit } from '../world/heap.ts'
import { type Eviction, Sandboxes } from '../world/sandboxes.ts'
import type { World } from '../world/world.ts'
import type { Log } from './log.ts'
import { Mask } from './mask.ts'
import { PermanentWorlds } from './permanent-worlds.ts'
import { maxBytesOf, seedWorld } from './seed-world.ts'
import { directedVisit, type Held, momentIn, nameIn, type Visit, visitOf } from './visit.ts'
import { findMark } from './world-mark.ts'

/** Told of every world that is put in a place, or goes. */
export interface WorldsKeeper {
  /** @param before the world that had the place */
  placed(world: World, before: World | undefined): void
  /** A sandbox that a request named first is there now. */
  admitted(world: World): void
  removed(world: World): void
  /** The state that everything begins with is another; returns the names of its seeds, by collection. */
  seeded(seeded: World): Readonly<Record<string, string>>
}

/** The reason why a world cannot be created or deleted. */
export type WorldFault = 'bad-name' | 'exists' | 'unknown' | 'permanent' | 'switched-off'

export class Worlds {
  readonly #clock: Clock
  readonly #log: Log
  #plan: Plan
  /** Names of worlds are shown, so they must not be credentials. */
  #mask: Mask
  readonly #budget: Budget
  /** The initial state. It is forked and never served. */
  #seeded: World
  #default: Held
  readonly #permanent = new PermanentWorlds()
  #sandboxes: Sandboxes<Held>
  #keeper: WorldsKeeper | undefined
  /** Counts, for the metrics. */
  readonly evictions: Record<Eviction, number> = { capacity: 0, idle: 0, memory: 0 }

  constructor(plan: Plan, clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
    this.#plan = plan
    this.#mask = new Mask(plan)
    this.#budget = new Budget({
      max: maxBytesOf(plan),
      heap: heapLimit(),
      count: () => this.bytes.reduce((sum, { bytes }) => sum + bytes, 0),
      drop: writer => this.#sandboxes.evictForMemory(writer)?.world.bytes,
    })
    this.#seeded = seedWorld(plan, clock, this.#budget)
    this.#sandboxes = this.#createSandboxes()
    this.#default = this.#settle()
  }

  /** The world of requests that name none. */
  get default(): World {
    return this.#current(this.#default).world
  }

  get(name: string): World | undefined {
    const held = this.#held(name)
    return held && this.#current(held).world
  }

  /** As `get`, for looking only: it is no sign of life. */
  peek(name: string): World | undefined {
    return (this.#permanent.get(name) ?? this.#sandboxes.peek(name))?.world
  }

  /** Tells a keeper from now on. The worlds that there are take the names of their seeds. */
  keepBy(keeper: WorldsKeeper): void {
    this.#keeper = keeper
    this.#seeded.origin = keeper.seeded(this.#seeded)
    for (const world of this.list()) world.origin = this.#seeded.origin
  }

  isPermanent(name: string): boolean {
    return this.#permanent.has(name)
  }

  /** The permanent worlds, then the sandboxes, most recently used first. Read-only: see `get`. */
  list(): World[] {
    return [...this.#permanent.values(), ...this.#sandboxes.list()].map(({ world }) => world)
  }

  /** The estimated bytes of all records, by the kind of world that they were written to. */
  get bytes(): readonly { readonly kind: 'seeds' | 'permanent' | 'sandbox'; readonly bytes: number }[] {
    const sum = (worlds: Iterable<Held>) => [...worlds].reduce((all, { world }) => all + world.bytes, 0)
    return [
      { kind: 'seeds', bytes: this.#seeded.bytes },
      { kind: 'permanent', bytes: sum(this.#permanent.values()) },
      { kind: 'sandbox', bytes: sum(this.#sandboxes.list()) },
    ]
  }

  /** The maximum of these bytes together. */
  get maxBytes(): number {
    return this.#budget.max
  }

  /** Records the size of the heap after a garbage collection. */
  measured(used: number): void {
    this.#budget.measured(used)
  }

  /** Evicts a tenth of the sandboxes. Returns whether there was one. */
  relieve(): boolean {
    return this.#sandboxes.shrink() > 0
  }

  /** Returns the host of a permanent world, if it has one. */
  hostOf(name: string): string | undefined {
    return this.#permanent.hostOf(name)
  }

  /** Returns the world and time of a request, or refuses an invalid one. */
  visit(request: Request): Visit | Reply {
    const { headers, path } = request
    const { contract, simulation } = this.#plan
    if (simulation.listen.clientControls) {
      const named = headers['understudy-world']
      const timed = headers['understudy-time']
      if (named !== undefined || timed !== undefined || path.includes('/~')) {
        return this.#directed(named, timed, path, contract.basePaths, this.#home(headers.host as string | undefined))
      }
    }
    return this.#current(this.#home(headers.host as string | undefined)).visit
  }

  /** Resets a world to its seeds and to real time. Running requests finish in the old world. */
  reset(name: string): WorldFault | undefined {
    if (this.#held(name) === undefined) return 'unknown'
    this.put(this.blank(name))
    return undefined
  }

  /** Returns a new world that is not reachable yet: see `put`. */
  blank(name: string): World {
    const world = this.#seeded.fork(name)
    world.copied = false
    world.began = this.#clock.now()
    return world.begin(world.began)
  }

  /** Makes a world reachable under its name. */
  put(world: World): void {
    const { name } = world
    const before = this.#keeper && this.peek(name)
    const held = this.#hold(world)
    this.#place(name, held)
    this.#keeper?.placed(world, before)
  }

  #place(name: string, held: Held): void {
    if (!this.#permanent.has(name)) {
      this.#sandboxes.set(name, held)
      return
    }
    this.#permanent.set(name, held)
    if (this.#default.world.name === name) this.#default = held
  }

  /** Makes a sandbox: a copy of `from`, which defaults to the seeds. */
  create(name: string, from: World = this.#seeded): World | WorldFault {
    return this.refuses(name) ?? this.#open(name, from).world
  }

  /** Returns why a sandbox of that name cannot be made, if so. */
  refuses(name: string): WorldFault | undefined {
    if (!WORLD_NAME.test(name) || this.#mask.holds(name)) return 'bad-name'
    if (this.#held(name) !== undefined) return 'exists'
    return this.#plan.simulation.worlds.sandboxes ? undefined : 'switched-off'
  }

  delete(name: string): WorldFault | undefined {
    if (this.#permanent.has(name)) return 'permanent'
    const world = this.#keeper && this.peek(name)
    if (!this.#sandboxes.delete(name)) return 'unknown'
    if (world !== undefined) this.#keeper?.removed(world)
    return undefined
  }

  /** Adopts another plan. Records stay; each world is adapted on its next use. */
  adopt(plan: Plan): void {
    const before = this.#plan.simulation.worlds
    const sandboxes = this.#sandboxes.list().reverse()
    this.#plan = plan
    this.#mask = new Mask(plan)
    this.#budget.limit(maxBytesOf(plan))
    this.#seeded = seedWorld(plan, this.#clock, this.#budget)
    if (this.#keeper !== undefined) this.#seeded.origin = this.#keeper.seeded(this.#seeded)
    this.#default = this.#settle()
    const { worlds } = plan.simulation
    if (worlds.max === before.max && worlds.idle === before.idle && worlds.sandboxes === before.sandboxes) return
    this.#sandboxes = this.#createSandboxes()
    if (worlds.sandboxes) for (const held of sandboxes) this.#sandboxes.set(held.world.name, held)
  }

  #createSandboxes(): Sandboxes<Held> {
    const now = () => this.#clock.now()
    return new Sandboxes<Held>(this.#plan.simulation.worlds, now, ({ world }, why) => {
      this.evictions[why] += 1
      this.#log.warn({ world: world.name, reason: why }, 'a sandbox was evicted')
      this.#keeper?.removed(world)
    })
  }

  /** Makes every missing permanent world of the plan. Returns the default one. */
  #settle(): Held {
    this.#permanent.rename(this.#plan)
    for (const name of this.#permanent.missing) {
      this.#sandboxes.delete(name)
      const held = this.#hold(this.blank(name))
      this.#permanent.set(name, held)
      this.#keeper?.placed(held.world, undefined)
    }
    return this.#permanent.get(this.#plan.simulation.worlds.default) as Held
  }

  #hold(world: World, admit?: () => void): Held {
    return { world, visit: visitOf(world, admit), plan: this.#plan }
  }

  #open(name: string, from: World): Held {
    const held = this.#hold(from === this.#seeded ? this.blank(name) : from.fork(name))
    this.#sandboxes.set(name, held)
    this.#keeper?.placed(held.world, undefined)
    return held
  }

  /**
   * Makes the sandbox that a request names. It is kept once the request is authenticated, so that strangers evict no one.
   */
  #propose(name: string): Held {
    const proposed = this.#sandboxes.proposed(name)
    if (proposed !== undefined) return this.#current(proposed)
    const world = this.blank(name)
    const held = this.#hold(world, () => {
      held.visit = visitOf(world)
      if (this.#sandboxes.admit(name)) this.#keeper?.admitted(world)
    })
    this.#sandboxes.propose(name, held)
    return held
  }

  #held(name: string): Held | undefined {
    return this.#permanent.get(name) ?? this.#sandboxes.get(name)
  }

  /** Adapts a world to a plan that was adopted since its last use. */
  #current(held: Held): Held {
    const plan = this.#plan
    if (held.plan === plan) return held
    held.plan = plan
    for (const [name, { options }] of plan.collections) {
      held.world.adopt(name, this.#seeded.collection(name))
      held.world.adapt(name, options)
    }
    return held
  }

  #home(host: string | undefined): Held {
    return this.#permanent.home(host) ?? this.#default
  }

  /** A request that names its world or time. */
  #directed(
    named: string | string[] | undefined,
    timed: string | string[] | undefined,
    sent: string,
    basePaths: readonly string[],
    home: Held,
  ): Visit | Reply {
    const marked = findMark(sent, basePaths)
    const name = nameIn(named, marked)
    if (typeof name === 'object') return name
    const found = name === undefined ? home : this.#held(name)
    if (found === undefined && !this.#plan.simulation.worlds.sandboxes) {
      return refuse(problems.invalid_request, `unknown world ${name}; sandboxes are switched off`)
    }
    const moment = momentIn(timed, found?.world.clock ?? this.#clock)
    if (typeof moment === 'object') return moment
    if (found === undefined && this.#mask.holds(name as string)) {
      return refuse(problems.invalid_request, 'the name of a world must not be a credential')
    }
    const { visit } = found === undefined ? this.#propose(name as string) : this.#current(found)
    return directedVisit(visit, marked, moment)
  }
}
