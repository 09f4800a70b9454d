// All worlds: the default one, one for each host of the contract, and the sandboxes. Finds the world and the time of a
// request. Independent of sockets.

import type { Reply } from '../../kernel/reply.ts'
import type { Request } from '../../kernel/request.ts'
import type { Plan } from '../../plan/plan.ts'
import { Budget } from '../../world/budget.ts'
import type { Clock } from '../../world/clock.ts'
import type { Collection } from '../../world/collection.ts'
import { heapLimit } from '../../world/heap.ts'
import { makeCollection } from '../../world/make-collection.ts'
import type { Eviction } from '../../world/sandboxes.ts'
import { World } from '../../world/world.ts'
import type { Log } from '../log.ts'
import { SandboxWorlds, type WorldFault, type WorldsKeeper } from './sandboxes.ts'
import { directedVisit, findMark, type Held, holdWorld, momentIn, nameIn, type Visit } from './visit.ts'

export class Worlds {
  readonly memory: WorldsMemory
  readonly #clock: Clock
  #plan: Plan
  readonly #initial: InitialState
  #default: Held
  readonly #permanent = new PermanentWorlds()
  readonly #sandboxes: SandboxWorlds
  #keeper: WorldsKeeper | undefined

  constructor(plan: Plan, clock: Clock, log: Log) {
    this.#clock = clock
    this.#plan = plan
    this.memory = new WorldsMemory(plan, () => ({
      initial: this.#initial.world,
      permanent: [...this.#permanent.values()].map(({ world }) => world),
      sandboxes: this.#sandboxes,
    }))
    this.#initial = new InitialState(plan, clock, this.memory.budget)
    this.#sandboxes = new SandboxWorlds(plan, clock, log, name => this.blank(name))
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

  /** Like `get`, but does not count as use. */
  peek(name: string): World | undefined {
    return (this.#permanent.get(name) ?? this.#sandboxes.peek(name))?.world
  }

  /** Notifies a keeper of later changes. Existing worlds get the names of their seeds. */
  keepBy(keeper: WorldsKeeper): void {
    this.#keeper = keeper
    this.#sandboxes.keeper = keeper
    this.#nameSeeds()
    for (const world of this.list()) world.origin = this.#initial.world.origin
  }

  #nameSeeds(): void {
    const { world } = this.#initial
    if (this.#keeper !== undefined) world.origin = this.#keeper.seeded(world)
  }

  isPermanent(name: string): boolean {
    return this.#permanent.has(name)
  }

  /** The permanent worlds, then the sandboxes, most recently used first. Read-only: see `get`. */
  list(): World[] {
    return [...this.#permanent.values(), ...this.#sandboxes.list()].map(({ world }) => world)
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
    return this.#initial.begin(name)
  }

  /** Makes a world reachable under its name. */
  put(world: World): void {
    const { name } = world
    const before = this.#keeper && this.peek(name)
    const held = holdWorld(this.#plan, world)
    this.#place(name, held)
    this.#keeper?.placed(world, before)
  }

  #place(name: string, held: Held): void {
    if (!this.#permanent.has(name)) {
      this.#sandboxes.set(held)
      return
    }
    this.#permanent.set(name, held)
    if (this.#default.world.name === name) this.#default = held
  }

  /** Makes a sandbox: a copy of `from`, which defaults to the seeds. */
  create(name: string, from: World = this.#initial.world): World | WorldFault {
    const refused = this.refuses(name)
    if (refused !== undefined) return refused
    const held = holdWorld(this.#plan, from === this.#initial.world ? this.blank(name) : from.fork(name))
    this.#sandboxes.set(held)
    this.#keeper?.placed(held.world, undefined)
    return held.world
  }

  /** Returns why a sandbox of that name cannot be made, if so. */
  refuses(name: string): WorldFault | undefined {
    return this.#sandboxes.refuses(name, this.#held(name) !== undefined)
  }

  delete(name: string): WorldFault | undefined {
    if (this.#permanent.has(name)) return 'permanent'
    return this.#sandboxes.delete(name) ? undefined : 'unknown'
  }

  /** Adopts another plan. Records stay; each world is adapted on its next use. */
  adopt(plan: Plan): void {
    this.#plan = plan
    this.memory.adopt(plan)
    this.#initial.adopt(plan)
    this.#nameSeeds()
    this.#default = this.#settle()
    this.#sandboxes.adopt(plan)
  }

  /** Makes every missing permanent world of the plan. Returns the default one. */
  #settle(): Held {
    this.#permanent.rename(this.#plan)
    for (const name of this.#permanent.missing) {
      this.#sandboxes.drop(name)
      const held = holdWorld(this.#plan, this.blank(name))
      this.#permanent.set(name, held)
      this.#keeper?.placed(held.world, undefined)
    }
    return this.#permanent.get(this.#plan.simulation.worlds.default) as Held
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
      held.world.adopt(name, this.#initial.world.collection(name))
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
    const refused = found === undefined ? this.#sandboxes.refuseVisit(name as string) : undefined
    if (refused !== undefined) return refused
    const moment = momentIn(timed, found?.world.clock ?? this.#clock)
    if (typeof moment === 'object') return moment
    const { visit } = this.#current(found ?? this.#sandboxes.propose(name as string))
    return directedVisit(visit, marked, moment)
  }
}

// The worlds that a plan has from the beginning: the default one, and one for each host of the contract.

export class PermanentWorlds extends Map<string, Held> {
  #names: ReadonlySet<string> = new Set()
  /** The names of the worlds of hosts. */
  #byHost: ReadonlyMap<string, string> = new Map()
  #lastHost = ''
  #lastName: string | undefined

  /** Takes the names that a plan gives. The worlds of other names go. */
  rename({ contract, simulation }: Plan): void {
    // With one host or none, every request reaches the default world.
    const hosts = contract.hosts.length > 1 ? contract.hosts : []
    this.#byHost = new Map(hosts.map(host => [host, nameOf(host)]))
    this.#names = new Set([simulation.worlds.default, ...this.#byHost.values()])
    this.#lastHost = ''
    this.#lastName = undefined
    for (const name of this.keys()) if (!this.#names.has(name)) this.delete(name)
  }

  /** The names that no world has yet. */
  get missing(): readonly string[] {
    return [...this.#names].filter(name => !this.has(name))
  }

  /** Returns the host of a world, if it has one. */
  hostOf(name: string): string | undefined {
    return [...this.#byHost].find(([, own]) => own === name)?.[0]
  }

  /** Returns the world of a host, if it has one. */
  home(host: string | undefined): Held | undefined {
    if (this.#byHost.size === 0 || host === undefined) return undefined
    // Most requests have the same host as the previous one.
    if (host !== this.#lastHost) {
      this.#lastHost = host
      this.#lastName = this.#byHost.get(host.replace(/:\d*$/, '').toLowerCase())
    }
    const name = this.#lastName
    return name === undefined ? undefined : this.get(name)
  }
}

/** Converts a host to a world's name: invalid characters, such as the colons of an IPv6 address, become dashes. */
const nameOf = (host: string): string => host.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 64)

// The initial state of all worlds, made of the seeds of the plan. Worlds are forks of it; it is never served itself.

export class InitialState {
  readonly #clock: Clock
  readonly #budget: Budget
  #world: World
  /** The initial state of a plan that is about to be adopted. */

  constructor(plan: Plan, clock: Clock, budget: Budget) {
    this.#clock = clock
    this.#budget = budget
    this.#world = seedWorld(plan, clock, budget)
  }

  get world(): World {
    return this.#world
  }

  /** Adopts another plan. Existing worlds stay as they are. */
  adopt(plan: Plan): void {
    this.#world = seedWorld(plan, this.#clock, this.#budget)
  }

  /** Returns a new world in this state, which begins now. */
  begin(name: string): World {
    const world = this.#world.fork(name)
    world.copied = false
    world.began = this.#clock.now()
    return world.begin(world.began)
  }
}

/** Makes a world of the seeds of a plan, a thousand records a step. */
function seedWorld(plan: Plan, clock: Clock, budget: Budget): World {
  const collections = new Map<string, Collection>()
  for (const [name, { options, resource }] of plan.collections) {
    collections.set(name, makeCollection(options, resource.seeds, budget))
  }
  return new World(plan.simulation.seed, clock, collections)
}

// The memory of all worlds together: counts the bytes of their records, and evicts sandboxes if there are too many.

/** The default share of the heap for records; a page may contain all of them a second time. */
const SHARE = 0.4

const maxBytesOf = ({ simulation }: Plan): number => simulation.worlds.maxBytes ?? Math.floor(SHARE * heapLimit())

/** The worlds that there are. Each is counted without the records that it shares with its origin. */
export interface CountedWorlds {
  readonly initial: World
  readonly permanent: Iterable<World>
  readonly sandboxes: SandboxWorlds
}

export class WorldsMemory {
  readonly budget: Budget
  readonly #worlds: () => CountedWorlds

  constructor(plan: Plan, worlds: () => CountedWorlds) {
    this.#worlds = worlds
    this.budget = new Budget({
      max: maxBytesOf(plan),
      heap: heapLimit(),
      count: () => this.bytes.reduce((sum, { bytes }) => sum + bytes, 0),
      drop: writer => worlds().sandboxes.evictForMemory(writer)?.world.bytes,
    })
  }

  adopt(plan: Plan): void {
    this.budget.limit(maxBytesOf(plan))
  }

  /** The estimated bytes of all records, by the kind of world that they were written to. */
  get bytes(): readonly { readonly kind: 'seeds' | 'permanent' | 'sandbox'; readonly bytes: number }[] {
    const sum = (worlds: Iterable<World>) => [...worlds].reduce((all, { bytes }) => all + bytes, 0)
    const { initial, permanent, sandboxes } = this.#worlds()
    return [
      { kind: 'seeds', bytes: initial.bytes },
      { kind: 'permanent', bytes: sum(permanent) },
      { kind: 'sandbox', bytes: sum([...sandboxes.list()].map(({ world }) => world)) },
    ]
  }

  /** The maximum of these bytes together. */
  get maxBytes(): number {
    return this.budget.max
  }

  /** Records the size of the heap after a garbage collection. */
  measured(used: number): void {
    this.budget.measured(used)
  }

  /** Evicts a tenth of the sandboxes. Returns whether there was one. */
  relieve(): boolean {
    return this.#worlds().sandboxes.relieve()
  }

  /** How many sandboxes were evicted, by the reason. */
  get evictions(): Readonly<Record<Eviction, number>> {
    return this.#worlds().sandboxes.evictions.counts
  }
}
