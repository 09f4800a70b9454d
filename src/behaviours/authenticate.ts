// Authenticates requests: checks the contract's security schemes against the configured consumers, before the body is read.

import type { Contract, Operation, SecurityScheme } from '../contract/contract.ts'
import { authorizationWords, challengesOf, schemeNamed, schemesOf } from '../contract/security.ts'
import { reportPlaceholders } from '../expression/template.ts'
import { problems, quotedString, type Reply, refuse } from '../kernel/http.ts'
import { getOrMake } from '../kernel/memo.ts'
import { type Behaviour, type ConfigOf, type Site, setting, type Wrap } from './behaviour.ts'
import type { Examined } from './consumer.ts'

const schema = setting.block("Checks credentials against the contract's security; null accepts every request.", {
  realm: setting.text('The realm in `WWW-Authenticate`. Default: the title of the contract.'),
})

type AuthenticateConfig = ConfigOf<typeof schema>

export const authenticate: Behaviour<AuthenticateConfig> = {
  name: 'authenticate',
  schema,
  letIn: compileAuthentication,
  compile(config, site) {
    reportPlaceholders(
      config?.realm,
      'nothing is filled in here: write the realm itself',
      (code, message, _, ...rest) => site.error(code, message, ['realm'], ...rest),
    )
    return compileAuthentication(config, site)
  },
}

function compileAuthentication(config: AuthenticateConfig | undefined, site: Site): Wrap | undefined {
  // A scheme of an unsupported type is always satisfied.
  const { contract, identify, operation } = site
  const asks = operation.security.map(list =>
    list.filter(({ scheme }) => schemeNamed(scheme, contract).in !== 'nowhere'),
  )
  if (asks.flat().length === 0) return undefined
  const anonymous = asks.some(alternative => alternative.length === 0)
  const realm = config?.realm ?? contract.title
  const key = JSON.stringify([realm, operation.security])
  const known = getOrMake(refusals, contract, () => new Map<string, CredentialRefusals>())
  const replies = getOrMake(known, key, () => compileCredentialRefusals(realm, contract, operation.security))
  return next => exchange => {
    const verdict = identify(exchange.request, exchange.clock.now(), exchange.world)
    if (typeof verdict === 'string' && !anonymous) {
      const { headers, examined } = exchange.request
      const { authorization } = headers
      const { refusal } = (examined ?? {}) as Examined
      if (refusal !== undefined && verdict !== 'unscoped') return Promise.resolve(replies.because(refusal))
      const isOdd = verdict === 'missing' && authorization !== undefined
      return Promise.resolve(isOdd ? replies.schemeOf(String(authorization)) : replies[verdict])
    }
    if (typeof verdict !== 'string') exchange.consumer = verdict.name
    exchange.admit?.()
    return next(exchange)
  }
}

type CredentialRefusals = ReturnType<typeof compileCredentialRefusals>

/** The refusals by realm and requirements, which thousands of operations share. */
const refusals = new WeakMap<Contract, Map<string, CredentialRefusals>>()

/** One reply for each reason, made at load (RFC 6750 §3: an error code only if a token was sent). */
function compileCredentialRefusals(realm: string, contract: Contract, security: Operation['security']) {
  const schemes = schemesOf(contract, { security })
  const where = [...new Set(schemes.flatMap(describeScheme))].join(' or ')
  const reply = (detail: string, parameters: string, problem = problems.unauthorized): Reply => {
    return { ...refuse(problem, detail, challengesOf(schemes, realm, parameters)), standing: true }
  }
  const scopes = [...new Set(security.flat().flatMap(one => one.scopes))].join(' ')
  const insufficient = `, error="insufficient_scope", scope=${quotedString(scopes)}`
  const missing = reply(`a credential is missing: ${where}`, '')
  const words = authorizationWords(schemes)
  const shape = words.map(word => `"${word} "`).join(' or ')
  const bare = reply(`the Authorization header must begin with ${shape}: ${where}`, '')
  const other = reply(`the scheme of the Authorization header must be ${words.join(' or ')}: ${where}`, '')
  const malformed = reply(`the credential in the Authorization header is malformed: ${where}`, '')
  return {
    /** The refusal of an `Authorization` field whose form matches no scheme of the operation. */
    schemeOf(authorization: string): Reply {
      if (words.length === 0) return missing
      const [first = '', rest] = authorization.trim().split(/ +(.*)/s)
      if (words.some(word => word.toLowerCase() === first.toLowerCase())) return malformed
      return rest === undefined ? bare : other
    },
    missing,
    unknown: reply('the credential is unknown', ', error="invalid_token"'),
    because: (refusal: string) => {
      const why = `the credential ${refusal}`
      return reply(why, `, error="invalid_token", error_description=${quotedString(why)}`)
    },
    expired: reply(
      'the credential has expired',
      ', error="invalid_token", error_description="the credential has expired"',
    ),
    unscoped: reply(`the credential lacks a scope: ${scopes}`, insufficient, problems.forbidden),
  }
}

function describeScheme(place: SecurityScheme): string[] {
  if (place.in === 'nowhere') return []
  if (place.in === 'certificate') return ['a client certificate']
  if (place.in === 'authorization') return [`Authorization: ${place.word} ${FORMS.get(place.word) ?? '<credential>'}`]
  return [`the ${place.in === 'query' ? 'query parameter' : place.in} ${place.name}`]
}

/** The forms of credentials that most schemes of `Authorization` have. */
const FORMS: ReadonlyMap<string, string> = new Map([
  ['Basic', '<user:password>'],
  ['Bearer', '<key>'],
])
