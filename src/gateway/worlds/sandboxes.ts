// The sandboxes of a gateway: makes those that requests name, refuses names, and logs evictions.

import { problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import type { Plan } from '../../plan/plan.ts'
import { WORLD_NAME } from '../../plan/settings.ts'
import type { Clock } from '../../world/clock.ts'
import { Sandboxes } from '../../world/sandboxes.ts'
import type { World } from '../../world/world.ts'
import { EvictionLog } from '../eviction-log.ts'
import type { Log } from '../log.ts'
import { Mask } from '../mask.ts'
import { type Held, holdWorld, visitOf } from './visit.ts'

export class SandboxWorlds {
  readonly #clock: Clock
  readonly #blank: (name: string) => World
  #plan: Plan
  /** Names of worlds are shown, so they must not be credentials. */
  #mask: Mask
  #sandboxes: Sandboxes<Held>
  keeper: WorldsKeeper | undefined
  readonly evictions: EvictionLog

  /** @param blank makes a new world with the seeds */
  constructor(plan: Plan, clock: Clock, log: Log, blank: (name: string) => World) {
    this.#plan = plan
    this.#clock = clock
    this.evictions = new EvictionLog(log, () => clock.now())
    this.#blank = blank
    this.#mask = new Mask(plan)
    this.#sandboxes = this.#make()
  }

  #make(): Sandboxes<Held> {
    const now = () => this.#clock.now()
    return new Sandboxes<Held>(this.#plan.simulation.worlds, now, ({ world }, why) => {
      this.evictions.evicted(world.name, why)
      this.keeper?.removed(world)
    })
  }

  /** Adopts another plan: the sandboxes stay, unless they are switched off. */
  adopt(plan: Plan): void {
    const before = this.#plan.simulation.worlds
    const { worlds } = plan.simulation
    this.#plan = plan
    this.#mask = new Mask(plan)
    if (worlds.max === before.max && worlds.idle === before.idle && worlds.sandboxes === before.sandboxes) return
    const kept = worlds.sandboxes ? this.list().reverse() : []
    this.#sandboxes = this.#make()
    for (const held of kept) this.set(held)
  }

  get(name: string): Held | undefined {
    return this.#sandboxes.get(name)
  }

  /** Like `get`, but does not count as use. */
  peek(name: string): Held | undefined {
    return this.#sandboxes.peek(name)
  }

  /** Most recently used first. */
  list(): Held[] {
    return this.#sandboxes.list()
  }

  set(held: Held): void {
    this.#sandboxes.set(held.world.name, held)
  }

  /** Returns whether there was a sandbox of that name. */
  delete(name: string): boolean {
    const world = this.keeper && this.peek(name)?.world
    const deleted = this.drop(name)
    if (deleted && world !== undefined) this.keeper?.removed(world)
    return deleted
  }

  /** Like `delete`, without notifying a keeper. */
  drop(name: string): boolean {
    return this.#sandboxes.delete(name)
  }

  evictForMemory(writer?: object): Held | undefined {
    return this.#sandboxes.evictForMemory(writer)
  }

  /** Evicts a tenth of the sandboxes. Returns whether there was one. */
  relieve(): boolean {
    return this.#sandboxes.shrink() > 0
  }

  /** Returns why a sandbox of that name cannot be made, if so. */
  refuses(name: string, exists: boolean): WorldFault | undefined {
    if (!WORLD_NAME.test(name) || this.#mask.holds(name)) return 'bad-name'
    if (exists) return 'exists'
    return this.#plan.simulation.worlds.sandboxes ? undefined : 'switched-off'
  }

  /** Returns the refusal of a request that names a sandbox that does not exist and cannot be made. */
  refuseVisit(name: string): Reply | undefined {
    if (!this.#plan.simulation.worlds.sandboxes) {
      return refuse(problems.invalid_request, `unknown world ${name}; sandboxes are switched off`)
    }
    if (!this.#mask.holds(name)) return undefined
    return refuse(problems.invalid_request, 'the name of a world must not be a credential')
  }

  /**
   * Makes the sandbox that a request names. It is kept once the request is authenticated, so that strangers evict no sandbox.
   */
  propose(name: string): Held {
    const proposed = this.#sandboxes.proposed(name)
    if (proposed !== undefined) return proposed
    const world = this.#blank(name)
    const held = holdWorld(this.#plan, world, () => {
      held.visit = visitOf(world)
      if (this.#sandboxes.admit(name)) this.keeper?.admitted(world)
    })
    this.#sandboxes.propose(name, held)
    return held
  }
}

// The interface for observers of the set of worlds, and the reasons why a world cannot be created or deleted.

/** Is notified of every world that is added, replaced or removed. */
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
