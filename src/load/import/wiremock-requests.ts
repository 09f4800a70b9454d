// The requests that mappings of WireMock answer, as conditions in CEL; and scenarios, as conditions on the requests before.

import { Buffer } from 'node:buffer'
import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, parseJson, stringifyJson } from '../../kernel/json.ts'
import { celOfJsonPath, isBeyondLinear, pathOfPattern } from './handlebars.ts'
import { celText, celValue, hasPart, type ImportedTrial, memberConditions, operationIdOf, partOf } from './imported.ts'

export interface Stub {
  readonly name?: string
  readonly priority?: number
  readonly request: Readonly<Record<string, unknown>>
  readonly response: Readonly<Record<string, unknown>>
  readonly scenarioName?: string
  readonly requiredScenarioState?: string
  readonly newScenarioState?: string
  readonly [key: string]: unknown
}

/** Tells what cannot be carried over. */
export type Lose = (path: Path, what: string, hint: string) => void

const ELSE_RULE = 'write a condition for the rule: see docs/rules.md'
/** Returns the path and the conditions of the requests that a mapping answers; `undefined` where they have no equal. */
export function readRequest(request: Stub['request'], lose: Lose) {
  const where = readUrl(request, lose)
  if (where === undefined) return undefined
  const given: Given = { headers: {}, query: [...where.given], body: undefined, isExact: where.isExact }
  const when = [...where.when]
  const named = (key: string) => (isObject(request[key]) ? Object.entries(request[key] as object) : [])
  const match = (key: string, name: string, matcher: unknown, value: string, present: string) => {
    const found = textConditions(matcher, value, present, [key === 'urlPath' ? '' : 'request', key, name], lose)
    when.push(...found)
  }
  for (const [name, matcher] of named('queryParameters')) {
    match('queryParameters', name, matcher, partOf('query', name), hasPart('query', name))
    const equal = equalOf(matcher)
    if (equal === undefined) given.isExact &&= isAbsent(matcher)
    else given.query.push([name, equal])
  }
  for (const [name, matcher] of named('headers')) {
    const field = name.toLowerCase()
    match('headers', name, matcher, partOf('headers', field), hasPart('headers', field))
    const equal = equalOf(matcher)
    if (equal === undefined) given.isExact &&= isAbsent(matcher)
    else given.headers[field] = equal
  }
  for (const [name, matcher] of named('cookies')) {
    match('cookies', name, matcher, partOf('cookies', name), hasPart('cookies', name))
    given.isExact = false
  }
  for (const [name, matcher] of named('pathParameters')) {
    match('pathParameters', name, matcher, `request.params.${name}`, 'true')
    given.isExact = false
  }
  if (isObject(request.basicAuthCredentials)) {
    const { username, password } = request.basicAuthCredentials
    const sent = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    when.push(`request.headers.authorization == ${celText(sent)}`)
    given.headers.authorization = sent
  }
  for (const key of ['multipartPatterns', 'customMatcher', 'formParameters', 'host', 'clientIp', 'scheme', 'port']) {
    if (request[key] === undefined) continue
    lose(['request', key], `the matcher "${key}" has no equal, and the mapping answers without it`, ELSE_RULE)
  }
  const patterns = Array.isArray(request.bodyPatterns) ? request.bodyPatterns : []
  patterns.forEach((pattern, i) => {
    when.push(...bodyConditions(pattern, ['request', 'bodyPatterns', i], lose, given))
  })
  return { path: where.path, when, given }
}

interface Given {
  readonly headers: Record<string, string>
  readonly query: [string, string][]
  body: string | undefined
  /** Whether these make a request that the mapping answers. */
  isExact: boolean
}

export const trialOf = (method: string, path: string, given: Given, hasState: boolean): ImportedTrial | undefined =>
  !given.isExact || hasState || path.includes('{')
    ? undefined
    : {
        path,
        query: given.query.map(pair => pair.map(encodeURIComponent).join('=')).join('&'),
        headers: given.headers,
        ...(method !== 'GET' && given.body !== undefined ? { body: given.body } : {}),
      }

function readUrl(request: Stub['request'], lose: Lose) {
  const { url, urlPath, urlPattern, urlPathPattern, urlPathTemplate } = request
  if (typeof urlPathTemplate === 'string') return { path: urlPathTemplate, when: [], given: [], isExact: false }
  const exact = urlPath ?? url
  if (typeof exact === 'string') {
    const [path = '/', query = ''] = exact.split('?', 2)
    const given = [...new URLSearchParams(query)] as [string, string][]
    const when = given.map(([name, value]) => `${partOf('query', name)} == ${celText(value)}`)
    return { path: plainPath(path), when, given, isExact: true }
  }
  const pattern = urlPathPattern ?? urlPattern
  const key = urlPathPattern === undefined ? 'urlPattern' : 'urlPathPattern'
  if (typeof pattern !== 'string') {
    lose(['request'], 'a mapping for every URL has no equal', 'give the paths that it answers')
    return undefined
  }
  const [path = '', query] = key === 'urlPattern' ? pattern.split('\\?', 2) : [pattern]
  if (isBeyondLinear(pattern)) {
    lose(
      ['request', key],
      'this pattern looks around or back, which no linear engine can do',
      'write the path as a template',
    )
    return undefined
  }
  const made = pathOfPattern(path)
  if (made === undefined) {
    lose(['request', key], 'this pattern matches no fixed number of segments', 'write one mapping for each path')
    return undefined
  }
  if (query !== undefined && !/^\.[*+]$/.test(query)) {
    lose(['request', key], 'the part of the pattern after "?" is not carried over', 'use queryParameters')
  }
  return { ...made, given: [] as [string, string][], isExact: !made.path.includes('{') }
}

/** A path that is no template: braces in it are encoded. */
const plainPath = (path: string): string => path.replaceAll('{', '%7B').replaceAll('}', '%7D')

const equalOf = (matcher: unknown): string | undefined =>
  isObject(matcher) && matcher.equalTo !== undefined ? String(matcher.equalTo) : undefined
const isAbsent = (matcher: unknown): boolean => isObject(matcher) && matcher.absent === true

/** Returns the conditions of a matcher of texts. */
function textConditions(matcher: unknown, value: string, present: string, at: Path, lose: Lose): string[] {
  if (!isObject(matcher)) return [`${value} == ${celText(String(matcher))}`]
  const { caseInsensitive, ...rest } = matcher
  const subject = caseInsensitive === true ? `${value}.lowerAscii()` : value
  const text = (given: unknown) => celText(caseInsensitive === true ? String(given).toLowerCase() : String(given))
  return Object.entries(rest).flatMap(([operator, given]) => {
    const inner = (list: unknown) =>
      (Array.isArray(list) ? list : []).map(one => all(textConditions(one, value, present, at, lose)))
    if (operator === 'equalTo') return [`${subject} == ${text(given)}`]
    if (operator === 'contains') return [`${subject}.contains(${text(given)})`]
    if (operator === 'doesNotContain') return [`!(${present}) || !${subject}.contains(${text(given)})`]
    if (operator === 'absent') return given === true ? [`!(${present})`] : [present]
    if (operator === 'or') return [inner(given).join(' || ')]
    if (operator === 'and') return inner(given)
    if (operator === 'not') return [`!(${all(textConditions(given, value, present, at, lose))})`]
    if ((operator === 'matches' || operator === 'doesNotMatch') && !isBeyondLinear(String(given))) {
      const matches = `${value}.matches(${celText(`^(?:${given})$`)})`
      return [operator === 'matches' ? matches : `!(${present}) || !${matches}`]
    }
    lose([...at, operator], `the matcher "${operator}" has no equal, and the mapping answers without it`, ELSE_RULE)
    return []
  })
}

const all = (conditions: readonly string[]): string =>
  conditions.length === 1 ? (conditions[0] as string) : conditions.map(one => `(${one})`).join(' && ') || 'true'

/** Returns the conditions of a pattern of the body. */
function bodyConditions(pattern: unknown, at: Path, lose: Lose, given: Given): string[] {
  if (!isObject(pattern)) return []
  const { equalToJson, matchesJsonPath, ignoreArrayOrder, ignoreExtraElements, ...others } = pattern
  const conditions: string[] = []
  if (equalToJson !== undefined) {
    const parsed = typeof equalToJson === 'string' ? parseJson(equalToJson) : { value: equalToJson as Json }
    if ('fault' in parsed || /\$\{json-unit/.test(stringifyJson(equalToJson)) || ignoreArrayOrder === true) {
      lose(
        [...at, 'equalToJson'],
        'this comparison of JSON has no equal, and the mapping answers without it',
        ELSE_RULE,
      )
      given.isExact = false
    } else {
      given.body = stringifyJson(parsed.value)
      const { value } = parsed
      if (ignoreExtraElements === true && isObject(value))
        conditions.push(...memberConditions(value as never, 'request.body'))
      else conditions.push(`request.body == ${celValue(value)}`)
    }
  }
  if (matchesJsonPath !== undefined) {
    given.isExact = false
    const made = jsonPathConditions(matchesJsonPath, at, lose)
    if (made !== undefined) conditions.push(...made)
    else lose([...at, 'matchesJsonPath'], 'this JSONPath has no equal, and the mapping answers without it', ELSE_RULE)
  }
  if (Object.keys(others).length > 0) {
    given.isExact = false
    const hint = 'write a condition on a field of request.body'
    if ('equalTo' in others && !('fault' in parseJson(String(others.equalTo)))) {
      const parsed = parseJson(String(others.equalTo)) as { value: Json }
      conditions.push(`request.body == ${celValue(parsed.value)}`)
      given.body = String(others.equalTo)
    } else
      lose(
        at,
        `"${Object.keys(others).join('", "')}" looks at the text of a body, and the mapping answers without it`,
        hint,
      )
  }
  return conditions
}

function jsonPathConditions(given: unknown, at: Path, lose: Lose): string[] | undefined {
  const { expression, ...matcher } = isObject(given) ? given : { expression: given }
  const path = String(expression)
  const filter = /^\$(.*?)\[\?\(\s*@(.*?)\s*(==|!=|>=|<=|>|<)\s*('[^']*'|"[^"]*"|-?[\d.]+|true|false)\s*\)\]$/.exec(
    path,
  )
  if (filter !== null) {
    const [, before = '', member = '', operator, literal = ''] = filter
    const list = celOfJsonPath(`$${before}`, 'request.body')
    const value = /^['"]/.test(literal) ? celText(literal.slice(1, -1)) : literal
    const own = celOfJsonPath(`$${member}`, before === '' ? 'request.body' : 'e')
    if (list === undefined || own === undefined) return undefined
    return [before === '' ? `${own} ${operator} ${value}` : `${list}.exists(e, ${own} ${operator} ${value})`]
  }
  const value = celOfJsonPath(path, 'request.body')
  if (value === undefined) return undefined
  if (Object.keys(matcher).length === 0) {
    const last = /^(.*)\.(\w+)$/.exec(value)
    return last === null ? undefined : [`has(${value})`]
  }
  return textConditions(matcher, value, `has(${value})`, [...at, 'matchesJsonPath'], lose)
}

/** The states of scenarios, where they are one sequence. */
export class Scenarios {
  readonly #stubs: readonly Stub[]

  constructor(stubs: readonly Stub[]) {
    this.#stubs = stubs
  }

  /** Returns the conditions of a mapping's state: none without a scenario, `undefined` where it is no sequence. */
  conditionFor(stub: Stub, method: string, path: string): readonly string[] | undefined {
    if (stub.scenarioName === undefined || stub.requiredScenarioState === undefined) return []
    const own = this.#stubs.filter(one => one.scenarioName === stub.scenarioName)
    const chain = ['Started']
    const steps: Stub[] = []
    for (let state = 'Started'; ; ) {
      const from = own.filter(
        one => (one.requiredScenarioState ?? state) === state && one.newScenarioState !== undefined,
      )
      const next = from.filter(one => one.newScenarioState !== state)
      if (next.length === 0) break
      if (next.length > 1) return undefined
      const [step] = next as [Stub]
      steps.push(step)
      state = step.newScenarioState as string
      if (state === 'Started') break
      if (chain.includes(state)) return undefined
      chain.push(state)
    }
    const at = chain.indexOf(stub.requiredScenarioState)
    if (at === -1) return undefined
    const isRound = steps.length === chain.length
    const keyOf = ({ request }: Stub) => `${request.method} ${request.urlPath ?? request.url ?? request.urlPathPattern}`
    const isOwn = steps.every(one => keyOf(one) === keyOf(stub))
    if (isOwn) {
      if (isRound) return [`(nth - 1) % ${chain.length} == ${at}`]
      return [at === chain.length - 1 ? `nth > ${at}` : `nth == ${at + 1}`]
    }
    if (isRound) return undefined
    const conditions: string[] = []
    const countOf = (upTo: number) => {
      const step = steps[upTo - 1] as Stub
      const where = readUrl(step.request, () => {})
      if (where === undefined || where.path.includes('{')) return undefined
      const count = steps.slice(0, upTo).filter(one => keyOf(one) === keyOf(step)).length
      const id = operationIdOf(String(step.request.method), where.path)
      return { count, own: keyOf(step) === keyOf(stub), id, method, path }
    }
    if (at > 0) {
      const one = countOf(at)
      if (one === undefined) return undefined
      conditions.push(one.own ? `nth > ${one.count}` : `calls("${one.id}") >= ${one.count}`)
    }
    if (at < steps.length) {
      const one = countOf(at + 1)
      if (one === undefined) return undefined
      conditions.push(one.own ? `nth <= ${one.count}` : `calls("${one.id}") < ${one.count}`)
    }
    return conditions
  }
}
