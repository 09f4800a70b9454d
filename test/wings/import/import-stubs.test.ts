import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importOf, lost, type Made } from './imports.ts'

const get = (urlPath: string, response: object, more: object = {}) => ({
  request: { method: 'GET', urlPath },
  response,
  ...more,
})
const post = (url: string, request: object, body: string) => ({
  request: { method: 'POST', url, ...request },
  response: { status: 200, body },
})
const statusOf = async ({ send }: Made, ...request: Parameters<Made['send']>) => (await send(...request)).slice(0, 3)

test('a mapping with a pattern answers at the paths of others too, in the order of priorities', async () => {
  const key = { Authorization: { doesNotMatch: 'Bearer .+' } }
  const imported = await importOf({
    'mappings.json': {
      mappings: [
        {
          priority: 1,
          request: { method: 'POST', urlPathPattern: '/v1\\..*/.*', headers: key },
          response: { status: 401, jsonBody: { code: 16 } },
        },
        post('/v1.Orders/List', {}, '[]'),
        {
          request: { method: 'GET', urlPath: '/api/me', queryParameters: { full: { equalTo: '1' } } },
          response: { jsonBody: { name: 'ann' } },
        },
        { priority: 100, request: { method: 'ANY', urlPattern: '/api/.*' }, response: { status: 200 } },
        { priority: 200, request: { method: 'GET' }, response: { status: 418, body: 'any {{request.path}}' } },
      ],
    },
  })
  assert.deepEqual(lost(imported), [
    '1:472 a parameter of a path is one segment, here and in other mappings',
    '1:536 a reply to every URL has no equal: it answers where others name the path',
  ])
  assert.equal(await imported.send('POST /v1.Orders/List', {}), '401 {"code":16}')
  assert.equal(await imported.send('POST /v1.Orders/List', {}, { authorization: 'Bearer x' }), '200 []')
  assert.equal(await imported.send('GET /api/me?full=1'), '200 {"name":"ann"}')
  assert.equal(await imported.send('GET /api/me'), '200 ')
  assert.equal(await imported.send('DELETE /api/7'), '200 ')
})

test('matchers of WireMock look at texts, forms and times', async () => {
  const imported = await importOf({
    'mappings.json': {
      mappings: [
        post('/text', { bodyPatterns: [{ contains: 'needle' }, { doesNotMatch: '.*pin.*' }] }, 'found'),
        post('/plain', { bodyPatterns: [{ equalTo: 'a plain text' }] }, 'equal'),
        post('/form', { formParameters: { user: { equalTo: 'ann' }, age: { matches: '[0-9]+' } } }, 'form'),
        post('/time', { headers: { 'X-At': { before: '2026-01-01T00:00:00Z' } } }, 'early'),
        post('/time', { headers: { 'X-At': { after: 'now' } } }, 'later'),
        post('/xml', { bodyPatterns: [{ equalToXml: '<a/>' }] }, 'xml'),
        {
          request: { method: 'GET', urlPattern: '/query\\?a=[0-9]+&b=x' },
          response: { body: 'query' },
        },
      ],
    },
  })
  assert.deepEqual(lost(imported), ['1:779 this equalToXml has no equal, and is ignored'])
  assert.match(imported.report.unsorted[0]?.hint ?? '', /request\.text\.contains/)
  const { send } = imported
  assert.equal(await send('POST /text', 'a needle'), '200 found')
  assert.equal(await send('POST /text', { a: 'needle' }), '200 found')
  assert.equal(await statusOf(imported, 'POST /text', 'needle and pin'), '404')
  assert.equal(await statusOf(imported, 'POST /text', 'hay'), '404')
  assert.equal(await send('POST /plain', 'a plain text'), '200 equal')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal(await send('POST /form', 'user=ann&age=7', form), '200 form')
  assert.equal(await statusOf(imported, 'POST /form', 'user=ann&age=x', form), '404')
  assert.equal(await send('POST /time', {}, { 'x-at': '2025-12-31T23:00:00Z' }), '200 early')
  assert.equal(await send('POST /time', {}, { 'x-at': '2030-01-01T00:00:00Z' }), '200 later')
  assert.equal(await statusOf(imported, 'POST /time', {}, { 'x-at': '2026-02-02T00:00:00Z' }), '404')
  assert.equal(await send('GET /query?a=7&b=x'), '200 query')
  assert.equal(await statusOf(imported, 'GET /query?a=7&b=y'), '404')
  assert.deepEqual([imported.result?.tried.equal, imported.result?.tried.tried], [1, 1])
})

test('JSON is matched in any order and with more members, and JSONPaths look at each item', async () => {
  const json = (url: string, equalToJson: unknown, more: object, body: string) =>
    post(url, { bodyPatterns: [{ equalToJson, ...more }] }, body)
  const path = (url: string, matchesJsonPath: unknown, body: string) =>
    post(url, { bodyPatterns: [{ matchesJsonPath }] }, body)
  const imported = await importOf({
    'mappings.json': {
      mappings: [
        json('/order', '{"a":[1,2],"b":[{"c":1}]}', { ignoreArrayOrder: true }, 'order'),
        json('/more', { a: [], b: [{ c: 1 }] }, { ignoreArrayOrder: true, ignoreExtraElements: true }, 'more'),
        json('/first', [{ id: 1 }], { ignoreExtraElements: true }, 'first'),
        json('/any', '{"id":"${json-unit.any-number}","code":"A"}', {}, 'any'),
        path('/path', "$.parcels[*].actions[?(@.code == 'B')]", 'B'),
        path('/path', '$.parcels[*].actions[1]', 'two actions'),
        path('/path', { expression: '$.list[*].name', contains: 'nn' }, 'named'),
        path('/path', "$.tags[?(@ == 'x')]", 'tagged'),
        path('/path', '$.empty[*]', 'not empty'),
      ],
    },
  })
  assert.deepEqual(lost(imported), ['1:596 this placeholder of JsonUnit has no equal, and is ignored'])
  const { send } = imported
  const statuses = async (what: string, ...bodies: unknown[]) => {
    const all = []
    for (const body of bodies) all.push(await statusOf(imported, what, body))
    return all.join(' ')
  }
  assert.equal(
    await statuses(
      'POST /order',
      { b: [{ c: 1 }], a: [2, 1] },
      { a: [1, 2, 3], b: [{ c: 1 }] },
      { a: [1, 2], b: [{ c: 1, d: 1 }] },
    ),
    '200 404 404',
  )
  assert.equal(await statuses('POST /more', { a: [9], b: [0, { c: 1, d: 2 }], e: 1 }, { b: [{ c: 1 }] }), '200 404')
  assert.equal(await statuses('POST /first', [{ id: 1, n: 2 }, 7], [7, { id: 1 }]), '200 404')
  assert.equal(await statuses('POST /any', { id: 1, code: 'A' }, { id: 1, code: 'B' }, { code: 'A' }), '200 404 404')
  assert.equal(await send('POST /path', { parcels: [{}, { actions: [{ code: 'B' }, 1] }] }), '200 two actions')
  assert.equal(await send('POST /path', { parcels: [{ actions: [{ code: 'B' }] }] }), '200 B')
  assert.equal(await send('POST /path', { list: [{}, { name: 'anna' }] }), '200 named')
  assert.equal(await send('POST /path', { tags: ['y', 'x'] }), '200 tagged')
  assert.equal(await send('POST /path', { empty: [0] }), '200 not empty')
  assert.equal(await statuses('POST /path', { empty: [] }, { parcels: [] }), '404 404')
})

test('a mapping of WireMock waits, fails, forwards and keeps its files', async () => {
  const imported = await importOf(
    {
      'wm/mappings/a/all.json': {
        mappings: [
          get('/fixed', { body: 'x', fixedDelayMilliseconds: 20 }),
          get('/dribble', { body: 'x', chunkedDribbleDelay: { numberOfChunks: 2, totalDuration: 30 } }),
          get('/uniform', { body: 'x', delayDistribution: { type: 'uniform', lower: 40, upper: 50 } }),
          get('/lognormal', { body: 'x', delayDistribution: { type: 'lognormal', median: 80, sigma: 0.4 } }),
          ...['EMPTY_RESPONSE', 'CONNECTION_RESET_BY_PEER', 'RANDOM_DATA_THEN_CLOSE', 'MALFORMED_RESPONSE_CHUNK'].map(
            (fault, i) => get(`/fault${i}`, { fault, body: 'x' }),
          ),
          get('/real', { proxyBaseUrl: 'https://real.example.com' }),
          get('/hello', { body: 'hello {{request.query.name}}', transformers: ['response-template'] }),
          get('/picture', { bodyFileName: 'p.bin', headers: { 'Content-Type': 'image/png' } }),
          get('/none', { status: 200, bodyFileName: 'none.json' }),
        ],
      },
      'wm/__files/p.bin': '\u0000\u0001',
    },
    'wm',
  )
  const { clock, send, reply } = imported
  assert.deepEqual(
    lost(imported).map(one => one.replace(/^\S+ /, '')),
    ['there is no file __files/none.json'],
  )
  for (const name of ['fixed', 'dribble', 'uniform', 'lognormal']) assert.equal(await send(`GET /${name}`), '200 x')
  const [fixed, dribble, uniform = 0, lognormal = 0] = clock.slept
  assert.deepEqual([fixed, dribble], [20, 30])
  assert.ok(uniform >= 40 && uniform <= 50 && lognormal > 0 && lognormal < 2000)
  const faults = []
  for (const i of [0, 1, 2, 3]) faults.push((await reply(`GET /fault${i}`)).wire?.kind)
  assert.deepEqual(faults, ['close', 'reset', 'garbage', 'truncate'])
  assert.equal(await send('GET /real'), '200 https://real.example.com/real')
  assert.equal(await send('GET /hello?name=ann'), '200 hello ann')
  const picture = await reply('GET /picture')
  assert.deepEqual([picture.headers['content-type'], [...(picture.body as Uint8Array)]], ['image/png', [0, 1]])
  assert.equal(await send('GET /none'), '200 ')
})

test('expectations of MockServer become operations with rules', async () => {
  const expectations = [
    {
      httpRequest: { method: 'GET', path: '/a', queryStringParameters: { q: ['[0-9]+'] } },
      httpResponse: { statusCode: 201, body: { x: 1 } },
      times: { remainingTimes: 1 },
    },
    {
      httpRequest: { method: 'GET', path: '/a' },
      httpResponse: { body: 'usual', headers: [{ name: 'X-A', values: ['b'] }] },
    },
    {
      httpRequest: { method: 'POST', path: '/login', body: { type: 'JSON', json: { user: 'ann' } } },
      httpResponse: { statusCode: 302, headers: { location: ['/home'] } },
    },
  ]
  const { send, report } = await importOf({ 'expectations.json': expectations })
  assert.deepEqual(report.unsorted, [])
  assert.equal(await send('GET /a?q=5'), '201 {"x":1}')
  assert.equal(await send('GET /a?q=5'), '200 usual')
  assert.equal(await send('GET /a?q=x'), '200 usual')
  assert.equal(await send('POST /login', { user: 'ann', password: 'x' }), '302 ')
  assert.match(await send('POST /login', { user: 'eve' }), /^404/)
})

test('expectations of MockServer match loosely and strictly, by texts, patterns and forms', async () => {
  const one = (httpRequest: object, body: string) => ({
    httpRequest: { method: 'POST', ...httpRequest },
    httpResponse: { body },
  })
  const imported = await importOf({
    'expectations.json': [
      one({ path: '/loose', body: { json: { tags: ['b', 'a'], none: [] } } }, 'loose'),
      one({ path: '/strict', body: { type: 'JSON', json: { tags: ['a'] }, matchType: 'STRICT' } }, 'strict'),
      one({ path: '/text', body: { type: 'STRING', string: 'needle', subString: true } }, 'part'),
      one({ path: '/text', body: { type: 'STRING', string: 'whole' } }, 'whole'),
      one({ path: '/text', body: { type: 'REGEX', regex: '[0-9]{3}' } }, 'three'),
      one({ path: '/form', body: { type: 'PARAMETERS', parameters: { user: ['ann'], age: ['[0-9]+'] } } }, 'form'),
      one({ path: '/xml', body: { type: 'XML', xml: '<a/>' } }, 'xml'),
      one({ path: '/twice', queryStringParameters: { a: ['1', '2'] } }, 'twice'),
    ],
  })
  assert.deepEqual(
    lost(imported).map(told => told.replace(/^\S+ /, '')),
    ['this XML has no equal, and is ignored', 'this list of values has no equal, and is ignored'],
  )
  const { send } = imported
  assert.equal(await send('POST /loose', { tags: ['a', 'x', 'b'], none: [1], more: 1 }), '200 loose')
  assert.equal(await statusOf(imported, 'POST /loose', { tags: ['a'], none: [] }), '404')
  assert.equal(await statusOf(imported, 'POST /loose', { tags: ['a', 'b'] }), '404')
  assert.equal(await send('POST /strict', { tags: ['a'] }), '200 strict')
  assert.equal(await statusOf(imported, 'POST /strict', { tags: ['a', 'b'] }), '404')
  assert.equal(await send('POST /text', 'a needle'), '200 part')
  assert.equal(await send('POST /text', 'whole'), '200 whole')
  assert.equal(await send('POST /text', '123'), '200 three')
  assert.equal(await statusOf(imported, 'POST /text', '1234'), '404')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal(await send('POST /form', 'user=ann&age=7', form), '200 form')
  assert.equal(await statusOf(imported, 'POST /form', 'user=eve&age=7', form), '404')
})

test('expectations of MockServer wait, fail, forward, end and have priorities', async () => {
  const at = (path: string, more: object) => ({ httpRequest: { method: 'GET', path }, ...more })
  const imported = await importOf({
    'expectations.json': [
      at('/slow', { httpResponse: { body: 'x', delay: { timeUnit: 'SECONDS', value: 2 } } }),
      at('/drop', { httpError: { dropConnection: true } }),
      at('/real', { httpForward: { host: 'real.example.com', port: 8080, scheme: 'HTTP' } }),
      at('/twice', { times: { remainingTimes: 2 }, httpResponse: { statusCode: 503, body: 'busy' } }),
      at('/twice', { times: { unlimited: true }, httpResponse: { body: 'fine' } }),
      at('/first', { httpResponse: { body: 'second' } }),
      at('/first', {
        priority: 10,
        httpResponse: { body: 'first' },
        httpRequest: { method: 'GET', path: '/first', headers: { a: ['1'] } },
      }),
      at('/short', { httpResponse: { body: 'x' }, timeToLive: { timeUnit: 'SECONDS', timeToLive: 60 } }),
      at('/program', { httpResponseTemplate: { templateType: 'JAVASCRIPT', template: 'return {}' } }),
    ],
  })
  assert.deepEqual(
    lost(imported)
      .map(told => told.replace(/^\S+ /, ''))
      .sort(),
    ['"httpResponseTemplate" has no equal, and the expectation is left out', 'an expectation does not end by itself'],
  )
  const { send, reply, clock } = imported
  assert.equal(await send('GET /slow'), '200 x')
  assert.deepEqual(clock.slept, [2000])
  assert.equal((await reply('GET /drop')).wire?.kind, 'close')
  assert.equal(await send('GET /real'), '200 http://real.example.com:8080/real')
  const twice = []
  for (let i = 0; i < 3; i++) twice.push(await send('GET /twice'))
  assert.deepEqual(twice, ['503 busy', '503 busy', '200 fine'])
  assert.equal(await send('GET /first', undefined, { a: '1' }), '200 first')
  assert.equal(await send('GET /first'), '200 second')
})

test('a scenario of WireMock has branches, mappings for any state, and counts only the requests that match', async () => {
  const step = (from: string | undefined, to: string | undefined, request: object, body: string) => ({
    ...{ scenarioName: 'cart', ...(from && { requiredScenarioState: from }), ...(to && { newScenarioState: to }) },
    ...{ request, response: { status: 200, body } },
  })
  const show = { method: 'GET', url: '/cart' }
  const add = { method: 'POST', url: '/cart', bodyPatterns: [{ matchesJsonPath: '$.item' }] }
  const imported = await importOf({
    'mappings.json': {
      mappings: [
        step('Started', undefined, show, 'empty'),
        step('full', undefined, show, 'full'),
        step('paid', undefined, show, 'paid'),
        step('Started', 'full', add, 'added'),
        step('full', 'paid', { method: 'POST', url: '/cart/pay' }, 'thanks'),
        step('full', 'Started', { method: 'POST', url: '/cart/leave' }, 'left'),
        step(undefined, 'Started', { method: 'DELETE', url: '/cart' }, 'gone'),
      ],
    },
  })
  assert.deepEqual(imported.report.unsorted, [])
  assert.deepEqual([imported.result?.tried.equal, imported.result?.tried.tried], [2, 2])
  const seen = []
  for (const [what, body] of [
    ['GET /cart'],
    ['POST /cart', { other: 1 }],
    ['POST /cart/pay', {}],
    ['POST /cart', { item: 1 }],
    ['GET /cart'],
    ['POST /cart/leave', {}],
    ['GET /cart'],
    ['POST /cart', { item: 1 }],
    ['POST /cart/pay', {}],
    ['GET /cart'],
    ['DELETE /cart'],
    ['GET /cart'],
  ] as const)
    seen.push((await imported.send(what, body)).replace(/^404.*/s, '404'))
  assert.deepEqual(seen, [
    ...['200 empty', '404', '404', '200 added', '200 full', '200 left', '200 empty'],
    ...['200 added', '200 thanks', '200 paid', '200 gone', '200 empty'],
  ])
})

test('a scenario of WireMock may be a sequence that goes round', async () => {
  const scenario = (state: string, more: object) => ({ scenarioName: 'list', requiredScenarioState: state, ...more })
  const get = { method: 'GET', url: '/todo' }
  const mappings = [
    scenario('Started', { request: get, response: { status: 200, body: 'milk' } }),
    scenario('Started', {
      newScenarioState: 'added',
      request: { method: 'POST', url: '/todo' },
      response: { status: 201 },
    }),
    scenario('added', { request: get, response: { status: 200, body: 'milk, bread' } }),
    ...[1, 2, 3].map(i => ({
      scenarioName: 'turns',
      requiredScenarioState: i === 1 ? 'Started' : `${i}`,
      newScenarioState: i === 3 ? 'Started' : `${i + 1}`,
      request: { method: 'GET', url: '/turn' },
      response: { status: 200, body: `turn ${i}` },
    })),
  ]
  const { send } = await importOf({ 'mappings.json': { mappings } })
  assert.equal(await send('GET /todo'), '200 milk')
  assert.equal(await send('POST /todo', {}), '201 ')
  assert.equal(await send('GET /todo'), '200 milk, bread')
  const turns = []
  for (let i = 0; i < 4; i++) turns.push(await send('GET /turn'))
  assert.deepEqual(turns, ['200 turn 1', '200 turn 2', '200 turn 3', '200 turn 1'])
})

test('patterns, delays and effects of WireMock without an equal are told', async () => {
  const proxy = (url: string, proxyBaseUrl: string, more: object = {}) => get(url, { proxyBaseUrl, ...more })
  const imported = await importOf({
    'mappings.json': {
      mappings: [
        proxy('/a', 'https://one.example.com'),
        proxy('/b', 'https://two.example.com', { additionalProxyRequestHeaders: { 'X-A': '1' } }),
        get('/hook', { body: 'x' }, { postServeActions: [{ name: 'webhook' }] }),
        get('/none', { body: 'x' }, { postServeActions: [] }),
        get('/odd', { body: 'x', delayDistribution: { type: 'odd' } }),
        post('/look', { bodyPatterns: [{ matches: '(?=a).*' }] }, 'x'),
        post('/open', { headers: { a: { matches: '(a' } } }, 'x'),
        { request: { method: 'GET', urlPathPattern: '/p/\\p{Lu}+/x' }, response: { body: 'upper' } },
      ],
    },
  })
  assert.deepEqual(
    lost(imported)
      .map(told => told.replace(/^\S+ /, ''))
      .sort(),
    [
      '"additionalProxyRequestHeaders" has no equal',
      '"postServeActions" has no equal',
      ...Array(2).fill('no linear engine can run this pattern, and it is ignored'),
      'there is one upstream: https://two.example.com gets these requests',
      'this distribution has no equal, and is ignored',
    ],
  )
  assert.equal(await imported.send('GET /hook'), '200 x')
  assert.equal(await imported.send('GET /p/ABC/x'), '200 upper')
})
