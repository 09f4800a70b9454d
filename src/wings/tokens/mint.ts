// Makes any token for a test: of any consumer, and with one flaw.

import type { JWTPayload } from 'jose'
import type { Gateway } from '../../gateway/gateway.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import type { Json } from '../../kernel/json.ts'
import { parseDuration } from '../../kernel/units.ts'
import type { Issuers, OwnIssuer } from './block.ts'
import { ACCESS_TOKEN } from './examine.ts'
import { accessClaims } from './give.ts'
import type { Keys } from './keys.ts'
import { Logins } from './logins.ts'
import { tokensObserver } from './observe.ts'

/** The mistake of a token. */
export type TokenFlaw = 'expired' | 'not-yet' | 'signature' | 'audience' | 'issuer' | 'algorithm-none' | 'key-unknown'

/** A token that a test asks for. */
export interface TokenOrder {
  readonly consumer: string
  /** Default: the first. */
  readonly issuer?: string | undefined
  /** Default: those of the consumer. */
  readonly scopes?: readonly string[] | undefined
  /** They win over the usual ones. */
  readonly claims?: Readonly<Record<string, Json>> | undefined
  /** A duration: `1h`. Default: that of the issuer. */
  readonly lifetime?: string | undefined
  readonly flaw?: TokenFlaw | undefined
  /** Default: the default world. */
  readonly world?: string | undefined
}

const HOUR = 3600
const STRANGER = 'https://another.example'

type Flaw = (claims: JWTPayload, lifetime: number) => JWTPayload
const same: Flaw = claims => claims

/** The change that each flaw makes to the claims. */
export const FLAWS: Readonly<Record<TokenFlaw, Flaw>> = {
  expired: (claims, lifetime) => ({ ...claims, iat: claims.iat! - lifetime - 1, exp: claims.iat! - 1 }),
  'not-yet': claims => ({ ...claims, nbf: claims.iat! + HOUR, exp: claims.exp! + HOUR }),
  signature: same,
  audience: claims => ({ ...claims, aud: STRANGER }),
  issuer: claims => ({ ...claims, iss: STRANGER }),
  'algorithm-none': same,
  'key-unknown': same,
}

/** Thrown for an order that cannot be fulfilled. */
export class TokenOrderFault extends Error {
  override readonly name = 'TokenOrderFault'
}

const unknown = (kind: string, name: string, names: Iterable<string>): TokenOrderFault =>
  new TokenOrderFault([`there is no ${kind} ${name}`, suggest(name, names)].filter(Boolean).join('; '))

/** Returns an issuer of the configuration. */
export function issuerNamed(gateway: Gateway, name: string | undefined): OwnIssuer {
  const { own = [] } = gateway.observed(tokensObserver).issuers ?? {}
  const issuer = name === undefined ? own[0] : own.find(each => each.name === name)
  if (issuer !== undefined) return issuer
  throw unknown(
    'issuer',
    name ?? '',
    own.map(each => each.name),
  )
}

/** @param address the address of the API, for `iss` */
export async function mintToken(gateway: Gateway, order: TokenOrder, address: string): Promise<string> {
  const issuer = issuerNamed(gateway, order.issuer)
  const { flaw } = order
  if (flaw === 'audience' && issuer.audience === undefined) {
    throw new TokenOrderFault(`the issuer ${issuer.name} has no audience: it accepts a token for any`)
  }
  const lifetime = order.lifetime === undefined ? issuer.lifetime : parseDuration(order.lifetime)
  if (lifetime === undefined) throw new TokenOrderFault('"lifetime" must be a duration, such as 10m')
  const service = gateway.observed(tokensObserver)
  const keys = await service.keys
  const claims = { ...claimsFor(gateway, { ...issuer, lifetime }, order, address), ...order.claims }
  const flawed = flaw === undefined ? claims : FLAWS[flaw](claims, Math.floor(lifetime / 1000))
  return spoil(await sign(keys, issuer, flawed, flaw), flaw)
}

function claimsFor(gateway: Gateway, issuer: OwnIssuer, order: TokenOrder, address: string): JWTPayload {
  const { consumer, world: name } = order
  const { worlds, plan } = gateway
  const { clients, users } = gateway.observed(tokensObserver).issuers as Issuers
  const { consumerNames, file } = plan.simulation
  if (!consumerNames.includes(consumer)) throw unknown('consumer', consumer, consumerNames)
  const world = name === undefined ? worlds.default : worlds.get(name)
  if (world === undefined)
    throw unknown(
      'world',
      name as string,
      worlds.list().map(each => each.name),
    )
  const user = users.get(consumer)
  const client = [...clients.values()].find(each => each.consumer === consumer)
  const now = world.clock.now()
  return accessClaims({
    issuer,
    iss: issuer.url ?? address + issuer.base,
    now,
    grant: new Logins(world).clientsGrant(),
    client: user === undefined ? (client ?? { id: consumer }) : [...clients.values()][0],
    user,
    scopes: order.scopes ?? user?.scopes ?? client?.scopes ?? file.consumers?.[consumer]?.scopes ?? [],
    authTime: user === undefined ? undefined : Math.floor(now / 1000),
  }) as JWTPayload
}

const sign = (keys: Keys, issuer: OwnIssuer, claims: JWTPayload, flaw: TokenFlaw | undefined): Promise<string> =>
  flaw === 'key-unknown'
    ? keys.signWithUnknownKey(issuer, claims, ACCESS_TOKEN)
    : keys.sign(issuer, claims, ACCESS_TOKEN)

/** Spoils the signature, if that is the flaw. */
function spoil(token: string, flaw: TokenFlaw | undefined): string {
  const [header = '', claims = '', signature = ''] = token.split('.')
  if (flaw === 'signature') {
    const other = signature.startsWith('A') ? 'B' : 'A'
    return `${header}.${claims}.${other}${signature.slice(1)}`
  }
  if (flaw !== 'algorithm-none') return token
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: ACCESS_TOKEN })).toString('base64url')
  return `${none}.${claims}.`
}
