// MockServer: expectations, as JSON.

import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { attempted } from '../../kernel/memo.ts'
import { asList, type ImportKind, RouteBook, readPart } from '../project/imported.ts'
import type { Members } from './matchers.ts'
import { hasShape, MOCKSERVER_EXPECTATION } from './shapes.ts'
import { addStub, namedBy, type Stub } from './stubs.ts'

type Expectation = Members & { readonly httpRequest: Members }

const isExpectation = (value: unknown): value is Expectation =>
  isObject(value) && isObject(value.httpRequest) && Object.keys(value).some(key => /^http(?!Request)/.test(key))

export const mockserver: ImportKind = {
  name: 'mockserver',
  what: 'expectations of MockServer',
  recognises: value => asList(value).some(isExpectation),
  read(files, report) {
    const book = new RouteBook()
    const settings: Record<string, Json> = {}
    const found = files.flatMap(({ source, readBeside }) => {
      const path = (i: number): Path => (Array.isArray(source.value) ? [i] : [])
      return asList(source.value).flatMap((one, i) =>
        isExpectation(one) && hasShape(MOCKSERVER_EXPECTATION, source, path(i), report)
          ? [{ source, readBeside, path: path(i), one }]
          : [],
      )
    })
    const priorityOf = ({ one }: { readonly one: Expectation }) => Number(one.priority ?? 0)
    found.sort((a, b) => priorityOf(b) - priorityOf(a))
    const named = namedBy(found.flatMap(({ one }) => attempted(() => stubOf(one, {})) ?? []))
    for (const { source, readBeside, path, one } of found) {
      const place = source.locate(path)
      const lose = (at: Path, what: string, hint: string) =>
        report.warning('not-imported', what, source.locate([...path, ...at]), hint)
      const { timeToLive } = one
      if (isObject(timeToLive) && timeToLive.unlimited !== true) {
        lose(['timeToLive'], 'an expectation does not end by itself', 'use times')
      }
      const response = responseOf(one)
      const reading = { named, book, settings, report, placeOf: () => place, readBeside }
      if (response !== undefined) readPart(() => addStub(stubOf(one, response), reading), place, report)
      else {
        const key = Object.keys(one).find(name => /^http(?!Request)/.test(name)) as string
        lose([key], `"${key}" has no equal, and the expectation is left out`, 'write its reply')
      }
    }
    return { title: 'Imported from MockServer', routes: book.routes, records: [], settings }
  },
}

function stubOf({ id, times, httpRequest }: Expectation, response: Members): Stub {
  const { method, path = '/', queryStringParameters, headers, cookies, pathParameters, body } = httpRequest
  const { parameters: form }: Members = isObject(body) && body.type === 'PARAMETERS' ? body : {}
  const written = textOf(path) ?? '(not)'
  const key = isLiteral(written.replace(/[{}]/g, ''))
    ? written.includes('{')
      ? 'urlPathTemplate'
      : 'urlPath'
    : 'urlPathPattern'
  return {
    ...(typeof id === 'string' ? { name: id } : {}),
    ...(isObject(times) && typeof times.remainingTimes === 'number' && times.unlimited !== true
      ? { times: times.remainingTimes }
      : {}),
    request: {
      ...(method === undefined || method === '' ? {} : { method: textOf(method) ?? method }),
      [key]: written,
      headers: matchersOf(headers),
      queryParameters: matchersOf(queryStringParameters),
      cookies: matchersOf(cookies),
      pathParameters: matchersOf(pathParameters),
      formParameters: matchersOf(form),
      bodyPatterns: body === undefined || form !== undefined ? [] : [bodyPatternOf(body)],
    },
    response,
  }
}

/** Returns a text, or the text in an object; `undefined` for "not this text". */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return isObject(value) && value.not !== true && value.value !== undefined ? String(value.value) : undefined
}

/** Whether a value that may be a pattern is a plain text. */
const isLiteral = (text: string): boolean => !/[\\^$|?*+()[\]{}]/.test(text)

/** The names and values of headers, in either of their two forms. */
function valuesByName(list: unknown): [string, unknown[]][] {
  if (!Array.isArray(list))
    return Object.entries(isObject(list) ? list : {}).map(([name, value]) => [name, asList(value)])
  return list.flatMap(one =>
    isObject(one) ? [[String(one.name), asList(one.values ?? one.value ?? [])] as [string, unknown[]]] : [],
  )
}

/** The matchers of a stub: a name or value after `!` must not be there. */
const matchersOf = (list: unknown): Members =>
  Object.fromEntries(
    valuesByName(list)
      .filter(([name]) => name !== 'keyMatchStyle')
      .map(([name, [value, ...others]]) => {
        if (name.startsWith('!')) return [name.slice(1), { absent: true }]
        const text = textOf(value) ?? (typeof value === 'object' ? '' : String(value))
        if (value === undefined || ['', '.*', '.+'].includes(text)) return [name, { absent: false }]
        const isNot = text.startsWith('!')
        const plain = isNot ? text.slice(1) : text
        const matcher = isLiteral(plain) ? { equalTo: plain } : { matches: plain }
        const more = others.length > 0 ? { 'list of values': others } : {}
        return [name, isNot ? { not: matcher } : { ...matcher, ...more }]
      }),
  )

function bodyPatternOf(body: unknown): Members {
  if (!isObject(body)) return { equalTo: String(body) }
  const { type, json = body, matchType, jsonPath } = body
  if (type === 'JSON_PATH') return { matchesJsonPath: jsonPath }
  if (type === 'REGEX') return { matches: body.regex }
  if (type === 'STRING') return { [body.subString === true ? 'contains' : 'equalTo']: body.string }
  if (typeof type === 'string' && type !== 'JSON') return { [type]: body }
  const isLoose = matchType !== 'STRICT'
  return { equalToJson: json, ignoreExtraElements: isLoose, ignoreArrayOrder: isLoose }
}

const UNITS: Readonly<Record<string, number>> = { MICROSECONDS: 0.001, SECONDS: 1000, MINUTES: 60_000 }

/** Returns the response in the form of WireMock; `undefined` for a template or a class, which are programs. */
function responseOf(one: Expectation): Members | undefined {
  const { httpResponse: response, httpForward, httpOverrideForwardedRequest, httpError } = one
  if (isObject(httpForward) || isObject(httpOverrideForwardedRequest)) {
    const { scheme = 'http', host, port } = (httpForward ?? {}) as Members
    const authority = [host, port].filter(part => part !== undefined).join(':')
    return authority === '' ? undefined : { proxyBaseUrl: `${String(scheme).toLowerCase()}://${authority}` }
  }
  if (isObject(httpError))
    return { fault: httpError.dropConnection === true ? 'EMPTY_RESPONSE' : 'RANDOM_DATA_THEN_CLOSE' }
  if (!isObject(response)) return undefined
  const { statusCode, headers, cookies, delay, body } = response
  const { timeUnit, value } = (isObject(delay) ? delay : {}) as Members
  const { contentType, type } = (isObject(body) ? body : {}) as Members
  const usual = contentType ?? (type === 'XML' ? 'application/xml' : undefined)
  const cookie = valuesByName(cookies).map(([name, [text]]) => `${name}=${textOf(text) ?? ''}`)
  return {
    ...(statusCode === undefined ? {} : { status: statusCode }),
    headers: {
      ...(usual === undefined ? {} : { 'content-type': usual }),
      ...Object.fromEntries(
        valuesByName(headers).map(([name, values]) => [name, values.map(text => textOf(text) ?? text)]),
      ),
      ...(cookie.length > 0 ? { 'set-cookie': cookie } : {}),
    },
    ...(value === undefined
      ? {}
      : { fixedDelayMilliseconds: Math.round(Number(value) * (UNITS[String(timeUnit)] ?? 1)) }),
    ...bodyParts(body),
  }
}

function bodyParts(body: unknown): Members {
  if (typeof body === 'string') return { body }
  if (!isObject(body)) return body === undefined ? {} : { jsonBody: body }
  const { type, json, string, xml, base64Bytes } = body
  if (type === 'BINARY') return { base64Body: String(base64Bytes ?? '') }
  if (type === 'STRING' || type === 'XML') return { body: String(string ?? xml ?? '') }
  const value = type === 'JSON' ? json : body
  return typeof value === 'string' ? { body: value } : { jsonBody: value }
}
