// The types of values that other tools write. A file is checked first, so that a mistake is reported with its place.

import type { Diagnostics } from '../../kernel/diagnostic.ts'
import type { Path, Source } from '../../kernel/file/source.ts'
import { memberAt, parsePointer } from '../../kernel/json.ts'
import { type Check, type Schema, Schemas } from '../../kernel/schema/schema.ts'

const TEXT = { type: 'string' }
const FLAG = { type: 'boolean' }
const NUMBER = { type: 'number' }
const DELAY = { type: ['number', 'string'], pattern: '^[0-9.]+$', minimum: 0, maximum: 1e9 }
const STATUS = { type: ['integer', 'string'], pattern: '^[1-5][0-9]{2}$', minimum: 100, maximum: 599 }
const OBJECT = { type: 'object' }
const PROXY = { type: 'string', pattern: '^https?://[^/?#]+' }

const objectShape = (properties: Readonly<Record<string, Schema>>, ...required: readonly string[]): Schema => ({
  type: 'object',
  properties,
  required,
})
const listShape = (items: Schema): Schema => ({ type: 'array', items })
const namedShape = (additionalProperties: Schema): Schema => ({ type: 'object', additionalProperties })
const eitherShape = (...anyOf: readonly Schema[]): Schema => ({ anyOf })

/** A text, a number or a flag: what may be written for a text. */
const SCALAR = { type: ['string', 'number', 'boolean'] }
const MATCHER = { type: ['string', 'number', 'boolean', 'object'] }

const MOCKOON_RESPONSE = {
  body: TEXT,
  latency: NUMBER,
  statusCode: STATUS,
  label: TEXT,
  headers: listShape(objectShape({ key: TEXT, value: TEXT }, 'key', 'value')),
  bodyType: TEXT,
  filePath: TEXT,
  databucketID: TEXT,
  rules: listShape(objectShape({ target: TEXT, modifier: TEXT, value: TEXT, operator: TEXT, invert: FLAG }, 'target')),
  rulesOperator: TEXT,
  crudKey: TEXT,
  callbacks: listShape(true),
}

export const MOCKOON_ROUTE: Schema = objectShape({
  ...MOCKOON_RESPONSE,
  type: TEXT,
  documentation: TEXT,
  method: TEXT,
  endpoint: TEXT,
  responses: listShape(objectShape(MOCKOON_RESPONSE, 'statusCode')),
  responseMode: { type: ['string', 'null'] },
})

const DISTRIBUTION = objectShape({
  type: TEXT,
  median: DELAY,
  sigma: NUMBER,
  lower: DELAY,
  upper: DELAY,
  milliseconds: DELAY,
})

export const WIREMOCK_MAPPING: Schema = objectShape(
  {
    name: TEXT,
    priority: NUMBER,
    scenarioName: TEXT,
    requiredScenarioState: TEXT,
    newScenarioState: TEXT,
    request: objectShape({
      method: TEXT,
      url: TEXT,
      urlPath: TEXT,
      urlPattern: TEXT,
      urlPathPattern: TEXT,
      urlPathTemplate: TEXT,
      queryParameters: namedShape(MATCHER),
      headers: namedShape(MATCHER),
      cookies: namedShape(MATCHER),
      pathParameters: namedShape(MATCHER),
      formParameters: namedShape(MATCHER),
      bodyPatterns: listShape(OBJECT),
      basicAuthCredentials: objectShape({ username: TEXT, password: TEXT }, 'username', 'password'),
    }),
    response: objectShape({
      status: STATUS,
      headers: namedShape(eitherShape(SCALAR, listShape(SCALAR))),
      body: TEXT,
      base64Body: TEXT,
      bodyFileName: TEXT,
      fault: TEXT,
      proxyBaseUrl: PROXY,
      fixedDelayMilliseconds: DELAY,
      delayDistribution: DISTRIBUTION,
      chunkedDribbleDelay: objectShape({ totalDuration: DELAY }),
      transformers: eitherShape(TEXT, listShape(TEXT)),
    }),
  },
  'request',
  'response',
)

/** A text, or an object with it in `value`. */
const MOCKSERVER_TEXT = eitherShape(SCALAR, objectShape({ not: FLAG, value: SCALAR }, 'value'))
const MOCKSERVER_FIELDS = eitherShape(
  listShape(objectShape({ name: SCALAR, values: listShape(MATCHER), value: MATCHER }, 'name')),
  namedShape(eitherShape(MATCHER, listShape(MATCHER))),
)

export const MOCKSERVER_EXPECTATION: Schema = objectShape({
  id: TEXT,
  priority: NUMBER,
  times: objectShape({ remainingTimes: { type: 'integer', minimum: 1 }, unlimited: FLAG }),
  httpRequest: objectShape({
    method: MOCKSERVER_TEXT,
    path: MOCKSERVER_TEXT,
    queryStringParameters: MOCKSERVER_FIELDS,
    headers: MOCKSERVER_FIELDS,
    cookies: MOCKSERVER_FIELDS,
    pathParameters: MOCKSERVER_FIELDS,
  }),
  httpResponse: objectShape({
    statusCode: STATUS,
    headers: MOCKSERVER_FIELDS,
    cookies: MOCKSERVER_FIELDS,
    delay: objectShape({ timeUnit: TEXT, value: { type: 'number', minimum: 0, maximum: 1e9 } }),
    body: { type: ['string', 'object', 'array', 'number', 'boolean', 'null'], properties: { contentType: TEXT } },
  }),
  httpForward: objectShape(
    { scheme: TEXT, host: TEXT, port: { type: 'integer', minimum: 1, maximum: 65_535 } },
    'host',
  ),
})

const schemas = new Schemas()
const checks = new Map<Schema, Check>()

/** Returns whether a part of a file has the types that its tool writes; otherwise it reports what is left out. */
export function hasShape(schema: Schema, source: Source, at: Path, report: Diagnostics): boolean {
  let check = checks.get(schema)
  if (check === undefined) {
    check = schemas.compile(schema, true)
    checks.set(schema, check)
  }
  const [first] = check(memberAt(source.value, at), true) ?? []
  if (first === undefined) return true
  const path = [...at, ...(parsePointer(first.pointer) ?? [])]
  const name = path.length > at.length ? `"${path.at(-1)}"` : 'it'
  const place = source.locate(path)
  report.warning('not-imported', `this is left out, because ${name} ${first.message}`, place, 'correct it')
  return false
}
