// The issuers of a gateway: gives tokens, and checks those of requests before they are dispatched.

import { ANYBODY, type CheckCredential, type Consumer, type Examined, Vouched } from '../../behaviours/consumer.ts'
import type { Host, Observer } from '../../gateway/observer.ts'
import { ForwardedRequest, type Request } from '../../kernel/http.ts'
import type { World } from '../../world/world.ts'
import { type Issuers, issuersBlock } from './block.ts'
import { examine } from './examine.ts'
import type { Keys, SignedToken, TokenFault } from './keys.ts'

/** The tokens whose signatures were checked last. */
const MOST_CHECKED = 1000

export class TokenService {
  /** Those of the configuration. */
  issuers: Issuers | undefined
  readonly #host: Host
  #keys: Promise<Keys> | undefined
  readonly #checked = new Map<string, SignedToken>()

  constructor(host: Host) {
    this.#host = host
  }

  get keys(): Promise<Keys> {
    this.#keys ??= import('./keys.ts').then(({ Keys }) => new Keys(() => this.#host.worlds.default))
    return this.#keys
  }

  /** Checks the signature of a token. */
  async verify(token: string, issuers: Issuers): Promise<SignedToken | TokenFault | undefined> {
    const before = this.#checked.get(token)
    if (before !== undefined) return before
    const verified = await (await this.keys).verify(token, issuers)
    if (verified === undefined || 'fault' in verified) return verified
    if (this.#checked.size >= MOST_CHECKED) this.#checked.delete(this.#checked.keys().next().value as string)
    this.#checked.set(token, verified)
    return verified
  }

  adopt(issuers: Issuers | undefined): void {
    this.issuers = issuers
    this.#checked.clear()
  }

  forgetChecked(): void {
    this.#checked.clear()
  }
}

export const tokensObserver: Observer<TokenService> = {
  name: 'tokens',
  open: host => new TokenService(host),
  compile(plan, service) {
    if (plan.world === undefined) service.adopt(plan.settings(issuersBlock))
    return undefined
  },
  prepare(plan, service) {
    const issuers = plan.settings(issuersBlock)
    if (issuers === undefined) return undefined
    return async request => {
      const [, token] = BEARER.exec(String(request.headers.authorization)) ?? []
      const verified = token === undefined ? undefined : await service.verify(token, issuers)
      return verified === undefined ? request : new ExaminedRequest(request, new ExaminedToken(verified))
    }
  },
}

/** A token with the three parts of a JWT (RFC 7519 §3). */
const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]*) *$/i

/** The token of a request, and in the end why it is refused. */
export class ExaminedToken implements Examined {
  readonly verified: SignedToken | TokenFault
  refusal: string | undefined = undefined

  constructor(verified: SignedToken | TokenFault) {
    this.verified = verified
  }
}

class ExaminedRequest extends ForwardedRequest {
  readonly #token: ExaminedToken

  constructor(sent: Request, token: ExaminedToken) {
    super(sent)
    this.#token = token
  }

  override get examined(): ExaminedToken {
    return this.#token
  }
}

/** Returns the check of the tokens of requests. */
export function tokenCheck(issuers: Issuers, consumers: readonly Consumer[]): CheckCredential {
  const byName = new Map(consumers.map(consumer => [consumer.name, consumer]))
  const every = new Set(issuers.scopes)
  const vouchedFor = ({ consumer = '' }: Vouched): Consumer => {
    const named = byName.get(consumer)
    if (named === undefined) return { ...ANYBODY, scopes: every }
    const client = [...issuers.clients.values()].find(each => each.consumer === consumer)
    return { ...named, scopes: new Set((issuers.users.get(consumer) ?? client)?.scopes ?? named.scopes) }
  }
  return ({ examined }, now, world?: World) => {
    if (examined instanceof Vouched) return vouchedFor(examined)
    if (!(examined instanceof ExaminedToken)) return undefined
    const judged = examine(examined.verified, issuers, now, world)
    examined.refusal = 'fault' in judged ? judged.fault : undefined
    if ('fault' in judged) return judged.isExpired ? 'expired' : 'unknown'
    const consumer = byName.get(judged.consumer)
    if (consumer !== undefined) return { ...consumer, scopes: judged.scopes }
    examined.refusal = 'is of no consumer of the configuration'
    return 'unknown'
  }
}
