// The worlds that a plan has from the beginning: the default one, and one for each host of the contract.

import type { Plan } from '../plan/plan.ts'
import type { Held } from './visit.ts'

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
