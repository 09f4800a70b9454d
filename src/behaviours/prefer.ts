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
import type { Behaviour, Choice, Exchange } from './behaviour.ts'
import { writable } from './exchange.ts'
import { setting } from './setting.ts'

const NAMES = ['code', 'example', 'dynamic', 'seed'] as const
type Words = { readonly [name in (typeof NAMES)[number]]?: string }

export const prefer: Behaviour<boolean> = {
  name: 'prefer',
  problems: [problems.not_found, problems.invalid_request, problems.not_simulated],
  schema: setting.flag(
    'Whether clients may choose a reply with `Prefer: code=404`, `example=NAME`, `dynamic=true` or `seed=7`, or with query parameters such as `?__code=404`. Default: true.',
  ),
  compile(config, { contract, operation, answers, bypass, invalid, clientControls }) {
    if (config === false) return undefined
    const own = new Set(operation.parameters.filter(one => one.in === 'query').map(({ name }) => name))
    const controls = NAMES.filter(name => !own.has(`__${name}`))
    return next => {
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
          const place = inHeader[name] === undefined ? inQueryAt(name) : inHeaderAt(name)
          return Promise.resolve(invalid([{ ...place, rule, message }]))
        }
        writable(exchange, 'prefer').choice = choiceOf(words)
        return chosen(exchange).then(reply => {
          // Refused with the chosen status: answer as the contract documents it.
          if (reply.refusal === undefined || reply.status !== exchange.choice?.status) return reply
          const documented = answerTo(exchange, answers, false)
          return documented.refusal === undefined
            ? withHeaders(documented, { ...reply.headers, ...documented.headers })
            : reply
        })
      }
    }
  },
  describe: () => undefined,
}

const inQueryAt = (name: string) => ({ in: 'query', path: `__${name}` }) as const
const inHeaderAt = (name: string) => ({ in: 'header', path: `Prefer: ${name}` }) as const

/** The forms of the words that have one. `dynamic` without a value means true. */
const FORMS = [
  { name: 'code', pattern: /^[1-5]\d\d$/, rule: 'status', message: 'must be a status such as 404' },
  { name: 'dynamic', pattern: /^(?:true|false)?$/, rule: 'boolean', message: 'must be true or false' },
] as const

/** Returns the chosen reply, with `Preference-Applied`. */
function answerTo(exchange: Exchange, answers: Answers, anyError: boolean): Reply {
  const { choice = {} } = exchange
  const { status, example, dynamic, seed } = choice
  const { operation } = exchange
  if (anyError && status !== undefined && status >= 400 && responseFor(operation, status) === undefined) {
    const warning = `${operation.id} does not document ${status}`
    const reply = refuse(problemOf(status), `${status} was asked for`, { 'understudy-warning': warning }, status)
    return withHeaders(reply, { 'preference-applied': `code=${status}` })
  }
  if (answers.status === undefined && status === undefined) {
    return refuse(problems.not_simulated, `the operation ${operation.id} documents no replies to choose from`)
  }
  const reply = answers.reply(exchange.question(choice))
  if (reply.refusal !== undefined) return reply
  const applied = [
    ...(status === undefined ? [] : [`code=${status}`]),
    ...(example === undefined ? [] : [`example=${tokenOrString(example)}`]),
    ...(dynamic === undefined ? [] : [`dynamic=${dynamic}`]),
    ...(seed === undefined ? [] : [`seed=${tokenOrString(seed)}`]),
  ]
  return withHeaders(reply, { 'preference-applied': applied.join(', ') })
}

function choiceOf({ code, example, dynamic, seed }: Words): Choice {
  return {
    ...(code === undefined ? {} : { status: Number(code) }),
    ...(example === undefined || example === '' ? {} : { example }),
    ...(dynamic === undefined ? {} : { dynamic: dynamic !== 'false' }),
    ...(seed === undefined ? {} : { seed }),
  }
}

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+"
const PREFERENCE = new RegExp(`(${TOKEN})(?:\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,;"]*)))?`, 'g')

/** Parses a `Prefer` field (RFC 7240 §2): names in any case, values quoted or not; the first of two wins. */
function wordsIn(field: string | string[] | undefined, exchange: Exchange): Words {
  if (field === undefined) return {}
  const words: { -readonly [name in keyof Words]: string } = {}
  for (const [, token = '', inQuotes, plain] of String(field).matchAll(PREFERENCE)) {
    const name = NAMES.find(one => one === token.toLowerCase())
    if (name !== undefined) words[name] ??= inQuotes?.replace(/\\(.)/g, '$1') ?? plain ?? ''
    else warnOfSlip(exchange, token)
  }
  return words
}

/** Removes the control parameters from the query, and returns them. */
function takeFromQuery(exchange: Exchange, controls: readonly (typeof NAMES)[number][]): Words {
  const { request } = exchange
  if (!request.query.includes('__')) return {}
  const given = splitQuery(request.query)
  const found = controls.flatMap(name => {
    const text = given.get(`__${name}`)?.[0]
    return text === undefined ? [] : [[name, decodeQuery(text) ?? text] as const]
  })
  if (found.length === 0) return {}
  const names = new Set(found.map(([name]) => `__${name}`))
  const rest = request.query.split('&').filter(pair => !names.has(decodeQuery(pair.split('=', 1)[0] as string) ?? ''))
  writable(exchange, 'prefer').request = withQuery(request, rest.join('&'))
  return Object.fromEntries(found)
}

/** Warns a client of a preference that looks like a misspelt one of ours and has no effect. */
function warnOfSlip(exchange: Exchange, word: string): void {
  const meant = word.length > LONGEST_WORD ? undefined : slipOf(word.toLowerCase(), NAMES)
  if (meant !== undefined) exchange.warn(`unknown preference "${word}"; did you mean "${meant}"?`)
}

const LONGEST_WORD = 20

/** Returns a value as a token if it is one, otherwise as a quoted string. */
const tokenOrString = (text: string): string => (/^[\w.-]+$/.test(text) ? text : quotedString(text))
