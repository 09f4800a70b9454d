// Lets a client choose the reply: a status, an example, a seed (RFC 7240, or the query for browsers). The other behaviours
// still run. Their refusal wins unless its status is the chosen one.

import type { Answers } from '../contract/answer/answers.ts'
import { responseFor } from '../contract/contract.ts'
import { decodeQuery, splitQuery } from '../contract/document/parameters.ts'
import { requiredFields } from '../contract/security.ts'
import { slipOf } from '../kernel/diagnostic.ts'
import {
  NO_HEADERS,
  problemOf,
  problems,
  quotedString,
  type Reply,
  refuse,
  withHeaders,
  withQuery,
} from '../kernel/http.ts'
import { type Behaviour, type Choice, type Exchange, setting } from './behaviour.ts'

const NAMES = ['code', 'example', 'dynamic', 'seed', 'items', 'gap'] as const
type Words = { readonly [name in (typeof NAMES)[number]]?: string }

export const prefer: Behaviour<boolean> = {
  name: 'prefer',
  schema: setting.flag(
    'Whether clients may choose a reply with `Prefer: code=404`, `example=NAME`, `dynamic=true`, `seed=7`, `items=20` (of generated lists and streams) or `gap=10ms` (between the items of a stream), or by parameters such as `?__code=404`. Default: true.',
  ),
  compile(config, { contract, operation, answers, bypass, invalid, clientControls }) {
    if (config === false) return undefined
    const own = new Set(operation.parameters.filter(one => one.in === 'query').map(({ name }) => name))
    const controls = NAMES.filter(name => !own.has(`__${name}`))
    return next => {
      // A second chain without the responder, which might change state; authentication and validation may still refuse.
      const chosen = bypass(async exchange => {
        const reply = answerTo(exchange, answers, clientControls)
        const required = requiredFields(reply.status, operation, contract)
        return required === NO_HEADERS ? reply : { ...reply, headers: { ...required, ...reply.headers } }
      })
      return exchange => {
        const { headers, query } = exchange.request
        if (headers.prefer === undefined && !query.includes('__')) return next(exchange)
        const inQuery = takeFromQuery(exchange, controls)
        const inHeader = wordsIn(headers.prefer, exchange)
        const words = { ...inQuery, ...inHeader }
        if (NAMES.every(name => words[name] === undefined)) return next(exchange)
        for (const { name, pattern, rule, message } of FORMS) {
          const word = words[name]
          if (word === undefined || pattern.test(word)) continue
          const place =
            inHeader[name] === undefined
              ? ({ in: 'query', path: `__${name}` } as const)
              : ({ in: 'header', path: `Prefer: ${name}` } as const)
          return Promise.resolve(invalid([{ ...place, rule, message }]))
        }
        exchange.choice = choiceOf(words)
        // Length and pace are the responder's affair: a stored list has its own.
        if (OF_A_REPLY.every(name => words[name] === undefined)) return next(exchange)
        return chosen(exchange).then(reply => {
          // Refused with the chosen status: answer as the contract documents it.
          if (reply.refusal === undefined || reply.status !== exchange.choice?.status) return reply
          const documented = answerTo(exchange, answers, false)
          if (documented.refusal !== undefined) return reply
          return withHeaders(documented, { ...reply.headers, ...documented.headers })
        })
      }
    }
  },
  describe: () => undefined,
}

const OF_A_REPLY = NAMES.filter(name => name !== 'items' && name !== 'gap')

/** The forms of the words that have one. `dynamic` without a value means true. */
const FORMS = [
  { name: 'code', pattern: /^[1-5]\d\d$/, rule: 'status', message: 'must be a status such as 404' },
  { name: 'dynamic', pattern: /^(?:true|false)?$/, rule: 'boolean', message: 'must be true or false' },
  { name: 'items', pattern: /^(?:\d{1,3}|1000)$/, rule: 'maximum', message: 'must be a number from 0 to 1000' },
  {
    name: 'gap',
    pattern: /^\d{1,6}(?:\.\d{1,3})?(?:ms|s|m)$/,
    rule: 'duration',
    message: 'must be a duration such as 10ms',
  },
] as const

/** Returns the chosen reply, with `Preference-Applied`. */
function answerTo(exchange: Exchange, answers: Answers, anyError: boolean): Reply {
  const { operation, choice = {} } = exchange
  const { status, ...others } = choice
  if (anyError && status !== undefined && status >= 400 && responseFor(operation, status) === undefined) {
    return refuse(
      problemOf(status),
      `${status} was asked for`,
      { 'understudy-warning': `${operation.id} does not document ${status}`, 'preference-applied': `code=${status}` },
      status,
    )
  }
  if (answers.status === undefined && status === undefined) {
    return refuse(problems.not_simulated, `the operation ${operation.id} documents no replies to choose from`)
  }
  // An example is the same for every seed.
  const isGenerated = (others.seed ?? others.items) !== undefined && others.example === undefined
  const reply = answers.reply(exchange.question({ ...choice, dynamic: others.dynamic ?? isGenerated }))
  if (reply.refusal !== undefined) return reply
  const applied = Object.entries({ code: status, ...others }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${tokenOrString(String(value))}`],
  )
  return withHeaders(reply, { 'preference-applied': applied.join(', ') })
}

const choiceOf = ({ code, example, dynamic, seed, items, gap }: Words): Choice => ({
  status: code === undefined ? undefined : Number(code),
  example: example === '' ? undefined : example,
  dynamic: dynamic === undefined ? undefined : dynamic !== 'false',
  seed,
  items: items === undefined ? undefined : Number(items),
  gap,
})

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+"
const PREFERENCE = new RegExp(`(${TOKEN})(?:\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,;"]*)))?`, 'g')

/** Parses a `Prefer` field (RFC 7240 §2): names in any case, values quoted or not; the first of two wins. */
function wordsIn(field: string | string[] | undefined, exchange: Exchange): Words {
  if (field === undefined) return {}
  const words: { -readonly [name in keyof Words]: string } = {}
  for (const [, token = '', inQuotes, plain] of String(field).matchAll(PREFERENCE)) {
    const name = NAMES.find(one => one === token.toLowerCase())
    if (name !== undefined) words[name] ??= inQuotes?.replace(/\\(.)/g, '$1') ?? plain ?? ''
    else {
      // One that looks like a misspelt word of ours has no effect.
      const meant = slipOf(token.toLowerCase(), NAMES)
      if (meant !== undefined) exchange.warn(`unknown preference "${token}"; did you mean "${meant}"?`)
    }
  }
  return words
}

/** Removes the control parameters from the query, and returns them. */
function takeFromQuery(exchange: Exchange, controls: readonly (typeof NAMES)[number][]): Words {
  const { request } = exchange
  const given = splitQuery(request.query)
  const found = controls.flatMap(name => {
    const text = given.get(`__${name}`)?.[0]
    return text === undefined ? [] : [[name, decodeQuery(text) ?? text] as const]
  })
  if (found.length === 0) return {}
  const names = new Set(found.map(([name]) => `__${name}`))
  const rest = request.query.split('&').filter(pair => !names.has(decodeQuery(pair.split('=', 1)[0] as string) ?? ''))
  exchange.request = withQuery(request, rest.join('&'))
  return Object.fromEntries(found)
}

/** Returns a value as a token if it is one, otherwise as a quoted string. */
const tokenOrString = (text: string): string => (/^[\w.-]+$/.test(text) ? text : quotedString(text))
