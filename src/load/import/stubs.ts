// Stubs: a request that is matched and the reply to it, in the form of WireMock. Files of other tools are brought into this form.

import { Buffer } from 'node:buffer'
import type { Diagnostics, Place } from '../../kernel/diagnostic.ts'
import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, parseJson, stringifyJson } from '../../kernel/json.ts'
import {
  celOfJsonPath,
  expandBlocks,
  isBeyondLinear,
  jsonOf,
  pathOfPattern,
  type TranslateHelper,
  translateText,
} from './handlebars.ts'
import {
  asList,
  celText,
  celValue,
  encodePairs,
  hasPart,
  type ImportedCase,
  ImportedFile,
  type ImportedTrial,
  METHODS_OF_PATHS,
  memberConditions,
  partOf,
  type RouteBook,
} from './imported.ts'

export type Members = Readonly<Record<string, unknown>>

export interface Stub {
  readonly name?: string
  readonly priority?: number
  readonly request: Members
  readonly response: Members
  readonly scenarioName?: string
  readonly requiredScenarioState?: string
  readonly newScenarioState?: string
  /** The number of requests that it answers. */
  readonly times?: number
}

/** Tells what cannot be carried over. */
export type Lose = (at: Path, what: string, hint: string) => void

/** The file of a stub, and where its parts are collected. */
export interface StubReading {
  readonly book: RouteBook
  /** Settings of the gateway. */
  readonly settings: Record<string, Json>
  readonly report: Diagnostics
  /** Returns the place of a part of the stub. */
  placeOf(at: Path): Place
  /** Returns a file that a response names: its bytes, or why it cannot be read. */
  readBeside(name: string): Uint8Array | string
  /** Returns the translation of the helpers in the templates of a path. */
  helperOf?(path: string): TranslateHelper
}

/** The methods of a stub for all methods. */
export const USUAL_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const RULE_HINT = 'see "Expressions" in docs/rules.md'

const noEqual = (matcher: string) => `this ${matcher} has no equal, and is ignored`

/** Adds the route of a stub, or its case to the route that is known. @param state further conditions */
export function addStub(stub: Stub, reading: StubReading, state: readonly string[] = []): void {
  const { book, report, settings, placeOf } = reading
  const lose: Lose = (at, what, hint) => report.warning('not-imported', what, placeOf(at), hint)
  const found = readRequest(stub.request, lose)
  if (found === undefined) return
  const { times, request, response } = stub
  if (typeof response.proxyBaseUrl === 'string') settings.upstream ??= { url: response.proxyBaseUrl }
  const { method: only = 'ANY' } = request
  const methods = only === 'ANY' ? USUAL_METHODS : METHODS_OF_PATHS.filter(one => one === only)
  if (methods.length === 0)
    lose(['request', 'method'], `the method "${only}" has no equal`, 'write one for each method')
  for (const method of methods) {
    const read = readResponse(response, found.path, lose, reading)
    book.add(method, found.path, report, {
      ...read,
      ...(times === undefined ? {} : { settings: { ...read.settings, times } }),
      name: stub.name ?? '',
      place: placeOf([]),
      when: [...found.when, ...state],
      trial: state.length > 0 ? undefined : found.trial,
    })
  }
}

interface Given {
  readonly headers: Record<string, string>
  readonly query: [string, string][]
  path: string
  body?: string
  /** Whether these make a request that the stub answers. */
  isExact: boolean
}

const PLACES = [
  ['queryParameters', 'query'],
  ['headers', 'headers'],
  ['cookies', 'cookies'],
  ['pathParameters', 'params'],
] as const

/** Returns the path and the conditions of the requests that a stub answers; `undefined` where they have no equal. */
function readRequest(request: Members, lose: Lose) {
  const where = readUrl(request, lose)
  if (where === undefined) return undefined
  const given: Given = { headers: {}, query: [...where.query], path: where.path, isExact: true }
  const when = [...where.when]
  const { username, password } = (request.basicAuthCredentials ?? {}) as Members
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const authorization = username === undefined ? {} : { authorization: { equalTo: basic } }
  for (const [key, place] of PLACES) {
    const matchers = { ...(request[key] as Members), ...(place === 'headers' ? authorization : {}) }
    for (const [name, matcher] of Object.entries(matchers)) {
      const value = partOf(place, name)
      when.push(...textConditions(matcher, value, hasPart(place, name), ['request', key, name], lose))
      const { equalTo, absent }: Members = isObject(matcher) ? matcher : { equalTo: matcher }
      const equal = String(equalTo)
      if (equalTo === undefined) given.isExact &&= absent === true
      else if (place === 'query') given.query.push([name, equal])
      else if (place === 'headers') given.headers[name.toLowerCase()] = equal
      else if (place === 'params') given.path = given.path.replace(`{${name}}`, () => encodeURIComponent(equal))
      else given.headers.cookie = [given.headers.cookie, `${name}=${equal}`].filter(Boolean).join('; ')
    }
  }
  for (const key of ['multipartPatterns', 'customMatcher', 'formParameters', 'host', 'clientIp', 'scheme', 'port']) {
    if (request[key] === undefined) continue
    lose(['request', key], noEqual(key), RULE_HINT)
  }
  const patterns = Array.isArray(request.bodyPatterns) ? request.bodyPatterns : []
  patterns.forEach((pattern, i) => {
    if (isObject(pattern)) when.push(...bodyConditions(pattern, ['request', 'bodyPatterns', i], lose, given))
  })
  const { path, query, headers, body, isExact } = given
  // Any value fits a parameter without conditions.
  const isWhole = isExact && (where.when.length === 0 || !path.includes('{'))
  const trial: ImportedTrial | undefined = isWhole ? { path, query: encodePairs(query), headers, body } : undefined
  return { path: where.path, when, trial }
}

/** Returns the path that a stub answers, and what the rest of its URL demands. */
export function readUrl(request: Members, lose: Lose) {
  const { url, urlPath, urlPattern, urlPathPattern, urlPathTemplate } = request
  if (typeof urlPathTemplate === 'string') return { path: urlPathTemplate, when: [], query: [] }
  const exact = urlPath ?? url
  if (typeof exact === 'string') {
    const [path = '/', search = ''] = exact.split('?', 2)
    const query = [...new URLSearchParams(search)] as [string, string][]
    const when = query.map(([name, value]) => `${partOf('query', name)} == ${celText(value)}`)
    // It is no template, so braces in it are encoded.
    return { path: path.replaceAll('{', '%7B').replaceAll('}', '%7D'), when, query }
  }
  const pattern = urlPathPattern ?? urlPattern
  const key = urlPathPattern === undefined ? 'urlPattern' : 'urlPathPattern'
  const none = (what: string): undefined => {
    lose(['request', key], what, 'write a path for each')
  }
  if (typeof pattern !== 'string') return none('a reply to every URL has no equal')
  if (isBeyondLinear(pattern)) return none('this pattern looks around or back, which no linear engine can do')
  const [path = '', search = '.*'] = key === 'urlPattern' ? pattern.split('\\?', 2) : [pattern]
  const made = pathOfPattern(path)
  if (made === undefined) return none('this pattern matches no fixed number of segments')
  if (!/^\.[*+]$/.test(search)) none('the part of the pattern after "?" is not carried over')
  return { ...made, query: [] }
}

/** Returns the conditions of a matcher of texts. */
function textConditions(matcher: unknown, value: string, present: string, at: Path, lose: Lose): string[] {
  if (!isObject(matcher)) return [`${value} == ${celText(String(matcher))}`]
  const { caseInsensitive, ...rest } = matcher
  const subject = caseInsensitive === true ? `${value}.lowerAscii()` : value
  const inner = (one: unknown) => allOf(textConditions(one, value, present, at, lose))
  return Object.entries(rest).flatMap(([operator, given]) => {
    const text = celText(caseInsensitive === true ? String(given).toLowerCase() : String(given))
    const list = Array.isArray(given) ? given.map(inner) : []
    if (operator === 'equalTo') return `${subject} == ${text}`
    if (operator === 'contains') return `${subject}.contains(${text})`
    if (operator === 'doesNotContain') return `!(${present}) || !${subject}.contains(${text})`
    if (operator === 'absent') return given === true ? `!(${present})` : present
    if (operator === 'or') return list.join(' || ')
    if (operator === 'and') return list
    if (operator === 'not') return `!(${inner(given)})`
    if ((operator === 'matches' || operator === 'doesNotMatch') && !isBeyondLinear(String(given))) {
      const matches = `${value}.matches(${celText(`^(?:${given})$`)})`
      return operator === 'matches' ? matches : `!(${present}) || !${matches}`
    }
    lose([...at, operator], noEqual(operator), RULE_HINT)
    return []
  })
}

const allOf = (conditions: readonly string[]): string =>
  conditions.length === 1 ? (conditions[0] as string) : conditions.map(one => `(${one})`).join(' && ') || 'true'

/** Returns the conditions of a pattern of the body. */
function bodyConditions(pattern: Members, at: Path, lose: Lose, given: Given): string[] {
  const { equalTo, equalToJson = equalTo, matchesJsonPath, ignoreArrayOrder, ignoreExtraElements, ...others } = pattern
  const conditions: string[] = []
  const parsed = typeof equalToJson === 'string' ? parseJson(equalToJson) : { value: equalToJson as Json | undefined }
  let lost = matchesJsonPath === undefined ? '' : 'matchesJsonPath'
  if ('fault' in parsed) Object.assign(others, { equalTo: equalToJson })
  else if (parsed.value !== undefined) {
    const { value } = parsed
    if (ignoreArrayOrder === true || stringifyJson(value).includes('${json-unit')) lost = 'equalToJson'
    else if (ignoreExtraElements === true && isObject(value)) {
      conditions.push(...memberConditions(value as JsonObject, 'request.body'))
    } else conditions.push(`request.body == ${celValue(value)}`)
    given.body = stringifyJson(value)
  }
  for (const key of Object.keys(others)) lose([...at, key], noEqual(key), RULE_HINT)
  const made = lost === 'matchesJsonPath' ? jsonPathConditions(matchesJsonPath, [...at, lost], lose) : undefined
  if (lost !== '' && made === undefined) lose([...at, lost], noEqual(lost), RULE_HINT)
  given.isExact &&= lost === '' && Object.keys(others).length === 0
  return [...conditions, ...(made ?? [])]
}

function jsonPathConditions(given: unknown, at: Path, lose: Lose): string[] | undefined {
  const { expression, ...matcher } = isObject(given) ? given : { expression: given }
  const path = String(expression)
  const filter =
    /^\$(.*?)\[\?\(\s*@(.*?)\s*(==|!=|>=|<=|>|<|=~)\s*('[^']*'|"[^"]*"|\/.*\/i?|-?[\d.]+|true|false)\s*\)\]$/.exec(path)
  if (filter !== null) {
    const [, before = '', member = '', operator, literal = ''] = filter
    const list = celOfJsonPath(`$${before}`, 'request.body')
    const value = /^['"]/.test(literal) ? celText(literal.slice(1, -1)) : literal
    const own = celOfJsonPath(`$${member}`, before === '' ? 'request.body' : 'e')
    if (list === undefined || own === undefined) return undefined
    const pattern = operator === '=~' ? `^(?:${literal.replace(/^\/|\/i?$/g, '')})$` : ''
    if (isBeyondLinear(pattern)) return undefined
    const isAnyCase = literal.endsWith('/i') ? '(?i)' : ''
    const test = pattern === '' ? `${own} ${operator} ${value}` : `${own}.matches(${celText(isAnyCase + pattern)})`
    // A filter of an object looks at the object.
    return [before === '' ? test : `(type(${list}) == list ? ${list} : [${list}]).exists(e, ${test})`]
  }
  const value = celOfJsonPath(path, 'request.body')
  if (value === undefined) return undefined
  // CEL can ask for the presence of a field whose name is a word.
  const present = /\.\w+$/.test(value) ? `has(${value})` : undefined
  if (Object.keys(matcher).length > 0) return textConditions(matcher, value, present ?? 'true', at, lose)
  return present === undefined ? undefined : [present]
}

const FAULTS: Readonly<Record<string, string>> = {
  EMPTY_RESPONSE: 'close',
  CONNECTION_RESET_BY_PEER: 'reset',
  RANDOM_DATA_THEN_CLOSE: 'garbage',
  MALFORMED_RESPONSE_CHUNK: 'truncate',
}

/** Reads a response of WireMock, whose texts may be templates. */
export function readResponse(
  response: Members,
  path: string,
  lose: Lose,
  { readBeside, helperOf, book }: Pick<StubReading, 'readBeside' | 'helperOf' | 'book'>,
): Pick<ImportedCase, 'status' | 'headers' | 'type' | 'body' | 'settings'> {
  const settings: Record<string, Json> = {}
  const headers: Record<string, string> = {}
  let type: string | undefined
  const transformers = asList(response.transformers ?? [])
  const translate = transformers.includes('response-template') ? helperOf?.(path) : undefined
  for (const one of transformers.filter(one => one !== 'response-template')) {
    lose(['response', 'transformers'], `the transformer "${one}" is a program, which is not run`, 'write its reply')
  }
  const lost = (found: string) => {
    if (!book.isNew(/[#/]?\w+/.exec(found)?.[0] ?? found)) return
    lose(['response'], `${found} has no equal: of a block its first part is left, else nothing`, RULE_HINT)
  }
  const filled = (text: string) => translateText(text, translate, lost)
  for (const [name, value] of Object.entries(isObject(response.headers) ? response.headers : {})) {
    const field = name.toLowerCase()
    const text = asList(value).join(', ')
    if (field === 'content-type') type = text
    else if (!/^(?:|content-length|transfer-encoding|connection|date|matched-stub-.*)$/.test(field)) {
      headers[field] = filled(text)
    }
  }
  const { chunkedDribbleDelay, delayDistribution, fault, proxyBaseUrl } = response
  const { totalDuration }: Members = isObject(chunkedDribbleDelay) ? chunkedDribbleDelay : {}
  const { fixedDelayMilliseconds: delay = totalDuration } = response
  if (Number(delay) > 0) settings.latency = { fixed: `${delay}ms` }
  else if (isObject(delayDistribution)) settings.latency = distributionOf(delayDistribution)
  if (typeof fault === 'string') settings.fault = { kind: FAULTS[fault] ?? 'reset' }
  if (typeof proxyBaseUrl === 'string') settings.respond = { forward: {} }
  return { status: Number(response.status ?? 200), headers, settings, ...contentOf() }

  function contentOf(): Pick<ImportedCase, 'type' | 'body'> {
    const { jsonBody, body, base64Body, bodyFileName } = response
    if (/^(?:204|304)$/.test(String(response.status))) return {}
    if (jsonBody !== undefined) return textual(stringifyJson(jsonBody), type ?? 'application/json')
    if (typeof base64Body === 'string') return kept('body.bin', Buffer.from(base64Body, 'base64'))
    if (typeof bodyFileName === 'string') {
      const bytes = readBeside(bodyFileName)
      if (typeof bytes !== 'string') return kept(bodyFileName, bytes)
      lose(['response', 'bodyFileName'], bytes, 'put the file there')
    }
    if (typeof body === 'string' && body !== '') return textual(body, type)
    // A refusal would get the body of a problem.
    return Number(response.status) < 400 ? {} : { type: 'text/plain', body: '' }
  }

  function kept(name: string, bytes: Uint8Array): Pick<ImportedCase, 'type' | 'body'> {
    const text = Buffer.from(bytes).toString()
    const isText = translate || /json|text|xml/.test(`${type} ${name.replace(/\.(?:txt|html?)$/, 'text')}`)
    if (isText && !/[\uFFFD\0]/.test(text)) return textual(text, type)
    return { type: type ?? 'application/octet-stream', body: new ImportedFile(name.replace(/[^\w.-]+/g, '-'), bytes) }
  }

  /** A text that is JSON becomes its value. */
  function textual(given: string, known: string | undefined): Pick<ImportedCase, 'type' | 'body'> {
    const text = translate ? expandBlocks(given, lost) : given
    const isJson = known === undefined ? /^\s*(?:\[|\{(?!\{))/.test(text) : /json/.test(known)
    const value = isJson ? jsonOf(text, translate, lost) : undefined
    if (value !== undefined) return { type: known ?? 'application/json', body: value }
    if (isJson && known) lose(['response'], 'this body is no JSON, and is sent as text/plain', 'correct it')
    return { type: isJson || known === undefined ? 'text/plain' : known, body: filled(text) }
  }
}

function distributionOf(given: Members): JsonObject {
  const { type, median, sigma, lower, upper, milliseconds } = given as Record<string, number>
  if (String(type) === 'uniform') return { uniform: { min: `${lower}ms`, max: `${upper}ms` } }
  if (String(type) === 'fixed') return { fixed: `${milliseconds}ms` }
  // The 99th percentile of a log-normal distribution is 2.326 deviations above its median.
  const p99 = Math.round((median as number) * Math.exp(2.326 * (sigma as number)))
  return { lognormal: { p50: `${median}ms`, p99: `${p99}ms` } }
}
