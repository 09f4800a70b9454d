// MockServer: expectations, as JSON.

import { Buffer } from 'node:buffer'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, parseJson, stringifyJson } from '../../kernel/json.ts'
import { celOfJsonPath, isBeyondLinear, jsonOf, pathOfPattern } from './handlebars.ts'
import {
  celText,
  celValue,
  compileShape,
  type ForeignFile,
  hasPart,
  ImportedFile,
  type ImportKind,
  METHODS_OF_PATHS,
  memberConditions,
  partOf,
  plainTemplate,
  RouteBook,
  shapeOfObject,
} from './imported.ts'

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])
const isExpectation = (value: unknown): boolean =>
  isObject(value) && isObject(value.httpRequest) && Object.keys(value).some(key => /^http(?!Request)/.test(key))

export const mockserver: ImportKind = {
  name: 'mockserver',
  what: 'expectations of MockServer',
  recognises: value => asList(value).some(isExpectation),
  read(files, report) {
    const book = new RouteBook()
    const settings: Record<string, Json> = {}
    const found = files.flatMap(file =>
      asList(file.source.value).map((one, i) => ({
        file,
        path: (Array.isArray(file.source.value) ? [i] : []) as Path,
        one,
      })),
    )
    const ordered = found.filter(({ one }) => isExpectation(one)).sort((a, b) => priorityOf(b.one) - priorityOf(a.one))
    for (const { file, path, one } of ordered) {
      if (!fits(one, path, file.source, report)) continue
      readExpectation(one as Members, { file, path, report, book, settings })
    }
    return { title: 'Imported from MockServer', routes: book.routes, records: [], settings }
  },
}

const TEXTUAL = { type: ['string', 'object'] }
const FIELDS = { type: ['array', 'object'] }
const fits = compileShape(
  shapeOfObject({
    priority: { type: 'number' },
    httpRequest: shapeOfObject({
      method: TEXTUAL,
      path: TEXTUAL,
      queryStringParameters: FIELDS,
      headers: FIELDS,
      cookies: FIELDS,
    }),
    httpResponse: shapeOfObject({
      statusCode: { type: 'integer', minimum: 200, maximum: 599 },
      headers: FIELDS,
      cookies: FIELDS,
    }),
    httpForward: { type: 'object' },
  }),
  'expectation',
)

type Members = Readonly<Record<string, unknown>>

const priorityOf = (expectation: unknown): number => Number((expectation as { priority?: number }).priority ?? 0)

interface ExpectationReading {
  readonly file: ForeignFile
  readonly path: Path
  readonly report: Diagnostics
  readonly book: RouteBook
  readonly settings: Record<string, Json>
}

function readExpectation(one: Members, { file, path, report, book, settings }: ExpectationReading): void {
  const lose = (at: Path, what: string, hint: string) =>
    report.warning('not-imported', what, file.source.locate([...path, ...at]), hint)
  const request = one.httpRequest as Members
  const { method, queryStringParameters, headers, cookies, body } = request
  const written = textOf(request.path) ?? '/'
  if (/\{/.test(written) && request.pathParameters === undefined && !/[\\(]/.test(written)) {
    lose(['httpRequest', 'path'], 'the braces of this path are read as parameters', 'encode them: %7B')
  }
  const isTemplate = /^[^\\()[\]*+?|^$]*$/.test(written)
  const where = isTemplate
    ? { path: written, when: [] as string[] }
    : isBeyondLinear(written)
      ? undefined
      : pathOfPattern(written)
  if (
    where === undefined ||
    (method !== undefined && !(METHODS_OF_PATHS as readonly (string | undefined)[]).includes(textOf(method)))
  ) {
    lose(
      ['httpRequest', 'path'],
      'this pattern of paths has no equal, and the expectation is left out',
      'write the path as a template',
    )
    return
  }
  const when = [...where.when]
  const given = {
    headers: {} as Record<string, string>,
    query: [] as [string, string][],
    body: undefined as string | undefined,
    exact: !where.path.includes('{'),
  }
  const add = (
    list: unknown,
    key: string,
    place: 'query' | 'headers' | 'cookies',
    keep: (name: string, value: string) => void,
  ) => {
    for (const [name, values] of fieldsOfMatcher(list)) {
      const isNot = name.startsWith('!')
      const plain = isNot ? name.slice(1) : name
      const [value] = values
      if (isNot) when.push(`!(${hasPart(place, plain)})`)
      else if (value === undefined || value === '.*' || value === '.+') when.push(hasPart(place, plain))
      else if (value.startsWith('!')) when.push(`!${textCondition(partOf(place, plain), value.slice(1))}`)
      else if (isBeyondLinear(value))
        lose(
          ['httpRequest', key],
          `the pattern of "${plain}" has no equal`,
          'write a condition for the rule: see docs/rules.md',
        )
      else when.push(textCondition(partOf(place, plain), value))
      if (isNot || value === undefined || !isLiteral(value)) given.exact = false
      else keep(plain, value)
    }
  }
  add(queryStringParameters, 'queryStringParameters', 'query', (name, value) => given.query.push([name, value]))
  add(headers, 'headers', 'headers', (name, value) => {
    given.headers[name.toLowerCase()] = value
  })
  add(cookies, 'cookies', 'cookies', () => {
    given.exact = false
  })
  const ofBody = bodyCondition(body, given)
  if (ofBody === undefined)
    lose(
      ['httpRequest', 'body'],
      'this matcher of the body has no equal, and the expectation answers without it',
      'write a condition on request.body',
    )
  else when.push(...ofBody)
  const { times, timeToLive } = one
  if (isObject(timeToLive) && timeToLive.unlimited !== true)
    lose(['timeToLive'], 'an expectation does not end by itself', 'use times')
  const more: Record<string, Json> = {}
  if (isObject(times) && times.unlimited !== true && typeof times.remainingTimes === 'number')
    more.times = times.remainingTimes
  const methods = method === undefined ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] : [String(textOf(method))]
  const reply = expectedReply(one, lose, settings)
  if (reply === undefined) return
  for (const verb of methods) {
    const route = book.at(verb, where.path)
    const query = given.query.map(pair => pair.map(encodeURIComponent).join('=')).join('&')
    const trial =
      given.exact && more.times === undefined
        ? { path: where.path, query, headers: given.headers, ...(given.body === undefined ? {} : { body: given.body }) }
        : undefined
    route.cases.push({
      ...reply,
      settings: { ...reply.settings, ...more },
      name: textOf(one.id) ?? '',
      place: file.source.locate(path),
      when,
      trial,
    })
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : isObject(value) && typeof value.value === 'string' && value.not !== true
      ? value.value
      : undefined

/** Whether a value that may be a pattern is a plain text. */
const isLiteral = (text: string): boolean => !/[\\^$|?*+()[\]{}]/.test(text)

const textCondition = (subject: string, value: string): string =>
  isLiteral(value) ? `${subject} == ${celText(value)}` : `${subject}.matches(${celText(`^(?:${value})$`)})`

/** The names and values of headers, in either of their two forms. */
function fieldsOfMatcher(list: unknown): [string, string[]][] {
  if (Array.isArray(list)) {
    return list.flatMap(one =>
      isObject(one)
        ? [[String(one.name), asList(one.values ?? one.value ?? []).map(String)] as [string, string[]]]
        : [],
    )
  }
  if (!isObject(list)) return []
  return Object.entries(list)
    .filter(([name]) => name !== 'keyMatchStyle')
    .map(([name, value]) => [name, asList(value).map(one => textOf(one) ?? String(isObject(one) ? '.*' : one))])
}

/** Returns the conditions of a matcher of the body, `undefined` where it has no equal. */
function bodyCondition(body: unknown, given: { body: string | undefined; exact: boolean }): string[] | undefined {
  if (body === undefined) return []
  if (typeof body === 'string') {
    const parsed = parseJson(body)
    if ('fault' in parsed) return undefined
    given.body = body
    return [`request.body == ${celValue(parsed.value)}`]
  }
  if (!isObject(body)) return undefined
  const { type, json, matchType, jsonPath } = body
  if (type === 'JSON' || (type === undefined && json === undefined) || json !== undefined) {
    const written = json ?? (type === undefined ? body : undefined)
    const parsed = typeof written === 'string' ? parseJson(written) : { value: written as Json }
    if ('fault' in parsed || written === undefined) return undefined
    given.body = stringifyJson(parsed.value)
    const isPartial = matchType !== 'STRICT' && isObject(parsed.value)
    return isPartial
      ? memberConditions(parsed.value as JsonObject, 'request.body')
      : [`request.body == ${celValue(parsed.value)}`]
  }
  given.exact = false
  if (type !== 'JSON_PATH') return undefined
  const value = celOfJsonPath(String(jsonPath), 'request.body')
  return value === undefined || !/\.\w+$/.test(value) ? undefined : [`has(${value})`]
}

function expectedReply(
  one: Members,
  lose: (at: Path, what: string, hint: string) => void,
  settings: Record<string, Json>,
) {
  const more: Record<string, Json> = {}
  const response = one.httpResponse
  if (isObject(one.httpForward) || isObject(one.httpOverrideForwardedRequest)) {
    const { host, port, scheme } = (one.httpForward ?? {}) as Record<string, unknown>
    if (host !== undefined)
      settings.upstream ??= {
        url: `${String(scheme ?? 'http').toLowerCase()}://${host}${port === undefined ? '' : `:${port}`}`,
      }
    return { status: 200, headers: {}, settings: { respond: { forward: {} } } as JsonObject }
  }
  if (isObject(one.httpError)) {
    const { dropConnection } = one.httpError
    return {
      status: 200,
      headers: {},
      settings: { fault: { kind: dropConnection === true ? 'close' : 'garbage' } } as JsonObject,
    }
  }
  if (!isObject(response)) {
    const key = Object.keys(one).find(name => /^http(?!Request)/.test(name)) ?? 'httpResponse'
    lose([key], `"${key}" is a program, which is not run, and the expectation is left out`, 'write its reply')
    return undefined
  }
  const headers: Record<string, string> = {}
  let type: string | undefined
  for (const [name, values] of fieldsOfMatcher(response.headers)) {
    if (name.toLowerCase() === 'content-type') type = values.join(', ')
    else if (!/^(?:content-length|connection|transfer-encoding)$/i.test(name))
      headers[name.toLowerCase()] = plainTemplate(values.join(', '))
  }
  for (const [name, values] of fieldsOfMatcher(response.cookies)) headers['set-cookie'] = `${name}=${values[0] ?? ''}`
  if (isObject(response.delay)) {
    const { timeUnit = 'MILLISECONDS', value } = response.delay
    const unit = { MILLISECONDS: 'ms', SECONDS: 's', MINUTES: 'min', MICROSECONDS: 'us' }[String(timeUnit)] ?? 'ms'
    more.latency = { fixed: unit === 'us' ? '1ms' : `${value}${unit}` }
  }
  const status = Number(response.statusCode ?? 200)
  const { body } = response
  const base = { status, headers, settings: more as JsonObject }
  if (body === undefined) return { ...base, type }
  if (typeof body === 'string') {
    const value = type === undefined || /json/.test(type) ? jsonOf(body) : undefined
    return value !== undefined && typeof value === 'object'
      ? { ...base, type: type ?? 'application/json', body: value }
      : { ...base, type: type ?? 'text/plain', body: plainTemplate(body) }
  }
  if (isObject(body)) {
    const { type: kind, contentType } = body
    const own = type ?? (typeof contentType === 'string' ? contentType : undefined)
    if (kind === 'BINARY')
      return {
        ...base,
        type: own ?? 'application/octet-stream',
        body: new ImportedFile('body.bin', Buffer.from(String(body.base64Bytes ?? ''), 'base64')),
      }
    if (kind === 'STRING' || kind === 'XML')
      return {
        ...base,
        type: own ?? (kind === 'XML' ? 'application/xml' : 'text/plain'),
        body: plainTemplate(String(body.string ?? body.xml ?? '')),
      }
    const json = kind === 'JSON' ? body.json : body
    const value = typeof json === 'string' ? jsonOf(json) : jsonOf(stringifyJson(json))
    return { ...base, type: own ?? 'application/json', body: value ?? null }
  }
  return { ...base, type: type ?? 'application/json', body: body as Json }
}
