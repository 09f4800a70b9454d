// Validates a request against the contract: parameters, then the body. One refusal names every broken rule. Validates replies too,
// if configured.

import { nonconformanceOf, type Operation } from '../../contract/contract.ts'
import { cookieValues, type Parameter, splitQuery } from '../../contract/document/parameters.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { type BrokenRule, problems, refuse, withWarning } from '../../kernel/http.ts'
import type { Violation } from '../../kernel/schema/violations.ts'
import { type Behaviour, type ConfigOf, type Exchange, setting } from '../behaviour.ts'
import { compileBody, warnOfSlips } from './body.ts'

const schema = setting.block(
  'Checks requests against the contract; null accepts every request, and responders then get no parameters.',
  {
    invalidQuery: setting.choice(
      ['refuse', 'ignore'],
      'What to do with a query parameter that breaks its schema: refuse the request, or ignore the parameter. Default: refuse.',
    ),
    undocumentedQuery: setting.choice(
      ['ignore', 'refuse'],
      'What to do with a query parameter that the contract does not document. Default: ignore.',
    ),
    undocumentedBody: setting.choice(
      ['refuse', 'ignore'],
      'How to treat an undocumented body: refuse it with 415, or ignore it. Default: refuse.',
    ),
    status: setting.choice(
      [400, 422],
      'The status of an invalid request if the operation documents neither 400 nor 422. Default: 400.',
    ),
    replies: setting.choice(
      ['off', 'warn', 'refuse'],
      'What to do with a reply that breaks the contract, including refusals, chosen replies and status faults: send it (`off`), add `Understudy-Warning` (`warn`), or answer 500 instead (`refuse`). Default: off.',
    ),
  },
)
export type ValidateConfig = ConfigOf<typeof schema>

export const validate: Behaviour<ValidateConfig> = {
  name: 'validate',
  problems: [problems.invalid_request, problems.not_found, problems.payload_too_large, problems.unsupported_media_type],
  schema,
  compile(config = {}, { operation, maxBody, invalid }) {
    const readParameters = compileParameters(operation, config)
    const body = compileBody(operation, config.undocumentedBody === 'ignore', maxBody, invalid)
    return next => exchange => {
      const { path, rest } = readParameters?.(exchange) ?? NONE
      if (path.length > 0) return Promise.resolve(invalid(path))
      if (body === undefined || !exchange.request.hasBody) {
        const absent = body === undefined ? NO_RULES : body.absent(exchange)
        const all = absent.length === 0 ? rest : [...rest, ...absent]
        return all.length === 0 ? next(exchange) : Promise.resolve(invalid(all))
      }
      return body.read(exchange).then(outcome => {
        if ('status' in outcome) return outcome
        const all = rest.length === 0 ? outcome : [...rest, ...outcome]
        return all.length === 0 ? next(exchange) : invalid(all)
      })
    }
  },
}

/** The broken rules of a request's parameters. */
interface Broken {
  /** The broken rules of the path, which then identifies no resource. */
  readonly path: readonly BrokenRule[]
  readonly rest: readonly BrokenRule[]
}

const NO_RULES: readonly BrokenRule[] = []
const NONE: Broken = { path: NO_RULES, rest: NO_RULES }

type ReadTexts = (exchange: Exchange, query: ReadonlyMap<string, readonly string[]>) => readonly string[] | undefined

/** Returns a function that reads the texts of a parameter: `undefined` or none if it is absent. */
function compileTexts({ name, in: place }: Parameter, { path }: Operation): ReadTexts {
  if (place === 'query') return (_, query) => query.get(name)
  if (place === 'cookie') return ({ request }) => cookieValues(request.headers.cookie as string | undefined, name)
  if (place === 'path') {
    const at = expressionsOf(path).indexOf(name)
    return ({ segments }) => [segments[at] as string]
  }
  const field = name.toLowerCase()
  return ({ request }) => [request.headers[field] ?? []].flat()
}

/**
 * Returns a function that converts and validates the parameters, and stores their values in the exchange; `undefined` if there
 * is nothing to do.
 */
export function compileParameters(
  operation: Operation,
  { invalidQuery, undocumentedQuery }: ValidateConfig,
): ((exchange: Exchange) => Broken) | undefined {
  const { parameters } = operation
  const strict = undocumentedQuery === 'refuse'
  if (parameters.length === 0 && !strict) return undefined
  const readers = parameters.map(parameter => compileTexts(parameter, operation))
  const known = new Set(parameters.flatMap(({ name, in: place }) => (place === 'query' ? [name] : [])))
  const isOwned = (name: string) => parameters.some(one => one.in === 'query' && one.owns(name))
  return exchange => {
    const query = splitQuery(exchange.request.query)
    // A declared parameter is never a property of an exploded object.
    const undocumented = query.size === 0 ? query : new Map([...query].filter(([name]) => !known.has(name)))
    const values: unknown[] = new Array(parameters.length)
    exchange.values = values
    const path: BrokenRule[] = []
    const rest: BrokenRule[] = []
    for (let i = 0; i < parameters.length; i++) {
      const parameter = parameters[i] as Parameter
      const { name, in: place, required, schema } = parameter
      const gathered = parameter.gather?.(undocumented)
      const texts = gathered === undefined ? readers[i]?.(exchange, query) : undefined
      let broken: readonly Pick<Violation, 'pointer' | 'keyword' | 'message'>[] | undefined
      if (gathered === undefined && (texts === undefined || texts.length === 0)) {
        values[i] = parameter.default
        if (required) broken = [{ pointer: '', keyword: 'required', message: 'is required' }]
      } else if (parameter.allowsEmpty && texts?.length === 1 && texts[0] === '') {
        values[i] = schema.types.has('string') && schema.check('') === undefined ? '' : parameter.default
      } else {
        const read = gathered ?? parameter.read(texts as readonly string[])
        if ('fault' in read) broken = [{ pointer: '', keyword: 'syntax', message: read.fault }]
        else {
          broken = schema.check(read.value, read.exact)
          if (broken === undefined) values[i] = read.value
        }
        if (broken !== undefined && place === 'query' && invalidQuery === 'ignore' && !required) {
          values[i] = parameter.default
          broken = undefined
        }
      }
      if (broken === undefined) continue
      const rules = place === 'path' ? path : rest
      for (const { pointer, keyword, message } of broken) {
        rules.push({ in: place, path: name + pointer, rule: keyword, message })
      }
    }
    if (undocumented.size > 0) warnOfSlips(exchange, 'query parameter', undocumented.keys(), known, isOwned)
    if (exchange.broken && path.length === 0) {
      path.push({ in: 'path', path: '', rule: 'encoding', message: 'has a broken percent-encoding' })
    }
    if (strict) {
      for (const name of undocumented.keys()) {
        if (!isOwned(name)) rest.push({ in: 'query', path: name, rule: 'undocumented', message: 'is not documented' })
      }
    }
    return { path, rest }
  }
}

/**
 * Checks every reply against the contract: responders' replies, chosen replies, refusals and status faults. It is inside
 * `errors`, which gives refusals their body, and outside all other behaviours.
 */
export const replies: Behaviour<ValidateConfig> = {
  name: 'replies',
  keyOf: 'validate',
  problems: [problems.invalid_reply],
  compile(config, { operation, decorate }) {
    const mode = config?.replies ?? 'off'
    if (mode === 'off') return undefined
    return next => async exchange => {
      const reply = await next(exchange)
      if (reply.status === 0) return reply
      const bare = reply.refusal !== undefined && reply.body === undefined
      const fault = nonconformanceOf(operation, bare ? await decorate(exchange, reply) : reply)
      if (fault === undefined) return reply
      // Any operation may refuse, and may answer 304 to a conditional request; contracts do not document these.
      if (fault.code === 'undocumented-status' && (reply.refusal !== undefined || reply.status === 304)) return reply
      if (mode === 'refuse') return refuse(problems.invalid_reply, `${operation.id} ${fault.message}`)
      return withWarning(reply, fault.message)
    }
  },
  describe: config => config?.replies,
}
