// WireMock: stub mappings, one a file or many, and the files of their bodies.

import { Buffer } from 'node:buffer'
import type { Diagnostics, Place } from '../../kernel/diagnostic.ts'
import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts'
import { celOfJsonPath, jsonOf, type TranslateHelper, translateJson, translateText } from './handlebars.ts'
import {
  celText,
  compileShape,
  type ForeignFile,
  type ImportedCase,
  ImportedFile,
  type ImportKind,
  METHODS_OF_PATHS,
  partOf,
  plainTemplate,
  RouteBook,
  shapeOfObject,
} from './imported.ts'
import { type Lose, readRequest, Scenarios, type Stub, trialOf } from './wiremock-requests.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const isMapping = (value: unknown): boolean =>
  isObject(value) &&
  isObject(value.request) &&
  isObject(value.response) &&
  ('url' in value.request || hasUrl(value.request))
const hasUrl = (request: object): boolean =>
  Object.keys(request).some(key => key.startsWith('url')) || 'method' in request
const mappingsIn = (value: unknown): unknown[] | undefined =>
  isObject(value) && Array.isArray(value.mappings) ? value.mappings : undefined

export const wiremock: ImportKind = {
  name: 'wiremock',
  what: 'mappings of WireMock',
  recognises: value => isMapping(value) || (mappingsIn(value)?.some(isMapping) ?? false),
  read(files, report) {
    const book = new RouteBook()
    const stubs = files.flatMap(file => {
      const { value } = file.source
      const list = mappingsIn(value)
      if (list === undefined) return isMapping(value) ? [{ file, path: [] as Path, stub: value as Stub }] : []
      return list.map((stub, i) => ({ file, path: ['mappings', i] as Path, stub: stub as Stub }))
    })
    // The lowest priority number wins; among equals the mapping that was added last.
    const ordered = stubs
      .filter(({ stub }) => isMapping(stub))
      .map((one, i) => ({ ...one, i }))
      .sort((a, b) => (a.stub.priority ?? 5) - (b.stub.priority ?? 5) || b.i - a.i)
    const scenarios = new Scenarios(ordered.map(({ stub }) => stub))
    const settings: Record<string, Json> = {}
    for (const { file, path, stub } of ordered) {
      if (isStub(stub, path, file.source, report)) readStub(stub, { file, path, report, book, settings, scenarios })
    }
    return { title: 'Imported from WireMock', routes: book.routes, records: [], settings }
  },
}

const TEXT = { type: 'string' }
const OBJECT = { type: 'object' }
const isStub = compileShape(
  shapeOfObject({
    ...{
      name: TEXT,
      priority: { type: 'integer' },
      scenarioName: TEXT,
      requiredScenarioState: TEXT,
      newScenarioState: TEXT,
    },
    request: shapeOfObject({
      ...{
        method: { enum: ['ANY', ...METHODS_OF_PATHS] },
        url: TEXT,
        urlPath: TEXT,
        urlPattern: TEXT,
        urlPathPattern: TEXT,
        urlPathTemplate: TEXT,
      },
      ...{
        headers: OBJECT,
        queryParameters: OBJECT,
        cookies: OBJECT,
        pathParameters: OBJECT,
        bodyPatterns: { type: 'array' },
      },
    }),
    response: shapeOfObject({
      ...{ status: { type: 'integer', minimum: 200, maximum: 599 }, body: TEXT, base64Body: TEXT, bodyFileName: TEXT },
      ...{
        headers: OBJECT,
        transformers: { type: 'array' },
        fault: TEXT,
        proxyBaseUrl: TEXT,
        delayDistribution: OBJECT,
      },
    }),
  }),
  'mapping',
)

interface StubReading {
  readonly file: ForeignFile
  readonly path: Path
  readonly report: Diagnostics
  readonly book: RouteBook
  readonly settings: Record<string, Json>
  readonly scenarios: Scenarios
}

function readStub(stub: Stub, { file, path, report, book, settings, scenarios }: StubReading): void {
  const placeOf = (at: Path): Place => file.source.locate([...path, ...at])
  const lose: Lose = (at, what, hint) => report.warning('not-imported', what, placeOf(at), hint)
  const { request, response } = stub
  const found = readRequest(request, lose)
  if (found === undefined) return
  const { path: at, when, given } = found
  const methods = request.method === undefined || request.method === 'ANY' ? METHODS : [String(request.method)]
  for (const method of methods) {
    const route = book.at(method, at)
    const state = scenarios.conditionFor(stub, method, at)
    if (state === undefined) {
      const hint = 'keep the state in a record of a resource, and read it with record()'
      lose(
        ['scenarioName'],
        `the scenario "${stub.scenarioName}" has states in no sequence: the mapping answers in all of them`,
        hint,
      )
    }
    const read = readResponse(response, route.path, lose, file)
    if (typeof response.proxyBaseUrl === 'string') settings.upstream ??= { url: response.proxyBaseUrl }
    route.cases.push({
      ...read,
      name: stub.name ?? '',
      place: placeOf([]),
      when: [...when, ...(state ?? [])],
      trial: trialOf(method, at, given, (state ?? []).length > 0),
    })
  }
}

const FAULTS: Readonly<Record<string, JsonObject>> = {
  EMPTY_RESPONSE: { kind: 'close' },
  CONNECTION_RESET_BY_PEER: { kind: 'reset' },
  RANDOM_DATA_THEN_CLOSE: { kind: 'garbage' },
  MALFORMED_RESPONSE_CHUNK: { kind: 'truncate' },
}

type ReadResponse = Pick<ImportedCase, 'status' | 'headers' | 'type' | 'body' | 'settings'>

function readResponse(response: Stub['response'], path: string, lose: Lose, file: ForeignFile): ReadResponse {
  const settings: Record<string, Json> = {}
  const headers: Record<string, string> = {}
  let type: string | undefined
  const transformers = Array.isArray(response.transformers) ? response.transformers : []
  const isTemplate = transformers.includes('response-template')
  for (const one of transformers.filter(one => one !== 'response-template')) {
    lose(['response', 'transformers'], `the transformer "${one}" is a program, which is not run`, 'write its reply')
  }
  const translate = helperOf(path)
  const lostHelper = (placeholder: string) =>
    lose(['response'], `the helper ${placeholder} has no equal, and is left out`, 'see "Expressions" in docs/rules.md')
  const filled = (text: string) => (isTemplate ? translateText(text, translate, lostHelper) : plainTemplate(text))
  for (const [name, value] of Object.entries(isObject(response.headers) ? response.headers : {})) {
    const field = name.toLowerCase()
    const text = (Array.isArray(value) ? value : [value]).join(', ')
    if (field === 'content-type') type = text
    else if (!/^(?:content-length|transfer-encoding|connection|date|matched-stub-.*)$/.test(field))
      headers[field] = filled(text)
  }
  const { fixedDelayMilliseconds, delayDistribution, fault, chunkedDribbleDelay, proxyBaseUrl } = response
  if (typeof fixedDelayMilliseconds === 'number') settings.latency = { fixed: `${fixedDelayMilliseconds}ms` }
  else if (isObject(delayDistribution)) settings.latency = distributionOf(delayDistribution)
  if (isObject(chunkedDribbleDelay)) {
    const { totalDuration } = chunkedDribbleDelay
    settings.latency = { fixed: `${totalDuration}ms` }
    lose(['response', 'chunkedDribbleDelay'], 'the body is sent at once after that time', 'use fault: { kind: drip }')
  }
  if (typeof fault === 'string') settings.fault = FAULTS[fault] ?? { kind: 'reset' }
  if (typeof proxyBaseUrl === 'string') settings.respond = { forward: {} }
  const status = typeof response.status === 'number' ? response.status : 200
  return { status, headers, settings, ...bodyOf() }

  function bodyOf(): Pick<ImportedCase, 'type' | 'body'> {
    const { jsonBody, body, base64Body, bodyFileName } = response
    if (jsonBody !== undefined) {
      return { type: type ?? 'application/json', body: templated(stringifyJson(jsonBody), true) }
    }
    if (typeof base64Body === 'string') return kept('body.bin', Buffer.from(base64Body, 'base64'))
    if (typeof bodyFileName === 'string') {
      const bytes = file.readBeside(`__files/${bodyFileName}`)
      if (typeof bytes !== 'string') return kept(bodyFileName, bytes)
      lose(['response', 'bodyFileName'], bytes, 'put the file where the mapping names it')
      return { type }
    }
    return typeof body === 'string' && body !== '' ? { type: type ?? 'text/plain', body: templated(body) } : { type }
  }

  function kept(name: string, bytes: Uint8Array): Pick<ImportedCase, 'type' | 'body'> {
    const text = Buffer.from(bytes).toString()
    const isText = !text.includes('\uFFFD') && !text.includes('\0')
    if (isText && (isTemplate || /json|text|xml/.test(type ?? '') || /\.(?:json|xml|txt|html?)$/.test(name))) {
      const known = type ?? (/\.json$/.test(name) ? 'application/json' : undefined)
      return { type: known ?? 'text/plain', body: templated(text, /json/.test(known ?? '')) }
    }
    return { type: type ?? 'application/octet-stream', body: new ImportedFile(name.replace(/[^\w.-]+/g, '-'), bytes) }
  }

  function templated(text: string, isJson = /json/.test(type ?? '') || type === undefined): Json {
    if (isJson) {
      const value = isTemplate ? translateJson(text, translate, lostHelper) : jsonOf(text)
      if (value !== undefined) return value
    }
    return filled(text)
  }
}

function distributionOf(given: Readonly<Record<string, unknown>>): JsonObject {
  const { type, median, sigma, lower, upper, milliseconds } = given as Record<string, number>
  if (String(type) === 'uniform') return { uniform: { min: `${lower}ms`, max: `${upper}ms` } }
  if (String(type) === 'fixed') return { fixed: `${milliseconds}ms` }
  // The 99th percentile of a log-normal distribution is 2.326 deviations above its median.
  const p99 = Math.round((median as number) * Math.exp(2.326 * (sigma as number)))
  return { lognormal: { p50: `${median}ms`, p99: `${p99}ms` } }
}

/** Translates the helpers of response templates for a path. */
function helperOf(path: string): TranslateHelper {
  const segments = path.split('/').slice(1)
  return text => {
    const segment = /^request\.(?:path|pathSegments)\.\[?(\d+)\]?$/.exec(text)
    if (segment !== null) {
      const at = segments[Number(segment[1])]
      const name = /^\{(.*)\}$/.exec(at ?? '')?.[1]
      return name === undefined ? at && celText(at) : `request.params.${name}`
    }
    const part = /^request\.(query|headers|cookies|path|pathParameters)\.\[?['"]?([\w-]+)['"]?\]?(?:\.\[?0\]?)?$/.exec(
      text,
    )
    if (part !== null) {
      const [, kind, name = ''] = part
      if (kind === 'path' || kind === 'pathParameters') return `request.params.${name}`
      return partOf(kind as 'query', name)
    }
    if (text === 'request.method' || text === 'request.path' || text === 'request.body') return text
    if (text === 'request.url') return 'request.path'
    const inBody = /^jsonPath\s+request\.body\s+(['"])(.*)\1$/.exec(text)
    if (inBody !== null) return celOfJsonPath(inBody[2] as string, 'request.body')
    if (/^randomValue\b.*type=['"]UUID['"]/.test(text)) return 'uuid()'
    return text === 'now' ? 'string(now)' : undefined
  }
}
