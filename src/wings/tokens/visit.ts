// A request to an endpoint of an issuer: its address, its form, and the client that it authenticates.

import type { Exchange } from '../../behaviours/behaviour.ts'
import { firstOf, type Headers, NO_HEADERS, type Reply } from '../../kernel/http.ts'
import type { World } from '../../world/world.ts'
import type { Client, Issuers, OwnIssuer, User } from './block.ts'
import { OPENID_SCOPES } from './endpoints.ts'
import { Logins } from './logins.ts'
import type { TokenService } from './observe.ts'

/** An error of OAuth (RFC 6749 §5.2). */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: string
  readonly status: number
  readonly headers: Headers

  constructor(code: string, description: string, status = 400, headers: Headers = NO_HEADERS) {
    super(description)
    this.code = code
    this.status = status
    this.headers = headers
  }
}

interface Parts {
  readonly exchange: Exchange
  readonly issuers: Issuers
  readonly issuer: OwnIssuer
  readonly service: TokenService
  readonly maxBody: number
}

/** The parameters of a request. RFC 6749 §3.1: one that is empty is absent, and none may be repeated. */
export class Parameters {
  readonly #values: URLSearchParams

  constructor(text: string) {
    this.#values = new URLSearchParams(text)
  }

  get(name: string): string | undefined {
    const [value = '', ...others] = this.#values.getAll(name)
    if (others.length > 0) throw new OAuthError('invalid_request', `${name} must not be repeated`)
    return value === '' ? undefined : value
  }

  need(name: string): string {
    const value = this.get(name)
    if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`)
    return value
  }

  toString(): string {
    return this.#values.toString()
  }
}

export class Visit {
  readonly exchange: Exchange
  readonly issuers: Issuers
  readonly issuer: OwnIssuer
  readonly service: TokenService
  readonly logins: Logins
  readonly #maxBody: number

  constructor({ exchange, issuers, issuer, service, maxBody }: Parts) {
    this.exchange = exchange
    this.issuers = issuers
    this.issuer = issuer
    this.service = service
    this.#maxBody = maxBody
    this.logins = new Logins(exchange.world)
  }

  get world(): World {
    return this.exchange.world
  }

  /** In milliseconds since the epoch, by the clock of the request. */
  get now(): number {
    return this.exchange.clock.now()
  }

  /** The address by which the request came, with the world that its path names. */
  get origin(): string {
    const { request, basePath } = this.exchange
    const [world = ''] = /\/~[^/]+/.exec(basePath) ?? []
    const host = firstOf(request.headers.host) ?? 'localhost'
    return `${this.issuers.scheme}://${host}${request.prefix ?? ''}${world}`
  }

  get query(): string {
    return this.exchange.request.query
  }

  /** The path of the issuer, for its cookie. */
  get cookiePath(): string {
    return new URL(this.origin).pathname.replace(/\/$/, '') || '/'
  }

  get iss(): string {
    return this.issuer.url ?? this.origin + this.issuer.base
  }

  async readForm(): Promise<Parameters> {
    const { request } = this.exchange
    const read = await request.readBody(this.#maxBody)
    if ('problem' in read) throw new OAuthError('invalid_request', read.detail, read.problem.status)
    const type = firstOf(request.headers['content-type'])
    if (read.bytes.length > 0 && !/^application\/x-www-form-urlencoded *(?:;|$)/i.test(type ?? '')) {
      throw new OAuthError('invalid_request', 'the body must be application/x-www-form-urlencoded')
    }
    return new Parameters(Buffer.from(read.bytes).toString())
  }

  /** Authenticates the client of a form (RFC 6749 §2.3). A public one names itself only. */
  authenticateClient(form: Parameters): Client {
    const { authorization } = this.exchange.request.headers
    const basic = authorization === undefined ? undefined : readBasic(String(authorization))
    const named = form.get('client_id')
    const secret = form.get('client_secret')
    if (authorization !== undefined && secret !== undefined) {
      throw new OAuthError('invalid_request', 'the client must authenticate itself in one way only')
    }
    const [id, key] = authorization === undefined ? [named, secret] : (basic ?? [])
    const client = this.issuers.clients.get(id ?? '')
    if (client === undefined || client.secret !== key || (named !== undefined && named !== id)) {
      const challenge = authorization === undefined ? NO_HEADERS : { 'www-authenticate': 'Basic realm="token"' }
      throw new OAuthError('invalid_client', 'the client is unknown, or its secret is wrong', 401, challenge)
    }
    this.exchange.consumer = client.consumer
    return client
  }

  /** Returns the requested scopes, or all that the client may ask for but those of OpenID. */
  scopesOf(requested: string | undefined, client: Client): readonly string[] {
    if (requested === undefined) return client.scopes
    const scopes = [...new Set(requested.split(' ').filter(scope => scope !== ''))]
    for (const scope of scopes) {
      if (!this.issuers.scopes.has(scope)) throw new OAuthError('invalid_scope', `there is no scope ${safe(scope)}`)
      if (!client.scopes.includes(scope) && !OPENID.has(scope)) {
        throw new OAuthError('invalid_scope', `the client may not ask for ${safe(scope)}`)
      }
    }
    return scopes
  }

  /** Whether a token of a user may have a scope. */
  mayHave(user: User, scope: string): boolean {
    return user.scopes.includes(scope) || OPENID.has(scope)
  }
}

const OPENID = new Set(OPENID_SCOPES)

/** The characters that a description may have (RFC 6749 §5.2). */
const safe = (text: string): string => text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?').slice(0, 100)

/** Reads a client and its secret, each of which is encoded as in a form (RFC 6749 §2.3.1). */
function readBasic(field: string): readonly [id: string, secret: string] | undefined {
  const [, text] = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(field) ?? []
  if (text === undefined) return undefined
  const pair = Buffer.from(text, 'base64').toString()
  const at = pair.indexOf(':')
  const decode = (part: string): string => new URLSearchParams(`x=${part.replace(/&/g, '%26')}`).get('x') ?? ''
  return at === -1 ? undefined : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))]
}

/** Tokens must not be cached (RFC 6749 §5.1). */
const UNCACHED = { 'cache-control': 'no-store', pragma: 'no-cache' }

export const json = (body: object, status = 200, headers: Headers = UNCACHED): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** Answers with the error that the work throws. */
export async function orRefuse(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const { code, message, status, headers } = error
    return json({ error: code, error_description: message }, status, { ...UNCACHED, ...headers })
  }
}
