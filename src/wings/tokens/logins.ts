// The logins of a world: what was granted in it, as state of the world. A reset forgets them, a fork keeps them.

import { createHash, randomBytes } from 'node:crypto'
import { InheritedNotes } from '../../world/kept/notes.ts'
import type { World } from '../../world/world.ts'

/** A user who is logged in, in a browser. */
export interface Session {
  readonly user: string
  /** Seconds since the epoch. */
  readonly authTime: number
  readonly until: number
}

export type LoginKind = 'codes' | 'refreshes'

/** A login that a code or a refresh token stands for. */
export interface Login {
  /** Names the login in its tokens. Empty in a code before it is used, so that no number of codes ends a login. */
  readonly grant: string
  readonly client: string
  readonly user: string
  readonly scopes: readonly string[]
  readonly authTime: number
  readonly until: number
  readonly nonce?: string | undefined
  /** The redirect URI of a code as it was sent, and the challenge (RFC 7636). */
  readonly redirect?: string | undefined
  readonly challenge?: string | undefined
  readonly plain?: boolean
  readonly used?: boolean
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

  /** Returns the id of the grant for tokens that belong to no login. Apart from the others, so that no number of logins evicts it. */
  clientsGrant(): string {
    const grants = this.#table<{ readonly grant?: string }>('clients')
    const existing = grants.get(clientsOf(this.#world))?.grant
    if (existing !== undefined) return existing
    const grant = secretText()
    grants.put(clientsOf(this.#world), { grant })
    grants.put(grant, {})
    return grant
  }

  newGrant(): string {
    const grant = secretText()
    this.#table('grants').put(grant, {})
    return grant
  }

  revokeGrant(grant: string): void {
    this.#table('grants').put(grant, undefined)
  }

  /** Revokes one access token. */
  revokeToken(jti: string): void {
    this.#table<object>('revoked').put(jti, {})
  }

  startSession(session: Session): string {
    return this.#add('sessions', session)
  }

  sessionOf(secret: string | undefined, now: number): Session | undefined {
    const session = secret === undefined ? undefined : this.#table<Session>('sessions').get(hashOf(secret))
    return session !== undefined && now < session.until ? session : undefined
  }

  endSession(secret: string): void {
    this.#table<Session>('sessions').put(hashOf(secret), undefined)
  }

  /** Keeps a code or a refresh token, and returns it. */
  add(kind: LoginKind, login: Login): string {
    return this.#add(kind, login)
  }

  #add(table: string, value: object): string {
    const secret = secretText()
    this.#table(table).put(hashOf(secret), value)
    return secret
  }

  /** Returns the login of a code or a refresh token that holds. A second use ends the login. @param only whether it is only asked about, not used */
  find(kind: LoginKind, secret: string, now: number, only = false): Login | undefined {
    const login = this.#table<Login>(kind).get(hashOf(secret))
    if (login === undefined) return undefined
    const { grant, used = false, until } = login
    if (used && !only) this.revokeGrant(grant)
    const isHeld = grant === '' || this.holds(grant)
    return !used && now < until && isHeld ? login : undefined
  }

  /** Notes that a code or a refresh token was used. */
  use(kind: LoginKind, secret: string, login: Login): void {
    this.#table<Login>(kind).put(hashOf(secret), { ...login, used: true })
  }

  /** Whether a token with this `jti` was given here or in the origin of this world, and was not revoked. */
  holds(jti: unknown): boolean {
    if (typeof jti !== 'string') return false
    const [grant = ''] = jti.split('.')
    const isGranted = ['grants', 'clients'].some(table => this.#table(table).get(grant) !== undefined)
    return isGranted && this.#table('revoked').get(jti) === undefined
  }
}
