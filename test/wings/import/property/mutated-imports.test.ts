// Changes files of other tools at random: each mistake has a place and plain words.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { Diagnostics } from '../../../../src/kernel/diagnostic.ts'
import { importFiles } from '../../../../src/wings/import/import.ts'
import { WINGS } from '../../../../src/wings.ts'
import { cases } from '../../../support/cases.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-mutated-'))
after(() => rmSync(home, { recursive: true }))

const WIREMOCK = {
  mappings: [
    {
      name: 'a book',
      priority: 1,
      scenarioName: 'shelf',
      requiredScenarioState: 'Started',
      newScenarioState: 'taken',
      request: {
        method: 'POST',
        urlPathTemplate: '/books/{id}',
        pathParameters: { id: { matches: '[0-9]+' } },
        queryParameters: { full: { equalTo: '1' }, page: { absent: true } },
        headers: { 'X-Plan': { contains: 'gold', caseInsensitive: true } },
        cookies: { theme: { equalTo: 'dark' } },
        basicAuthCredentials: { username: 'ann', password: 'x' },
        bodyPatterns: [{ equalToJson: { a: [1, { b: 'x' }] }, ignoreArrayOrder: true }, { matchesJsonPath: '$.a[0]' }],
      },
      response: {
        status: 201,
        headers: { 'Content-Type': 'application/json', 'X-List': ['a', 'b'] },
        jsonBody: { id: 1, tags: ['a'], nested: { n: null } },
        fixedDelayMilliseconds: 5,
        transformers: ['response-template'],
      },
    },
    {
      request: { method: 'GET', urlPattern: '/books\\?page=[0-9]+', formParameters: { a: { or: [{ equalTo: 'b' }] } } },
      response: {
        body: '{{request.path}} {{#repeat 2}}x{{/repeat}}',
        delayDistribution: { type: 'uniform', lower: 1, upper: 2 },
      },
    },
    {
      request: { method: 'ANY', urlPath: '/up' },
      response: { proxyBaseUrl: 'http://a.test', fault: 'EMPTY_RESPONSE' },
    },
    { request: { method: 'GET', urlPath: '/file' }, response: { bodyFileName: 'x.json', base64Body: 'AAAA' } },
  ],
}

const MOCKOON = {
  name: 'Shop',
  endpointPrefix: 'api',
  lastMigration: 27,
  latency: 5,
  proxyMode: true,
  proxyHost: 'http://a.test',
  headers: [{ key: 'X-All', value: 'yes' }],
  data: [{ id: 'b1', uuid: 'b1', name: 'books', value: '[{"id":1,"title":"a"}]' }],
  routes: [
    {
      type: 'http',
      documentation: 'Read an order',
      method: 'get',
      endpoint: 'orders/:id',
      responseMode: null,
      responses: [
        {
          label: 'one',
          statusCode: 200,
          latency: 3,
          body: '{"id":"{{urlParam \'id\'}}","n":{{faker \'number.int\'}}}',
          headers: [{ key: 'Content-Type', value: 'application/json' }],
          rules: [{ target: 'query', modifier: 'x', value: '1', operator: 'regex', invert: false }],
          rulesOperator: 'AND',
        },
        { label: 'none', statusCode: 404, body: '', headers: [], rules: [], default: true, callbacks: [] },
      ],
    },
    {
      type: 'http',
      method: 'all',
      endpoint: 'any/*',
      responseMode: 'FALLBACK',
      responses: [{ statusCode: 401, body: 'no' }],
    },
    {
      type: 'http',
      method: 'post',
      endpoint: 'turn',
      responseMode: 'SEQUENTIAL',
      responses: [{ statusCode: 200 }, { statusCode: 201 }],
    },
    {
      type: 'http',
      method: 'get',
      endpoint: 'raw',
      responses: [{ statusCode: 200, bodyType: 'FILE', filePath: 'a.txt' }],
    },
    { type: 'crud', endpoint: 'books', responses: [{ databucketID: 'b1', crudKey: 'id', statusCode: 200 }] },
  ],
}

const MOCKSERVER = [
  {
    id: 'one',
    priority: 2,
    times: { remainingTimes: 2, unlimited: false },
    timeToLive: { unlimited: true },
    httpRequest: {
      method: 'POST',
      path: '/orders/{id}',
      pathParameters: { id: ['1'] },
      queryStringParameters: [{ name: 'q', values: ['.*'] }],
      headers: { Accept: ['!text/plain'] },
      cookies: { a: 'b' },
      body: { type: 'JSON', json: { a: 1 }, matchType: 'STRICT' },
    },
    httpResponse: {
      statusCode: 200,
      headers: [{ name: 'X-A', values: ['b', 'c'] }],
      cookies: { a: 'b' },
      delay: { timeUnit: 'SECONDS', value: 1 },
      body: { type: 'JSON', json: '{"a":1}', contentType: 'application/json' },
    },
  },
  { httpRequest: { path: '/up' }, httpForward: { scheme: 'HTTP', host: 'a.test', port: 80 } },
  { httpRequest: { path: '/drop', body: 'x' }, httpError: { dropConnection: true } },
]

const POSTMAN = {
  info: { name: 'Shop', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}' }] },
  variable: [{ key: 'base', value: 'http://a.test/v1' }],
  event: [{ listen: 'test', script: { exec: ['pm.test()'] } }],
  item: [
    {
      name: 'Orders',
      item: [
        {
          name: 'Create an order',
          request: {
            method: 'POST',
            description: 'Creates',
            header: [{ key: 'Content-Type', value: 'application/json' }],
            url: {
              raw: '{{base}}/orders?x=1',
              host: ['{{base}}'],
              path: ['orders', ':id'],
              query: [{ key: 'x', value: '1' }],
              variable: [{ key: 'id', value: '1' }],
            },
            body: { mode: 'raw', raw: '{"a":1}', options: { raw: { language: 'json' } } },
          },
          response: [
            {
              name: 'made',
              code: 201,
              header: [{ key: 'Content-Type', value: 'application/json' }],
              body: '{"id":1,"a":1}',
              originalRequest: { method: 'POST', url: { raw: '{{base}}/orders/1' } },
            },
          ],
        },
      ],
    },
  ],
}

const JSON_SERVER = {
  posts: [
    { id: 1, title: 'a', author: { name: 'x' } },
    { id: 2, title: 'b', author: { name: 'y' } },
  ],
  comments: [{ id: 1, postId: 1, body: 'c' }],
  profile: { name: 'ann' },
}

type Tree = Record<string, unknown>
const SOURCES = { WIREMOCK, MOCKOON, MOCKSERVER, POSTMAN, JSON_SERVER }
const JUNK: readonly unknown[] = [
  ...[
    null,
    true,
    -1,
    0,
    1.5,
    1e300,
    '',
    ' ',
    'get',
    '{',
    '${',
    '${now}',
    '{{',
    '{{x',
    '(?<',
    '"',
    "a'b",
    'a b',
    '\n',
    '\0',
  ],
  ...[
    [],
    {},
    [null],
    [[]],
    [1],
    { '': {} },
    { '${x}': 1 },
    { 'a"b': 'c' },
    { not: 1 },
    'constructor',
    '__proto__',
    '/',
  ],
]

const slotsOf = (value: unknown): [Tree, string][] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, child]) => [[value as Tree, key] as [Tree, string], ...slotsOf(child)])

const change = fc.record({
  at: fc.nat(),
  junk: fc.constantFrom(...JUNK),
  how: fc.constantFrom('put', 'delete', 'name'),
})
const given = fc.record({
  source: fc.constantFrom(...(Object.keys(SOURCES) as (keyof typeof SOURCES)[])),
  changes: fc.array(change, { minLength: 1, maxLength: 3 }),
})

/** Words of JavaScript for a mistake in a program. */
const OF_THE_ENGINE =
  /is not a function|is not iterable|Cannot (?:read|use|convert)|undefined|NaN|\[object|Invalid (?:array|reg)|(?:Type|Range|Syntax|URI)Error|URI malformed/

let made = 0
test('a changed file of another tool is imported, or its mistakes have places and plain words', () =>
  fc.assert(
    fc.asyncProperty(given, async ({ source, changes }) => {
      const file = structuredClone(SOURCES[source]) as unknown as Tree
      for (const { at, junk, how } of changes) {
        const slots = slotsOf(file)
        const [holder, key] = slots[at % slots.length] ?? [file, 'x']
        if (how === 'put' || Array.isArray(holder)) holder[key] = structuredClone(junk)
        else {
          const { [key]: value } = holder
          delete holder[key]
          if (how === 'name') holder[typeof junk === 'string' ? junk : JSON.stringify(junk)] = value
        }
      }
      const folder = join(home, `${++made}`)
      mkdirSync(folder)
      writeFileSync(join(folder, 'source.json'), JSON.stringify(file))
      const report = new Diagnostics()
      const result = await importFiles(['source.json'], folder, report, { output: 'out', wings: WINGS })
      rmSync(folder, { recursive: true })
      assert.ok(result !== undefined || report.failed)
      for (const { place, message, severity } of report.list) {
        assert.ok(place.file !== '' && place.line >= 1 && place.column >= 1, message)
        assert.doesNotMatch(message, OF_THE_ENGINE)
        assert.ok(severity !== 'error' || place.file === 'source.json', `${place.file}: ${message}`)
      }
    }),
    {
      numRuns: cases(100),
      examples: [[{ source: 'MOCKOON', changes: [{ at: 1086405058, junk: 'constructor', how: 'put' }] }]],
    },
  ))
