// Validates a request against the contract: parameters, then the body. One refusal names every broken rule.

import type { Operation } from '../../contract/contract.ts'
import { cookieValues, type Parameter, type ParameterRead, splitQuery } from '../../contract/document/parameters.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { type BrokenRule, problems } from '../../kernel/http.ts'
import type { Behaviour, Exchange } from '../behaviour.ts'
import { writable } from '../exchange.ts'
import { setting } from '../setting.ts'
import { compileBody, warnOfSlips } from './body.ts'

export interface ValidateConfig {
  readonly invalidQuery?: 'refuse' | 'ignore'
  readonly undocumentedQuery?: 'ignore' | 'refuse'
  readonly undocumentedBody?: 'refuse' | 'ignore'
  readonly status?: 400 | 422
  /** See `replies.ts`. */
  readonly replies?: 'off' | 'warn' | 'refuse'
}

export const validate: Behaviour<ValidateConfig> = {
  name: 'validate',
  problems: [problems.invalid_request, problems.not_found, problems.payload_too_large, problems.unsupported_media_type],
  schema: setting.block(
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
  ),
  compile(config = {}, { operation, maxBody, invalid }) {
    const readParameters = compileParameters(operation, config)
    const body = compileBody(operation, config.undocumentedBody === 'ignore', maxBody, invalid)
    return next => exchange => {
      const { path, rest } = readParameters === undefined ? NONE : readParameters(exchange)
      if (path.length > 0) return Promise.resolve(invalid(path))
      if (body === undefined || !exchange.request.hasBody) {
        const absent = body?.absent === undefined ? NO_RULES : body.absent(exchange)
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

/** Converts and validates the parameters, and stores their values in the exchange; `undefined` if there is nothing to do. */
export function compileParameters(
  operation: Operation,
  config: ValidateConfig,
): ((exchange: Exchange) => Broken) | undefined {
  const { parameters } = operation
  const lenient = config.invalidQuery === 'ignore'
  const strict = config.undocumentedQuery === 'refuse'
  const expressions = expressionsOf(operation.path)
  const segmentOf = parameters.map(({ name, in: place }) => (place === 'path' ? expressions.indexOf(name) : -1))
  const headerOf = parameters.map(({ name }) => name.toLowerCase())
  const known = new Set(parameters.flatMap(({ name, in: place }) => (place === 'query' ? [name] : [])))
  if (parameters.length === 0 && !strict) return undefined

  const textsOf = (
    index: number,
    { segments, request }: Exchange,
    query: ReadonlyMap<string, readonly string[]>,
  ): readonly string[] | undefined => {
    const { name, in: place } = parameters[index] as Parameter
    if (place === 'path') return [segments[segmentOf[index] as number] as string]
    if (place === 'query') return query.get(name)
    if (place === 'cookie') {
      const values = cookieValues(request.headers.cookie as string | undefined, name)
      return values.length > 0 ? values : undefined
    }
    const field = request.headers[headerOf[index] as string]
    return field === undefined ? undefined : [field].flat()
  }

  return exchange => {
    const query = splitQuery(exchange.request.query)
    // A declared parameter is never a property of an exploded object.
    const undocumented = query.size === 0 ? query : new Map([...query].filter(([name]) => !known.has(name)))
    const values: unknown[] = new Array(parameters.length)
    writable(exchange, 'validate').values = values
    let path: BrokenRule[] | undefined
    let rest: BrokenRule[] | undefined
    for (let i = 0; i < parameters.length; i++) {
      const parameter = parameters[i] as Parameter
      const gathered = parameter.gather?.(undocumented)
      const texts = gathered === undefined ? textsOf(i, exchange, query) : NO_TEXTS
      if (texts === undefined) {
        values[i] = parameter.default
        if (parameter.required) rest = [...(rest ?? []), brokenBy(parameter, '', 'required', 'is required')]
        continue
      }
      if (parameter.allowsEmpty && texts.length === 1 && texts[0] === '') {
        values[i] = emptyValueOf(parameter)
        continue
      }
      const read = gathered ?? parameter.read(texts)
      const broken = rulesBrokenBy(parameter, read)
      if (broken === undefined) values[i] = (read as { value: unknown }).value
      else if (parameter.in === 'path') path = [...(path ?? []), ...broken]
      else if (parameter.in === 'query' && lenient && !parameter.required) values[i] = parameter.default
      else rest = [...(rest ?? []), ...broken]
    }
    if (undocumented.size > 0) {
      warnOfSlips(exchange, 'query parameter', undocumented.keys(), known, name =>
        parameters.some(one => one.in === 'query' && one.owns(name)),
      )
    }
    if (exchange.broken && path === undefined) path = [BROKEN_PATH]
    if (strict) {
      for (const name of undocumented.keys()) {
        if (parameters.some(one => one.in === 'query' && one.owns(name))) continue
        rest ??= []
        rest.push({ in: 'query', path: name, rule: 'undocumented', message: 'is not documented' })
      }
    }
    return path === undefined && rest === undefined ? NONE : { path: path ?? NO_RULES, rest: rest ?? NO_RULES }
  }
}

const NO_TEXTS: readonly string[] = []

const BROKEN_PATH: BrokenRule = { in: 'path', path: '', rule: 'encoding', message: 'has a broken percent-encoding' }

const brokenBy = ({ name, in: place }: Parameter, pointer: string, rule: string, message: string): BrokenRule => ({
  in: place,
  path: name + pointer,
  rule,
  message,
})

/** Returns the value of a parameter that is sent without one: the empty text if its schema allows it, else its default. */
const emptyValueOf = ({ default: usual, schema }: Parameter): unknown =>
  schema.types.has('string') && schema.check('') === undefined ? '' : usual

/** Returns the broken rules of a received parameter; `undefined` without any. */
function rulesBrokenBy(parameter: Parameter, read: ParameterRead): BrokenRule[] | undefined {
  if ('fault' in read) return [brokenBy(parameter, '', 'syntax', read.fault)]
  return parameter.schema
    .check(read.value, read.exact)
    ?.map(({ pointer, keyword, message }) => brokenBy(parameter, pointer, keyword, message))
}
