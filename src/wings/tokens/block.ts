// The key `issuers` of gateway.yaml, and the keys `client` and `user` of a consumer.

import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { JSONWebKeySet, JWK } from 'jose'
import { type ConfigOf, setting } from '../../behaviours/behaviour.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { attempted } from '../../kernel/memo.ts'
import { parseDuration } from '../../kernel/units.ts'
import type { Block, BlockLoad } from '../../plan/house.ts'
import type { SimulationFile } from '../../plan/simulation-file.ts'
import { type EndpointName, endpointsOf, OPENID_SCOPES, readSchemes, type SchemeUrls } from './endpoints.ts'

const issuer = setting.block('An issuer. With `jwks` it is a foreign one, whose tokens are only checked.', {
  path: setting.text(
    'Where its endpoints are. Default for the first: the paths of `tokenUrl`, `authorizationUrl` and `openIdConnectUrl` of the contract; else /oauth.',
    { pattern: '^(?:/[A-Za-z0-9._-][A-Za-z0-9._~-]*)+$' },
  ),
  url: setting.text('`iss` of its tokens. Default: the address by which the request came.', { pattern: '^https?://' }),
  lifetime: setting.duration("How long its tokens hold, by the world's clock. Default: 10m."),
  refresh: setting.text('How long a refresh token holds; `off`: none is given. Default: 30d.'),
  audience: setting.some('`aud` of its tokens, which is then checked. Default: `iss`, unchecked.'),
  claims: setting.named('Further claims of its tokens.', setting.json('The value.')),
  algorithm: setting.choice(['ES256', 'RS256'], 'The algorithm of its signatures. Default: ES256.'),
  key: setting.some('A file with its private key: PEM (PKCS #8) or JWK. Default: one is made and kept with the state.'),
  login: setting.choice(
    ['page', 'hint'],
    'With `hint`, `login_hint` logs the user in without the page. Default: page.',
  ),
  jwks: setting.some('A file with the keys of a foreign issuer. Nothing is fetched.'),
  consumer: setting.some('The consumer of a token of a foreign issuer: "${claims.azp}". Default: "${claims.sub}".'),
})

/** A block, or the credential of a security scheme of that name. */
const OR_KEY = { type: ['object', 'string'], minLength: 1 }
const scopes = setting.list({ type: 'string' }, 'The scopes that it may ask for. Default: those of the consumer.')

const client = setting.block(
  'An OAuth client.',
  {
    id: setting.some('`client_id`.'),
    secret: setting.some('`client_secret`. Without one the client is public, and must use PKCE.'),
    scopes,
    redirects: setting.list(
      { type: 'string', format: 'uri' },
      'The redirect URIs, also those after a logout. One of a loopback address matches at any port.',
    ),
  },
  { ...OR_KEY, required: ['id'] },
)

const user = setting.block(
  'A user, whose name is that of the consumer.',
  {
    password: setting.some('For the flow `password`.'),
    scopes,
    claims: setting.named('Claims of the user, in ID tokens and `userinfo`.', setting.json('The value.')),
  },
  OR_KEY,
)

export const consumerKeys = { client, user }

export interface Client {
  readonly id: string
  readonly consumer: string
  readonly secret: string | undefined
  readonly scopes: readonly string[]
  readonly redirects: readonly string[]
}

export interface User {
  readonly name: string
  readonly password: string | undefined
  readonly scopes: readonly string[]
  readonly claims: Readonly<Record<string, Json>>
}

export interface OwnIssuer {
  readonly name: string
  readonly url: string | undefined
  readonly lifetime: number
  /** `undefined`: it gives no refresh tokens. */
  readonly refresh: number | undefined
  readonly audience: string | undefined
  readonly claims: Readonly<Record<string, Json>>
  readonly algorithm: 'ES256' | 'RS256'
  readonly key: JWK | undefined
  readonly hints: boolean
  readonly base: string
  readonly paths: Readonly<Record<EndpointName, string>>
}

export interface ForeignIssuer {
  readonly name: string
  readonly url: string
  readonly audience: string | undefined
  readonly jwks: JSONWebKeySet
  readonly consumer: string
}

export interface Issuers {
  readonly own: readonly OwnIssuer[]
  readonly foreign: readonly ForeignIssuer[]
  readonly clients: ReadonlyMap<string, Client>
  readonly users: ReadonlyMap<string, User>
  /** The scopes that a token may have; those of clients where the contract names none. */
  readonly scopes: ReadonlySet<string>
  readonly hasPasswords: boolean
  readonly scheme: 'http' | 'https'
}

type IssuerFile = ConfigOf<typeof issuer>
type Written = Readonly<Record<string, IssuerFile>>

export const issuersBlock: Block<Written, Issuers | undefined> = {
  key: 'issuers',
  schema: setting.named('Issuers of tokens (OAuth 2 and OpenID Connect), by name.', issuer, {
    propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9-]*$' },
    minProperties: 1,
  }),
  read(written, load) {
    const reader = new IssuersReader(load)
    return written === undefined ? reader.reportIdle() : reader.read(written)
  },
  secrets: (_, { consumers = {} }) =>
    Object.values(consumers).flatMap(consumer => {
      const { client, user } = blocksOf(consumer)
      return [client?.secret, user?.password].filter(secret => secret !== undefined)
    }),
}

type ConsumerFile = NonNullable<SimulationFile['consumers']>[string]

/** Returns the blocks of a consumer; a text is the credential of a scheme with that name. */
function blocksOf(consumer: ConsumerFile) {
  const blockOf = <Kind>(value: unknown) => (isObject(value) ? (value as Kind) : undefined)
  return {
    client: blockOf<ConfigOf<typeof client>>(consumer.client),
    user: blockOf<ConfigOf<typeof user>>(consumer.user),
  }
}

/** Reads the block, and reports its mistakes at their places. */
class IssuersReader {
  readonly #load: BlockLoad
  readonly #urls: SchemeUrls
  readonly #consumers: readonly (readonly [name: string, consumer: ConsumerFile])[]

  constructor(load: BlockLoad) {
    this.#load = load
    this.#urls = readSchemes(load.contract)
    this.#consumers = Object.entries(load.settings.consumers ?? {})
  }

  #error(code: string, message: string, path: readonly string[], hint?: string): undefined {
    const { report, source } = this.#load
    report.error(code, message, source.locate(path), hint)
  }

  reportIdle(): undefined {
    const { report, source } = this.#load
    for (const [name, consumer] of this.#consumers) {
      for (const [key, block] of Object.entries(blocksOf(consumer))) {
        if (block === undefined) continue
        const place = source.locate(['consumers', name, key], 'key')
        report.warning('idle-key', `"${key}" has no effect without issuers`, place, 'write issuers: { default: {} }')
      }
    }
  }

  read(written: Written): Issuers {
    const own: OwnIssuer[] = []
    const foreign: ForeignIssuer[] = []
    for (const [name, file] of Object.entries(written)) {
      if (file.jwks === undefined) own.push(...this.#readOwn(name, file, own))
      else foreign.push(...this.#readForeign(name, file, file.jwks))
    }
    const clients = new Map<string, Client>()
    const users = new Map<string, User>()
    for (const [name, consumer] of this.#consumers) this.#readConsumer(name, consumer, clients, users)
    const scopes = new Set([...this.#urls.scopes, ...OPENID_SCOPES])
    if (this.#urls.scopes.size === 0) for (const each of [...clients.values(), ...users.values()]) addAll(scopes, each)
    return {
      own,
      foreign,
      clients,
      users,
      scopes,
      hasPasswords: this.#urls.flows.has('password'),
      scheme: this.#load.settings.listen?.tls == null ? 'http' : 'https',
    }
  }

  #readOwn(name: string, file: IssuerFile, earlier: readonly OwnIssuer[]): OwnIssuer[] {
    const { base, paths } = endpointsOf(file.path, earlier.length === 0 ? this.#urls : undefined)
    const taken = earlier.find(other => other.paths.token === paths.token || other.base === base)
    if (taken !== undefined) {
      const message = `the issuer ${taken.name} is at ${base}, too`
      this.#error('duplicate-path', message, ['issuers', name], `write path: /${name}`)
      return []
    }
    const { refresh = '30d', algorithm = 'ES256' } = file
    const held = refresh === 'off' ? undefined : parseDuration(refresh)
    if (held === undefined && refresh !== 'off') {
      this.#error('invalid-unit', '"refresh" must be a duration, or off', ['issuers', name, 'refresh'], 'write 30d')
    }
    const issuer: OwnIssuer = {
      name,
      url: file.url,
      lifetime: parseDuration(file.lifetime ?? '10m') as number,
      refresh: held,
      audience: file.audience,
      claims: file.claims ?? {},
      algorithm,
      key: file.key === undefined ? undefined : this.#readKey(name, file.key, algorithm),
      hints: file.login === 'hint',
      base,
      paths,
    }
    return [issuer]
  }

  #readText(name: string, key: string, file: string): string | undefined {
    const path = resolve(dirname(this.#load.file), file)
    this.#load.note(path)
    const text = attempted(() => readFileSync(path, 'utf8'))
    return text ?? this.#error('unreadable-file', `${file} cannot be read`, ['issuers', name, key])
  }

  #readKey(name: string, file: string, algorithm: OwnIssuer['algorithm']): JWK | undefined {
    const text = this.#readText(name, 'key', file)
    if (text === undefined) return undefined
    const jwk = attempted(() => {
      const key = /^\s*\{/.test(text)
        ? createPrivateKey({ key: JSON.parse(text) as never, format: 'jwk' })
        : createPrivateKey(text)
      return key.export({ format: 'jwk' }) as JWK
    })
    const fits = algorithm === 'ES256' ? jwk?.crv === 'P-256' : jwk?.kty === 'RSA'
    if (fits) return jwk
    const kind = algorithm === 'ES256' ? 'of the curve P-256' : 'of RSA'
    return this.#error('invalid-value', `${file} holds no private key ${kind}`, ['issuers', name, 'key'])
  }

  #readForeign(name: string, file: IssuerFile, named: string): ForeignIssuer[] {
    const { url, audience, consumer = '${claims.sub}' } = file
    if (url === undefined) {
      this.#error('missing-key', '"url" is missing: it is `iss` of its tokens', ['issuers', name, 'jwks'])
    }
    const text = this.#readText(name, 'jwks', named)
    const jwks = text === undefined ? undefined : attempted(() => JSON.parse(text) as JSONWebKeySet)
    if (text !== undefined && !Array.isArray(jwks?.keys)) {
      this.#error('invalid-value', `${named} is not a JWK set`, ['issuers', name, 'jwks'], 'write { "keys": […] }')
    }
    return url === undefined || jwks === undefined ? [] : [{ name, url, audience, jwks, consumer }]
  }

  #readConsumer(name: string, consumer: ConsumerFile, clients: Map<string, Client>, users: Map<string, User>): void {
    const { client, user } = blocksOf(consumer)
    const usual = consumer.scopes ?? []
    if (client !== undefined) {
      const { id, secret, scopes = usual, redirects = [] } = client
      const at = ['consumers', name, 'client']
      const other = clients.get(id)
      if (other !== undefined) {
        this.#error('duplicate-client', `${other.consumer} has this client id, too`, [...at, 'id'])
      }
      this.#checkScopes(client.scopes, [...at, 'scopes'])
      clients.set(id, { id, consumer: name, secret, scopes, redirects })
    }
    if (user !== undefined) {
      const { password, scopes = usual, claims = {} } = user
      this.#checkScopes(user.scopes, ['consumers', name, 'user', 'scopes'])
      users.set(name, { name, password, scopes, claims })
    }
  }

  #checkScopes(scopes: readonly string[] = [], path: readonly string[]): void {
    const { scopes: documented } = this.#urls
    for (const [i, scope] of scopes.entries()) {
      if (documented.size === 0 || documented.has(scope) || OPENID_SCOPES.includes(scope)) continue
      this.#error(
        'unknown-scope',
        `no security scheme has the scope "${scope}"`,
        [...path, `${i}`],
        suggest(scope, documented),
      )
    }
  }
}

function addAll(scopes: Set<string>, { scopes: more }: Client | User): void {
  for (const scope of more) scopes.add(scope)
}
