// The keys of the issuers: makes and keeps them, signs tokens and checks signatures. The only file that runs jose.

import {
  calculateJwkThumbprint,
  compactVerify,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose'
import { InheritedNotes } from '../../world/kept/notes.ts'
import type { World } from '../../world/world.ts'
import type { ForeignIssuer, Issuers, OwnIssuer } from './block.ts'

/** A private key, as the default world keeps it. */
interface StoredKey {
  readonly issuer: string
  readonly jwk: JWK
  /** When it leaves the key set, in milliseconds since the epoch, by the clock of the default world. */
  readonly retires?: number
}

/** A token whose signature holds. */
export interface SignedToken {
  readonly issuer: OwnIssuer | ForeignIssuer
  readonly type: string | undefined
  readonly claims: JWTPayload
}

/** The reason why a token is refused, as the rest of a sentence that begins with "the token". */
export interface TokenFault {
  readonly fault: string
}

/** A longer token is not parsed. */
const LONGEST = 16_384
const FOREIGN_ALGORITHMS = ['RS', 'PS', 'ES'].flatMap(kind => ['256', '384', '512'].map(bits => kind + bits))

export const isForeign = (issuer: OwnIssuer | ForeignIssuer): issuer is ForeignIssuer => 'jwks' in issuer

export class Keys {
  /** Returns the default world, which keeps the keys. */
  readonly #home: () => World
  /** The keys of this process: a reset of the default world does not change the keys of the gateway. */
  readonly #known = new Map<string, StoredKey>()
  readonly #files = new WeakMap<JWK, Promise<string>>()

  constructor(home: () => World) {
    this.#home = home
  }

  #stored(): InheritedNotes {
    return this.#home().keep(InheritedNotes, 'issuer keys')
  }

  /** Returns the keys of an issuer by their ids, the current one first. */
  #keysOf(issuer: OwnIssuer): [kid: string, key: StoredKey][] {
    for (const [kid, key] of this.#stored().dump()) this.#known.set(kid, key as StoredKey)
    const now = this.#home().clock.now()
    return [...this.#known]
      .filter(([, key]) => key.issuer === issuer.name && (key.retires ?? Number.POSITIVE_INFINITY) > now)
      .sort(([, a], [, b]) => (b.retires ?? Number.POSITIVE_INFINITY) - (a.retires ?? 0))
  }

  #put(kid: string, key: StoredKey): void {
    this.#known.set(kid, key)
    this.#stored().put(kid, key)
  }

  /** Returns the current key, which is made if there is none. */
  async #current(issuer: OwnIssuer): Promise<[kid: string, jwk: JWK]> {
    if (issuer.key !== undefined) return [await this.#idOf(issuer.key), issuer.key]
    const existing = this.#keysOf(issuer).find(
      ([, { jwk, retires }]) => retires === undefined && jwk.alg === issuer.algorithm,
    )
    if (existing === undefined) return this.#make(issuer)
    const [kid, key] = existing
    // After a reset, which has emptied the table.
    if (this.#stored().get(kid) === undefined) this.#put(kid, key)
    return [kid, key.jwk]
  }

  async #idOf(jwk: JWK): Promise<string> {
    const id = this.#files.get(jwk) ?? calculateJwkThumbprint(jwk)
    this.#files.set(jwk, id)
    return id
  }

  async #make(issuer: OwnIssuer): Promise<[kid: string, jwk: JWK]> {
    const { privateKey } = await generateKeyPair(issuer.algorithm, { extractable: true })
    const jwk = { ...(await exportJWK(privateKey)), alg: issuer.algorithm }
    const kid = await calculateJwkThumbprint(jwk)
    this.#put(kid, { issuer: issuer.name, jwk })
    return [kid, jwk]
  }

  /** Makes another key. The others stay in the key set for a lifetime. Returns its id. */
  async rotate(issuer: OwnIssuer): Promise<string> {
    await this.#current(issuer)
    const retires = this.#home().clock.now() + issuer.lifetime
    for (const [kid, key] of this.#keysOf(issuer)) if (key.retires === undefined) this.#put(kid, { ...key, retires })
    const [kid] = await this.#make(issuer)
    return kid
  }

  /** Returns the public key set. */
  async publish(issuer: OwnIssuer): Promise<{ readonly keys: readonly JWK[] }> {
    const [kid, jwk] = await this.#current(issuer)
    const others = this.#keysOf(issuer).filter(([other]) => other !== kid)
    return { keys: [[kid, jwk] as const, ...others.map(([other, key]) => [other, key.jwk] as const)].map(publicPart) }
  }

  async sign(issuer: OwnIssuer, claims: JWTPayload, type: string): Promise<string> {
    const [kid, jwk] = await this.#current(issuer)
    return signWith(await importJWK(jwk, issuer.algorithm), kid, issuer.algorithm, claims, type)
  }

  /** Signs with a key that is in no key set. */
  async signWithUnknownKey(issuer: OwnIssuer, claims: JWTPayload, type: string): Promise<string> {
    const { privateKey } = await generateKeyPair(issuer.algorithm)
    return signWith(privateKey, 'unknown', issuer.algorithm, claims, type)
  }

  /** Checks the signature of a token; returns `undefined` for a text that is not a JWT. */
  async verify(token: string, { own, foreign }: Issuers): Promise<SignedToken | TokenFault | undefined> {
    if (token.length > LONGEST) return { fault: 'is too long' }
    const parts = partsOf(token)
    if (parts === undefined) return undefined
    const { header, claims } = parts
    const type = header.typ?.toLowerCase()
    const outsider = foreign.find(({ url }) => url === claims.iss)
    try {
      if (outsider !== undefined) {
        await compactVerify(token, createLocalJWKSet(outsider.jwks), { algorithms: FOREIGN_ALGORITHMS })
        return { issuer: outsider, type, claims }
      }
      for (const issuer of own) {
        const jwk = await this.#find(issuer, header.kid)
        if (jwk === undefined) continue
        await compactVerify(token, await importJWK(publicPart([header.kid as string, jwk]), issuer.algorithm), {
          algorithms: [jwk.alg ?? issuer.algorithm],
        })
        return { issuer, type, claims }
      }
      return { fault: header.alg === 'none' ? 'is not signed' : 'is signed with an unknown key' }
    } catch {
      return { fault: 'has a wrong signature' }
    }
  }

  async #find(issuer: OwnIssuer, kid: string | undefined): Promise<JWK | undefined> {
    const { key } = issuer
    if (key !== undefined && kid === (await this.#idOf(key))) return key
    return this.#keysOf(issuer).find(([id]) => id === kid)?.[1].jwk
  }
}

type SigningKey = Awaited<ReturnType<typeof importJWK>>

const signWith = (key: SigningKey, kid: string, alg: string, claims: JWTPayload, typ: string) =>
  new SignJWT(claims).setProtectedHeader({ alg, kid, typ }).sign(key)

const publicPart = ([kid, { kty, crv, x, y, n, e, alg }]: readonly [string, JWK]): JWK => ({
  ...JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })),
  kid,
  alg: alg ?? (kty === 'RSA' ? 'RS256' : 'ES256'),
  use: 'sig',
})

function partsOf(token: string) {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) }
  } catch {
    return undefined
  }
}
