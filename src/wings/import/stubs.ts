// Stubs: a request that is matched and the reply to it, in the form of WireMock. Files of other tools are brought into this form.

import { Buffer } from 'node:buffer'
import { nameless } from '../../contract/paths.ts'
import type { Diagnostics, Place } from '../../kernel/diagnostic.ts'
import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, memberAt, stringifyJson } from '../../kernel/json.ts'
import { attempted } from '../../kernel/memo.ts'
import { LinearPattern } from '../../kernel/pattern.ts'
import {
  expandBlocks,
  isBeyondLinear,
  jsonOf,
  pathOfPattern,
  type TranslateHelper,
  translateText,
} from '../project/handlebars.ts'
import {
  asList,
  celText,
  encodePairs,
  hasPart,
  type ImportedCase,
  ImportedFile,
  METHODS_OF_PATHS,
  partOf,
  type RouteBook,
} from '../project/imported.ts'
import { BEYOND, bodyConditions, type Lose, loseMatcher, type Members, RULE_HINT, textConditions } from './matchers.ts'

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

/** The file of a stub, and where its parts are collected. */
export interface StubReading {
  /** The methods and paths that the stubs name. */
  readonly named: ReturnType<typeof namedBy>
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

/** Parts of mappings that the import reports and leaves out. */
const WITHOUT_EQUAL: readonly Path[] = [
  ...['postServeActions', 'serveEventListeners'].map(key => [key]),
  ...['additionalProxyRequestHeaders', 'removeProxyRequestHeaders', 'proxyUrlPrefixToRemove'].map(key => [
    'response',
    key,
  ]),
]

const methodsOf = ({ method = 'ANY' }: Members): readonly string[] =>
  method === 'ANY' ? USUAL_METHODS : METHODS_OF_PATHS.filter(one => one === method)

/** Returns the methods and paths that stubs name. */
export function namedBy(stubs: readonly Pick<Stub, 'request'>[]) {
  const all = stubs.flatMap(({ request }) => {
    const { path } = readUrl(request, () => {})
    return path === undefined ? [] : methodsOf(request).map(method => ({ method, path }))
  })
  return [...new Map(all.map(one => [`${one.method} ${nameless(one.path)}`, one])).values()]
}

/**
 * Adds the route of a stub, or its case to the route that is known. A request reaches one route, so that the case is added to
 * those of other stubs too whose paths its pattern matches.
 */
export function addStub(stub: Stub, { book, report, settings, placeOf, named, ...reading }: StubReading): void {
  const lose: Lose = (at, what, hint) => report.warning('not-imported', what, placeOf(at), hint)
  const { name = '', times, request, response, scenarioName, requiredScenarioState, newScenarioState } = stub
  const methods = methodsOf(request)
  if (methods.length === 0)
    lose(['request', 'method'], `the method "${request.method}" has no equal`, 'write one for each method')
  const { path: own, pattern, lost, inPath, ...url } = readUrl(request, lose)
  const matcher = pattern === undefined ? undefined : attempted(() => new LinearPattern(`^(?:${pattern})$`))
  const others = named.filter(
    ({ method, path }) => methods.includes(method) && matcher?.test(path) && nameless(path) !== nameless(own ?? ''),
  )
  if (lost !== undefined) {
    const where = others.length > 0 ? ': it answers where others name the path' : ''
    lose(['request', keyOfPattern(request)], lost + where, 'write a path for each')
  } else if (own?.includes('{') && matcher?.test(own.replace(/\{[^}]*\}/g, 'a/b')) && book.isNew('segments')) {
    lose(
      ['request', keyOfPattern(request)],
      'a parameter of a path is one segment, here and in other mappings',
      'write a path for each number of segments',
    )
  }
  for (const path of WITHOUT_EQUAL) {
    const given = memberAt(stub, path)
    if (given !== undefined && stringifyJson(given) !== '[]')
      lose(path, `"${path.at(-1)}" has no equal`, 'see docs/forwarding.md')
  }
  const found = readRequest(request, own ?? '', url, lose)
  if (scenarioName !== undefined && requiredScenarioState !== undefined)
    found.when.push(`scenario(${celText(scenarioName)}) == ${celText(stateOf(requiredScenarioState))}`)
  const enter = scenarioName && newScenarioState && { [scenarioName]: stateOf(newScenarioState) }
  const { proxyBaseUrl } = response
  if (typeof proxyBaseUrl === 'string') {
    settings.upstream ??= { url: proxyBaseUrl }
    const { url } = settings.upstream as JsonObject
    if (url !== proxyBaseUrl)
      lose(['response', 'proxyBaseUrl'], `there is one upstream: ${url} gets these requests`, 'forward them there')
  }
  const routes = [...(own === undefined ? [] : methods.map(method => ({ method, path: own }))), ...others]
  for (const { method, path } of routes) {
    const isOwn = path === own
    const read = readResponse(response, path, lose, { book, ...reading })
    const when = isOwn ? [...inPath, ...found.when] : found.when
    const used = stringifyJson([when, read.headers, read.body instanceof ImportedFile || (read.body ?? null)])
    // Another path may have no such parameter.
    if (!isOwn && used.includes('request.params.')) continue
    const more = { ...(times && { times }), ...(enter && { enter }), ...read.settings }
    // Any value fits a parameter without conditions, and the first state is that of a new world.
    const isTried = isOwn && inPath.length === 0 && !stateOf(requiredScenarioState)
    book.add(method, path, isOwn ? report : undefined, {
      ...read,
      settings: more,
      name,
      place: placeOf([]),
      when,
      trial: isTried ? found.trial : undefined,
    })
  }
}

/** The first state of a scenario has a name there, and is empty here. */
const stateOf = (state = ''): string => (state === 'Started' ? '' : String(state))

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
  ['formParameters', 'body'],
] as const

/** Returns the conditions of the requests that a stub answers, without those of its path. */
function readRequest(request: Members, at: string, url: Pick<StubUrl, 'query' | 'when'>, lose: Lose) {
  const isExact = url.when.length === url.query.length
  const given: Given = { headers: {}, query: [...url.query], path: at, isExact }
  const when = [...url.when]
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
      if (equalTo === undefined || place === 'body') given.isExact &&= absent === true
      else if (place === 'query') given.query.push([name, equal])
      else if (place === 'headers') given.headers[name.toLowerCase()] = equal
      else if (place === 'params') given.path = given.path.replace(`{${name}}`, () => encodeURIComponent(equal))
      else given.headers.cookie = [given.headers.cookie, `${name}=${equal}`].filter(Boolean).join('; ')
    }
  }
  for (const key of ['multipartPatterns', 'customMatcher', 'host', 'clientIp', 'scheme', 'port']) {
    if (request[key] !== undefined) loseMatcher(key, ['request', key], lose)
  }
  const patterns = Array.isArray(request.bodyPatterns) ? request.bodyPatterns : []
  patterns.forEach((pattern, i) => {
    if (!isObject(pattern)) return
    const made = bodyConditions(pattern, ['request', 'bodyPatterns', i], lose)
    when.push(...made.when)
    given.body = made.body ?? given.body
    given.isExact &&= made.isExact
    if (made.isText) given.headers['content-type'] ??= 'text/plain'
  })
  const { path, query, headers, body } = given
  const trial = given.isExact ? { path, query: encodePairs(query), headers, body } : undefined
  return { when, trial }
}

interface StubUrl {
  /** The path that the stub answers; `undefined` where it has no equal. */
  readonly path?: string | undefined
  /** Matches the paths that the stub answers, unless it is one. */
  readonly pattern?: string
  /** Why the path has no equal. */
  readonly lost?: string | undefined
  /** The conditions of the parameters in the path. */
  readonly inPath: readonly string[]
  /** The conditions of the query, and its values where they are plain texts. */
  readonly when: readonly string[]
  readonly query: readonly [string, string][]
}

const ANY_URL = { inPath: [], when: [], query: [] }

const keyOfPattern = ({ urlPathPattern }: Members) => (urlPathPattern === undefined ? 'urlPattern' : 'urlPathPattern')

function readUrl(request: Members, lose: Lose): StubUrl {
  const { url, urlPath = url, urlPattern, urlPathPattern = urlPattern, urlPathTemplate } = request
  if (typeof urlPathTemplate === 'string') {
    const pattern = urlPathTemplate.replace(/[\\^$.|?*+()[\]]/g, '\\$&').replace(/\{[^}]*\}/g, '[^/]+')
    return { ...ANY_URL, path: urlPathTemplate, pattern }
  }
  if (typeof urlPath === 'string') {
    const [path = '/', search = ''] = urlPath.split('?', 2)
    const query = [...new URLSearchParams(search)] as [string, string][]
    const when = query.map(([name, value]) => `${partOf('query', name)} == ${celText(value)}`)
    // It is no template, so braces in it are encoded.
    return { path: path.replaceAll('{', '%7B').replaceAll('}', '%7D'), inPath: [], when, query }
  }
  if (typeof urlPathPattern !== 'string')
    return { ...ANY_URL, pattern: '.*', lost: 'a reply to every URL has no equal' }
  if (isBeyondLinear(urlPathPattern)) return { ...ANY_URL, lost: BEYOND }
  const key = keyOfPattern(request)
  const [pattern = '', search = '.*'] = key === 'urlPattern' ? urlPathPattern.split('\\?', 2) : [urlPathPattern]
  const parts = /^\.[*+]$/.test(search) ? [] : search.replace(/\$$/, '').split('&')
  const values = parts.map(part => /^([\w.-]+)=(.+)$/.exec(part) ?? [])
  const when = values.flatMap(([, name, matches]): string[] => {
    if (name !== undefined) return textConditions({ matches }, partOf('query', name), 'true', ['request', key], lose)
    lose(['request', key], 'the part of the pattern after "?" is not carried over', 'write queryParameters')
    return []
  })
  const made = pathOfPattern(pattern)
  const lost = made === undefined ? 'this pattern matches no fixed number of segments' : undefined
  return { path: made?.path, inPath: made?.when ?? [], when, query: [], pattern, lost }
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
  else if (isObject(delayDistribution)) {
    const latency = distributionOf(delayDistribution)
    if (/undefined|NaN/.test(stringifyJson(latency)))
      loseMatcher('distribution', ['response', 'delayDistribution'], lose)
    else settings.latency = latency
  }
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
      return { type: 'text/plain', body: '' }
    }
    if (typeof body === 'string' && body !== '') return textual(body, type)
    if (type !== undefined && !type.includes('json')) return { type, body: '' }
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
