// All worlds: the permanent ones (the default one, and one for each host of the contract) and the sandboxes. Finds the world
// and the time of a request. Independent of sockets.

import { problems, type Reply, type Request, refuse } from '../../kernel/http.ts'
import type { Plan } from '../../plan/plan.ts'
import type { WorldsKeeper } from '../../state/host.ts'
import { Budget, heapLimit } from '../../world/budget.ts'
import { type Clock, readClockChange } from '../../world/clock.ts'
import { Collection } from '../../world/records/collection.ts'
import { Sandboxes } from '../../world/sandboxes.ts'
import { World, type WorldWatcher } from '../../world/world.ts'
import { WORLD_NAME } from '../../world/world-name.ts'
import type { Log } from '../log.ts'
import { Mask } from '../mask.ts'
import { EvictionLog } from './memory.ts'
import {
  directedVisit,
  type Held,
  holdWorld,
  momentIn,
  nameIn,
  planOfWorld,
  type Visit,
  visitOf,
  worldInCookie,
  worldInPath,
} from './visit.ts'

/** The reason why a world cannot be created or deleted. */
export type WorldFault = 'bad-name' | 'exists' | 'unknown' | 'permanent' | 'switched-off'

export class Worlds {
  /** Bounds the records of all worlds together. */
  readonly budget: Budget
  readonly #clock: Clock
  readonly evictions: EvictionLog
  #plan: Plan
  /** Names of worlds are shown, so they must not be credentials. */
  #mask: Mask
  /** A world of the seeds. All others are forks of it; it is never served itself. */
  #initial: World
  /** The same for the worlds on another contract, by name. */
  #initialOthers: ReadonlyMap<string, World> = new Map()
  /** The base paths of all contracts. */
  #basePaths: readonly string[] = []
  readonly #permanent = new Map<string, Held>()
  /** The names of the worlds of hosts. */
  #byHost: ReadonlyMap<string, string> = new Map()
  /** The host of the last request, which most requests repeat, and the name of its world. */
  #lastHost: string | undefined
  #lastName: string | undefined
  #default: Held
  #sandboxes: Sandboxes<Held>
  #keeper: WorldsKeeper | undefined
  readonly #watchers = new Map<string, WorldWatcher>()
  #watcher: WorldWatcher | undefined

  constructor(plan: Plan, clock: Clock, log: Log) {
    this.#clock = clock
    this.#plan = plan
    this.#mask = new Mask(plan)
    this.evictions = new EvictionLog(log, () => clock.now())
    this.#sandboxes = this.#makeSandboxes()
    this.budget = new Budget({
      max: maxBytesOf(plan),
      heap: heapLimit(),
      count: () => this.bytes.reduce((sum, { bytes }) => sum + bytes, 0),
      drop: writer => this.#sandboxes.evictForMemory(writer)?.world.bytes,
    })
    this.#initial = this.#seedAll()
    this.#default = this.#settle()
  }

  #makeSandboxes(): Sandboxes<Held> {
    const now = () => this.#clock.now()
    return new Sandboxes<Held>(this.#plan.simulation.worlds, now, ({ world }, why) => {
      this.evictions.evicted(world.name, why)
      this.#keeper?.evicted(world)
    })
  }

  /** Returns a world of the seeds, and makes those of the worlds on another contract. */
  #seedAll(): World {
    const others = [...(this.#plan.others ?? [])]
    this.#initialOthers = new Map(others.map(([name, plan]) => [name, this.#seed(plan)]))
    this.#basePaths = [
      ...new Set([this.#plan, ...others.map(([, plan]) => plan)].flatMap(({ contract }) => contract.basePaths)),
    ]
    return this.#seed(this.#plan)
  }

  #seed({ collections, simulation }: Plan): World {
    const seeded = [...collections].map(([name, { options, resource }]) => {
      return [name, new Collection(options, resource.seeds, this.budget)] as const
    })
    return new World(simulation.seed, this.#clock, new Map(seeded))
  }

  /** Makes the missing permanent worlds of the plan, and drops those of other names. Returns the default one. */
  #settle(): Held {
    const { contract, simulation } = this.#plan
    // With one host or none, every request reaches the default world.
    const hosts = contract.hosts.length > 1 ? contract.hosts : []
    this.#byHost = new Map(hosts.map(host => [host, nameOfHost(host)]))
    this.#lastHost = undefined
    this.#lastName = undefined
    const others = this.#plan.others ?? new Map<string, Plan>()
    const names = new Set([simulation.worlds.default, ...this.#byHost.values(), ...others.keys()])
    for (const name of this.#permanent.keys()) if (!names.has(name)) this.#permanent.delete(name)
    for (const name of names) {
      if (this.#permanent.has(name)) continue
      // A sandbox that is given a contract keeps its records.
      const kept = others.has(name) ? this.#sandboxes.peek(name) : undefined
      this.#sandboxes.delete(name)
      const held = kept ?? this.#hold(this.planOf(name), this.blank(name))
      this.#permanent.set(name, held)
      this.#keeper?.placed(held.world, undefined)
    }
    return this.#permanent.get(simulation.worlds.default) as Held
  }

  /** Adopts another plan. Records stay; each world is adapted on its next use. Sandboxes go if they are switched off. */
  adopt(plan: Plan): void {
    const before = this.#plan.simulation.worlds
    const { worlds } = plan.simulation
    this.#plan = plan
    this.#mask = new Mask(plan)
    this.budget.limit(maxBytesOf(plan))
    this.#initial = this.#seedAll()
    this.#nameSeeds()
    this.#default = this.#settle()
    if (worlds.max === before.max && worlds.idle === before.idle && worlds.sandboxes === before.sandboxes) return
    const kept = worlds.sandboxes ? this.#sandboxes.list().reverse() : []
    this.#sandboxes = this.#makeSandboxes()
    for (const held of kept) this.#sandboxes.set(held.world.name, held)
  }

  /** Notifies a keeper of later changes. Existing worlds get the names of their seeds. */
  keepBy(keeper: WorldsKeeper): void {
    this.#keeper = keeper
    this.#nameSeeds()
    for (const world of this.list()) world.origin = this.#initial.origin
  }

  /** Has a watcher see the changes of all worlds that can be reached, those of later ones too; `undefined`: not any more. */
  watchBy(name: string, watcher: WorldWatcher | undefined): void {
    if (watcher === undefined && !this.#watchers.has(name)) return
    if (watcher === undefined) this.#watchers.delete(name)
    else this.#watchers.set(name, watcher)
    this.#watcher = allOf([...this.#watchers.values()])
    for (const world of this.list()) this.#watch(world)
  }

  #watch(world: World): void {
    world.watch(this.#watcher)
    this.#watcher?.placed(world)
  }

  #hold(plan: Plan, world: World, admit?: () => void): Held {
    if (this.#watcher !== undefined) this.#watch(world)
    return holdWorld(plan, world, admit)
  }

  #nameSeeds(): void {
    if (this.#keeper !== undefined) this.#initial.origin = this.#keeper.seeded(this.#initial)
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

  /** Returns the plan that a world is served by. */
  planOf(name: string): Plan {
    return planOfWorld(this.#plan, name)
  }

  #initialOf(name: string): World {
    return this.#initialOthers.get(name) ?? this.#initial
  }

  isPermanent(name: string): boolean {
    return this.#permanent.has(name)
  }

  /** The permanent worlds, then the sandboxes, most recently used first. Read-only: see `get`. */
  list(): World[] {
    return [...this.#permanent.values(), ...this.#sandboxes.list()].map(({ world }) => world)
  }

  /**
   * The estimated bytes of all records, by the kind of world that they were written to: each is counted without those that it
   * shares with its origin.
   */
  get bytes(): readonly { readonly kind: 'seeds' | 'permanent' | 'sandbox'; readonly bytes: number }[] {
    const sum = (all: Iterable<Pick<Held, 'world'>>) => [...all].reduce((bytes, { world }) => bytes + world.bytes, 0)
    return [
      {
        kind: 'seeds',
        bytes: sum([{ world: this.#initial }, ...[...this.#initialOthers.values()].map(world => ({ world }))]),
      },
      { kind: 'permanent', bytes: sum(this.#permanent.values()) },
      { kind: 'sandbox', bytes: sum(this.#sandboxes.list()) },
    ]
  }

  /** Evicts a tenth of the sandboxes. Returns whether there was one. */
  relieve(): boolean {
    return this.#sandboxes.shrink() > 0
  }

  /** Returns the host of a permanent world, if it has one. */
  hostOf(name: string): string | undefined {
    return [...this.#byHost].find(([, world]) => world === name)?.[0]
  }

  /** Resets a world to its seeds and to real time. Running requests finish in the old world. */
  reset(name: string): WorldFault | undefined {
    if (this.#held(name) === undefined) return 'unknown'
    this.put(this.blank(name))
    return undefined
  }

  /** Returns a new world with the seeds, which begins now and is not reachable yet: see `put`. */
  blank(name: string): World {
    const world = this.#initialOf(name).fork(name)
    world.copied = false
    world.began = this.#clock.now()
    const { clock } = this.planOf(name)
    const change = clock && readClockChange(clock, world.clock)
    if (typeof change === 'object') world.clock.adjust(change)
    return world.begin(world.began)
  }

  /** Makes a world reachable under its name. */
  put(world: World): void {
    this.#place(world, (name, held) => this.#sandboxes.set(name, held))
  }

  /** Makes a world reachable as a log has it, and evicts none for it: see `bound`. */
  restore(world: World): void {
    this.#place(world, (name, held) => this.#sandboxes.restore(name, held))
  }

  #place(world: World, add: (name: string, held: Held) => void): void {
    const { name } = world
    const before = this.#keeper && this.peek(name)
    const held = this.#hold(this.planOf(name), world)
    if (this.#permanent.has(name)) {
      this.#permanent.set(name, held)
      if (this.#default.world.name === name) this.#default = held
    } else add(name, held)
    this.#keeper?.placed(world, before)
  }

  /** Removes a sandbox without notifying the keeper, so that `restore` can put it back. */
  withdraw(world: World): void {
    if (this.#sandboxes.peek(world.name)?.world === world) this.#sandboxes.delete(world.name)
  }

  /** Evicts the sandboxes that are too many after `restore`. */
  bound(): void {
    this.#sandboxes.bound()
  }

  /** Makes a sandbox: a copy of `from`, which defaults to the seeds. */
  create(name: string, from?: World): World | WorldFault {
    const refused = this.refuses(name)
    if (refused !== undefined) return refused
    const world = from?.fork(name) ?? this.blank(name)
    this.put(world)
    return world
  }

  /** Returns why a sandbox of that name cannot be made, if so. */
  refuses(name: string): WorldFault | undefined {
    if (!WORLD_NAME.test(name) || this.#mask.holds(name)) return 'bad-name'
    if (this.#held(name) !== undefined) return 'exists'
    return this.#plan.simulation.worlds.sandboxes ? undefined : 'switched-off'
  }

  delete(name: string): WorldFault | undefined {
    if (this.#permanent.has(name)) return 'permanent'
    const held = this.#sandboxes.peek(name)
    if (!this.#sandboxes.delete(name)) return 'unknown'
    if (held !== undefined) this.#keeper?.removed(held.world)
    return undefined
  }

  /** Returns the world and time of a request, or refuses an invalid one. */
  visit({ headers, path }: Request): Visit | Reply {
    const home = this.#byHost.size === 0 ? this.#default : this.#home(headers.host as string | undefined)
    const { simulation } = this.#plan
    if (simulation.listen.clientControls) {
      const named =
        headers['understudy-world'] ?? headers['understudy-time'] ?? (headers.cookie && worldInCookie(headers.cookie))
      if (named !== undefined || path.includes('/~')) return this.#visitNamed(home, headers, path, this.#basePaths)
    }
    return (home.plan === this.#plan ? home : this.#current(home)).visit
  }

  /** Returns the world of a host, or the default one. */
  #home(host: string | undefined): Held {
    if (host !== this.#lastHost) {
      this.#lastHost = host
      this.#lastName = host && this.#byHost.get(host.replace(/:\d*$/, '').toLowerCase())
    }
    return (this.#lastName && this.#permanent.get(this.#lastName)) || this.#default
  }

  /** Returns the visit of a request that names its world or time, or refuses it. */
  #visitNamed(home: Held, headers: Request['headers'], path: string, basePaths: readonly string[]): Visit | Reply {
    const inPath = worldInPath(path, basePaths)
    const name = nameIn(headers, inPath)
    if (typeof name === 'object') return name
    const held = name === undefined ? home : this.#held(name)
    if (held === undefined) {
      if (!this.#plan.simulation.worlds.sandboxes) {
        return refuse(problems.invalid_request, `unknown world ${name}; sandboxes are switched off`)
      }
      if (this.#mask.holds(name as string)) {
        return refuse(problems.invalid_request, 'the name of a world must not be a credential')
      }
    }
    const moment = momentIn(headers['understudy-time'], held?.world.clock ?? this.#clock)
    if (typeof moment === 'object') return moment
    const { visit } = this.#current(held ?? this.#propose(name as string))
    return directedVisit(visit, inPath, moment)
  }

  /**
   * Makes the sandbox that a request names. It is kept once the request is authenticated, so that strangers evict no sandbox.
   */
  #propose(name: string): Held {
    const proposed = this.#sandboxes.proposed(name)
    if (proposed !== undefined) return proposed
    const world = this.blank(name)
    const held = this.#hold(this.#plan, world, () => {
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
    const plan = this.planOf(held.world.name)
    if (held.plan === plan) return held
    if (held.plan.world !== plan.world || plan.world !== undefined)
      held.visit = visitOf(held.world, held.visit.admit, plan)
    held.plan = plan
    for (const [name, { options }] of plan.collections) {
      held.world.adapt(name, options, this.#initialOf(held.world.name).collection(name))
    }
    return held
  }
}

/** The default share of the heap for records; a page may contain all of them a second time. */
const SHARE = 0.4

const maxBytesOf = ({ simulation }: Plan): number => simulation.worlds.maxBytes ?? Math.floor(SHARE * heapLimit())

/** Converts a host to a world's name: invalid characters, such as the colons of an IPv6 address, become dashes. */
const nameOfHost = (host: string): string => host.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 64)

/** Returns a watcher that tells several. */
function allOf(watchers: readonly WorldWatcher[]): WorldWatcher | undefined {
  const [first, second] = watchers
  if (second === undefined) return first
  return {
    placed(world) {
      for (const watcher of watchers) watcher.placed(world)
    },
    changed(...change) {
      for (const watcher of watchers) watcher.changed(...change)
    },
    moved(world) {
      for (const watcher of watchers) watcher.moved(world)
    },
  }
}
