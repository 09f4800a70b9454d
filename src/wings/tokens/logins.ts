// The logins of a world: what was granted in it, as state of the world. A reset forgets them, a fork keeps them.

import { createHash, randomBytes } from 'node:crypto'
import { InheritedNotes } from '../../world/kept/notes.ts'
import type { World } from '../../world/world.ts'

/** Whether tokens of a login, or of the clients of a world, hold. */
export interface Grant {
  /** The world that gave it: the tokens that a fork gives do not hold in its origin. */
  readonly world: string
}

/** Returns a text that cannot be guessed. */
export const secretText = (): string => randomBytes(24).toString('base64url')
/** Codes and refresh tokens are kept as their hashes. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

/** The key of the grant for tokens without a login. */
const clientsOf = (world: World): string => `clients ${world.name}`

interface Values<Value> {
  get(key: string): Value | undefined
  put(key: string, value: Value | undefined): void
}

export class Logins {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  #table<Value extends object>(name: string): Values<Value> {
    return this.#world.keep(InheritedNotes, `logins ${name}`) as Values<Value>
  }

  /** Returns the id of the grant for tokens that belong to no login. */
  clientsGrant(): string {
    const grants = this.#table<{ readonly grant: string }>('clients')
    const existing = grants.get(clientsOf(this.#world))
    if (existing !== undefined) return existing.grant
    const grant = this.newGrant()
    grants.put(clientsOf(this.#world), { grant })
    return grant
  }

  newGrant(): string {
    const grant = secretText()
    this.#table<Grant>('grants').put(grant, { world: this.#world.name })
    return grant
  }

  /** Whether a token with this `jti` was given here or in the origin of this world, and was not revoked. */
  holds(jti: unknown): boolean {
    if (typeof jti !== 'string') return false
    const grants = this.#table<Grant>('grants')
    return grants.get(jti.split('.')[0] as string) !== undefined && this.#table('revoked').get(jti) === undefined
  }
}
