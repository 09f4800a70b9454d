import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { importFiles } from '../../../src/wings/import/import.ts'
import { WINGS } from '../../../src/wings.ts'
import { cases } from '../../support/cases.ts'
import { home, importOf, lost, mockoonResponse, mockoonRule, newFolder } from './imports.ts'

const JSON_REPLY = { 'Content-Type': 'application/json' }

test('mappings of WireMock become operations with rules', async () => {
  const mappings = [
    {
      request: { method: 'GET', urlPathPattern: '/users/([0-9]+)', headers: { Accept: { contains: 'json' } } },
      response: {
        status: 200,
        headers: JSON_REPLY,
        jsonBody: { id: '{{request.path.[1]}}', price: '${5}' },
        transformers: ['response-template'],
        fixedDelayMilliseconds: 20,
      },
    },
    {
      request: { method: 'POST', url: '/orders', bodyPatterns: [{ equalToJson: '{"a":1}' }] },
      response: { status: 201, body: '{"made":true}', headers: JSON_REPLY },
    },
    {
      request: {
        method: 'POST',
        url: '/orders',
        bodyPatterns: [{ matchesJsonPath: { expression: '$.b.c', equalTo: 'x' } }],
      },
      response: { status: 202 },
    },
    { request: { method: 'GET', url: '/find?q=a&n=2' }, response: { status: 200, body: 'found' } },
    { priority: 9, request: { method: 'GET', urlPath: '/find' }, response: { status: 404, body: 'none' } },
    {
      request: { method: 'GET', urlPath: '/file' },
      response: { status: 200, bodyFileName: 'x.json', headers: JSON_REPLY },
    },
    { request: { method: 'GET', urlPath: '/reset' }, response: { fault: 'CONNECTION_RESET_BY_PEER' } },
  ]
  const files = { 'wm/mappings/all.json': { mappings }, 'wm/__files/x.json': { from: 'a file' } }
  const imported = await importOf(files, 'wm')
  assert.deepEqual(lost(imported), [])
  const { send, result } = imported
  assert.deepEqual([result?.tried.equal, result?.tried.tried], [4, 4])
  assert.equal(await send('GET /users/7', undefined, { accept: 'application/json' }), '200 {"id":"7","price":"${5}"}')
  assert.match(await send('GET /users/seven', undefined, { accept: 'application/json' }), /^404/)
  assert.match(await send('GET /users/7', undefined, { accept: 'text/plain' }), /^404/)
  assert.equal(await send('POST /orders', { a: 1 }), '201 {"made":true}')
  assert.equal(await send('POST /orders', { b: { c: 'x' } }), '202 ')
  assert.match(await send('POST /orders', { b: 1 }), /^404/)
  assert.equal(await send('GET /find?q=a&n=2'), '200 found')
  assert.equal(await send('GET /find?q=b'), '404 none')
  assert.equal(await send('GET /file'), '200 {"from":"a file"}')
})

test('paths with other names of parameters become one, and a second reply is reported', async () => {
  const get = (urlPathTemplate: string, more: object, body: string) => ({
    request: { method: 'GET', urlPathTemplate, ...more },
    response: { status: 200, body, transformers: ['response-template'] },
  })
  const imported = await importOf({
    'mappings.json': {
      mappings: [
        get('/users/{id}', {}, 'never given'),
        get('/users/{id}', {}, 'usual'),
        get('/users/{userId}', { pathParameters: { userId: { equalTo: '7' } } }, 'seven'),
        {
          ...get('/users/{key}', {}, 'deleted {{request.path.key}}'),
          request: { method: 'DELETE', urlPathTemplate: '/users/{key}' },
        },
        { request: { method: 'GET', url: '/braces' }, response: { status: 200, body: 'a {{b}} ${c}' } },
      ],
    },
  })
  assert.deepEqual(lost(imported), [
    '1:14 this reply is never given: the one at mappings.json:1 answers the same requests',
  ])
  assert.equal(await imported.send('GET /users/8'), '200 usual')
  assert.equal(await imported.send('GET /users/7'), '200 seven')
  assert.equal(await imported.send('DELETE /users/9'), '200 deleted 9')
  assert.equal(await imported.send('GET /braces'), '200 a {{b}} ${c}')
})

test('an environment of Mockoon becomes operations with rules, and resources', async () => {
  const environment = {
    lastMigration: 33,
    name: 'Shop',
    endpointPrefix: 'api',
    data: [{ id: 'b', name: 'Books', value: '[{"id":"a","title":"Dune"},{"id":"b","title":"Emma"}]' }],
    routes: [
      {
        type: 'http',
        method: 'get',
        endpoint: 'hello/:name',
        responses: [
          mockoonResponse({ body: '{"hello":"{{urlParam \'name\'}}","n":{{queryParam \'n\' \'1\'}}}', default: true }),
          mockoonResponse({
            statusCode: 403,
            body: '{"no":true}',
            rules: [mockoonRule({ target: 'params', modifier: 'name', value: 'eve' })],
          }),
          mockoonResponse({
            statusCode: 401,
            body: '{"who":true}',
            rules: [mockoonRule({ target: 'header', modifier: 'x-key', value: '', operator: 'null' })],
          }),
        ],
      },
      {
        type: 'http',
        method: 'get',
        endpoint: 'turn',
        responseMode: 'SEQUENTIAL',
        responses: [mockoonResponse({ body: 'one' }), mockoonResponse({ body: 'two', statusCode: 202 })],
      },
      {
        type: 'crud',
        endpoint: 'books',
        responses: [mockoonResponse({ databucketID: 'b', bodyType: 'DATABUCKET', crudKey: 'id' })],
      },
    ],
  }
  const { send, report } = await importOf({ 'shop.json': environment })
  assert.deepEqual(report.unsorted, [])
  const key = { 'x-key': '1' }
  assert.equal(await send('GET /api/hello/ann', undefined, key), '200 {"hello":"ann","n":1}')
  assert.equal(await send('GET /api/hello/ann?n=2', undefined, key), '200 {"hello":"ann","n":2}')
  assert.equal(await send('GET /api/hello/eve', undefined, key), '403 {"no":true}')
  assert.equal(await send('GET /api/hello/ann'), '401 {"who":true}')
  assert.deepEqual(
    [await send('GET /api/turn'), await send('GET /api/turn'), await send('GET /api/turn')],
    ['200 one', '202 two', '200 one'],
  )
  assert.equal(await send('GET /api/books/a'), '200 {"id":"a","title":"Dune"}')
  const created = await send('POST /api/books', { title: 'Ulysses' })
  assert.match(created, /^201 .*"title":"Ulysses"/)
  const { id } = JSON.parse(created.slice(4)) as { id: string }
  assert.equal(await send(`GET /api/books/${id}`), created.replace('201', '200'))
})

test('a list of stubs, an old export of an environment and a status as text are read', async () => {
  const stub = { request: { method: 'GET', url: '/up' }, response: { status: '202', body: 'UP' } }
  assert.equal(await (await importOf({ 'stubs.json': [stub] })).send('GET /up'), '202 UP')
  const route = {
    method: 'get',
    endpoint: 'contacts/:id',
    body: '{"id":"7"}',
    statusCode: '201',
    headers: [],
    latency: 0,
  }
  const environment = { name: 'old', endpointPrefix: 'api', routes: [route] }
  const exported = { source: 'mockoon:1.19.0', data: [{ type: 'environment', item: environment }] }
  for (const content of [environment, { id: 'mockoon_export', data: environment }, exported]) {
    const { send, result } = await importOf({ 'old.json': content })
    assert.deepEqual([result?.tried.equal, result?.tried.tried], [1, 1])
    assert.equal(await send('GET /api/contacts/7'), '201 {"id":"7"}')
  }
})

test('a db.json becomes resources with filters, pages, relations and single objects', async () => {
  const db = {
    posts: [1, 2, 3].map(id => ({ id, title: `post ${id}`, views: id * 10 })),
    comments: [{ id: 1, body: 'first', postId: 2 }],
    profile: { name: 'typicode' },
  }
  const { send, report, result, folder } = await importOf({ 'db.json': db })
  assert.deepEqual(report.unsorted, [])
  assert.deepEqual([result?.tried.equal, result?.tried.tried], [5, 5])
  assert.equal(await send('GET /posts/2'), '200 {"id":2,"title":"post 2","views":20}')
  assert.equal(await send('GET /posts?title=post%203'), '200 [{"id":3,"title":"post 3","views":30}]')
  assert.equal(
    await send('GET /posts?_sort=views&_order=desc&_page=1&_limit=1'),
    '200 [{"id":3,"title":"post 3","views":30}]',
  )
  assert.equal(await send('GET /posts?views_gte=20&views_lte=25'), '200 [{"id":2,"title":"post 2","views":20}]')
  assert.equal(await send('GET /posts?title_ne=post%201&views_lte=20'), '200 [{"id":2,"title":"post 2","views":20}]')
  assert.equal(await send('GET /posts/2/comments'), '200 [{"id":1,"body":"first","postId":2}]')
  assert.match(await send('POST /posts', { title: 'new' }), /^201 \{"id":4,"title":"new"/)
  assert.match(await send('GET /posts/4'), /^200 .*"new"/)
  assert.equal(await send('PATCH /profile', { name: 'me' }), '200 {"name":"me"}')
  assert.equal(await send('GET /profile'), '200 {"name":"me"}')
  assert.deepEqual(readdirSync(join(folder, 'out')).sort(), ['fixtures', 'gateway.yaml', 'openapi.yaml'])
  assert.match(
    readFileSync(join(folder, 'out/gateway.yaml'), 'utf8'),
    /getPost: \{ respond: \{ read: posts, expand: \[ _embed, _expand \] \} \}/,
  )
})

test('a collection of many records is a line of JSON for each, and the first thousand are tried', async () => {
  const notes = Array.from({ length: 1200 }, (_, i) => ({ id: i + 1, text: `note ${i + 1}` }))
  const { send, report, result, folder } = await importOf({ 'db.json': { notes } })
  assert.deepEqual(report.unsorted, [])
  assert.deepEqual([result?.tried.equal, result?.tried.tried], [1000, 1000])
  const [, first] = readFileSync(join(folder, 'out/fixtures/notes.json'), 'utf8').split('\n')
  assert.equal(first, '{"id":1,"text":"note 1"},')
  assert.equal(await send('GET /notes/1200'), '200 {"id":1200,"text":"note 1200"}')
  const { report: twice } = await importOf({ 'db.json': '{"notes": [{"id": 1, "a" : 1, "a": 2}]}' })
  assert.deepEqual(
    twice.unsorted.map(({ message, place }) => `${place.column} ${message}`),
    ['31 duplicate key'],
  )
})

test('an import reports everything without an equal at its place', async () => {
  const text = `{ "mappings": [
  { "request": { "method": "GET", "urlPattern": "/look(?=x)" }, "response": { "status": 200 } },
  { "request": { "method": "GET", "urlPath": "/a", "customMatcher": { "name": "m" } }, "response": { "status": 200 } },
  { "request": { "method": "GET", "urlPath": "/b" }, "response": { "bodyFileName": "../../secret.txt" } }
] }`
  const imported = await importOf({ 'mappings.json': text, '../secret.txt': 'secret' })
  assert.ok(imported.report.unsorted.every(({ code }) => code === 'not-imported'))
  assert.deepEqual(lost(imported).sort(), [
    '2:49 no linear engine can run this pattern',
    '3:69 this customMatcher has no equal, and is ignored',
    '4:84 __files/../../secret.txt is outside the folder of this configuration',
  ])
})

test('a binary file is of no known kind', async () => {
  const { result, report } = await importOf({ 'what.bin': '\x7fELF\u0002\u0001\0\0' })
  assert.equal(result, undefined)
  assert.deepEqual(
    report.unsorted.map(({ code, message }) => [code, message]),
    [['unknown-import', 'this is a binary file, or not UTF-8']],
  )
  assert.match(report.unsorted[0]?.hint ?? '', /mappings of WireMock, .* and HAR$/)
})

test('a file of no known kind is refused, and nothing is written', async () => {
  const { result, report, folder } = await importOf({ 'notes.json': { hello: 'world' } })
  assert.equal(result, undefined)
  assert.equal(report.unsorted[0]?.code, 'unknown-import')
  assert.match(report.unsorted[0]?.hint ?? '', /mappings of WireMock, .*db\.json of json-server/)
  assert.deepEqual(readdirSync(folder), ['notes.json'])
})

test('a file of another kind than was asked for is named, and a contract is to be served', async () => {
  const refusalOf = async (name: string, text: string, as?: string) => {
    const folder = newFolder()
    mkdirSync(folder)
    writeFileSync(join(folder, name), text)
    const report = new Diagnostics()
    assert.equal(await importFiles([name], folder, report, { output: 'out', as, wings: WINGS }), undefined)
    const [refusal, ...others] = report.unsorted
    assert.deepEqual([others, refusal?.code], [[], 'unknown-import'])
    return `${refusal?.message} = ${refusal?.hint}`
  }
  const db = JSON.stringify({ posts: [{ id: 1 }] })
  assert.equal(
    await refusalOf('db.json', db, 'postman'),
    'no file of postman was found, but a db.json of json-server = write --as json-server, or leave it out',
  )
  for (const [name, text, as] of [
    ['openapi.json', `{"openapi":"3.1.0","tags":[{"id":1,"name":"a"}]}`],
    ['openapi.json', `{"openapi":"3.1.0","tags":[{"id":1,"name":"a"}]}`, 'json-server'],
    ['swagger.yaml', 'swagger: "2.0"'],
  ] as const) {
    const served = `this is an OpenAPI document, which needs no import = serve it: understudy serve ${name}`
    assert.equal(await refusalOf(name, text, as), served)
  }
  assert.equal(
    await refusalOf('gateway.yaml', 'contract: ./openapi.yaml'),
    'this is a gateway file, which needs no import = serve it: understudy serve gateway.yaml',
  )
})

test('a folder with files is not overwritten without force', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'out'), { recursive: true })
  writeFileSync(join(folder, 'out/gateway.yaml'), 'mine')
  writeFileSync(join(folder, 'db.json'), '{"notes":[{"id":1}]}')
  let report = new Diagnostics()
  const run = (force: boolean) => {
    report = new Diagnostics()
    return importFiles(['db.json'], folder, report, { output: 'out', force, wings: WINGS })
  }
  assert.equal(await run(false), undefined)
  assert.equal(report.unsorted[0]?.code, 'output-exists')
  assert.match(report.unsorted[0]?.hint ?? '', /overwrite its files with --force/)
  assert.equal(readFileSync(join(folder, 'out/gateway.yaml'), 'utf8'), 'mine')
  await run(true)
  assert.match(readFileSync(join(folder, 'out/gateway.yaml'), 'utf8'), /^contract:/)
  assert.deepEqual(readdirSync(folder).sort(), ['db.json', 'out'])
})

test('an output in a folder that is not there is made, and a file is not replaced by a folder', async () => {
  const folder = newFolder()
  mkdirSync(folder)
  writeFileSync(join(folder, 'db.json'), '{"notes":[{"id":1}]}')
  const report = new Diagnostics()
  await importFiles(['db.json'], folder, report, { output: 'a/b/out', wings: WINGS })
  assert.match(readFileSync(join(folder, 'a/b/out/gateway.yaml'), 'utf8'), /^contract:/)
  await importFiles(['db.json'], folder, report, { output: 'db.json', force: true, wings: WINGS })
  assert.deepEqual(
    report.unsorted.map(({ message }) => message),
    ['db.json exists and is not an empty folder'],
  )
})

test('no mutation of a file stops an import, or writes outside its folder', async () => {
  const sources: unknown[] = [
    {
      mappings: [
        { request: { method: 'GET', url: '/a', bodyPatterns: [{ equalToJson: '{}' }] }, response: { jsonBody: {} } },
        {
          request: {
            method: 'ANY',
            urlPattern: '/.*\\?a=.+',
            formParameters: { a: { matches: 'b', not: { contains: 'c' } }, d: { before: 'now' } },
            bodyPatterns: [
              { equalToJson: { a: [{ b: '${json-unit.regex}c' }] }, ignoreArrayOrder: true, ignoreExtraElements: true },
              { matchesJsonPath: { expression: '$.a[*].b', contains: 'c' } },
              { matchesJsonPath: '$.a[?(@.b =~ /c/i)]' },
            ],
          },
          response: { body: 'x', delayDistribution: { type: 'uniform', lower: 1, upper: 2 } },
        },
        {
          ...{ scenarioName: 's', requiredScenarioState: 'Started', newScenarioState: 't' },
          ...{ request: { method: 'GET', urlPathTemplate: '/a/{b}' }, response: { status: 200 } },
        },
      ],
    },
    [
      { httpRequest: { path: '/a', headers: { a: ['b'] } }, httpResponse: { body: { type: 'JSON', json: {} } } },
      {
        httpRequest: { path: '/.*', body: { type: 'PARAMETERS', parameters: { a: ['b', 'c'] } } },
        httpForward: { host: 'a', port: 1 },
        times: { remainingTimes: 1 },
      },
    ],
    { posts: [{ id: 1, a: [] }], one: { b: null } },
    {
      info: { name: 'x' },
      variable: [{ key: 'a', value: '{{a}}' }],
      item: [
        {
          name: 'b',
          auth: { type: 'apikey', apikey: [{ key: 'key', value: 'k' }] },
          request: {
            method: 'POST',
            url: { path: ['c', ':id'], query: [{ key: 'q' }] },
            body: { mode: 'raw', raw: '{}' },
          },
          response: [{ name: 'd', code: 201, body: '{"id":1}', header: [{ key: 'e', value: 'f' }] }],
        },
      ],
    },
    {
      lastMigration: 1,
      routes: [{ method: 'get', endpoint: 'a', responses: [{ body: '{{x}}', rules: [], headers: [] }] }],
    },
  ]
  const folder = join(home, 'mutated')
  mkdirSync(folder)
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('__proto__', '../../x', '{', '${', '/a/{b}/{b}', -1),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...sources),
      fc.array(fc.nat(40), { maxLength: 6 }),
      values,
      async (source, way, value) => {
        const whole = structuredClone({ source }) as Record<string, unknown>
        let at: Record<string, unknown> = whole
        for (const step of way) {
          const keys = Object.keys(at)
          const next = at[keys[step % keys.length] as string]
          if (typeof next !== 'object' || next === null || Object.keys(next).length === 0) break
          at = next as Record<string, unknown>
        }
        const keys = Object.keys(at)
        at[keys[(way[0] ?? 0) % keys.length] as string] = value
        writeFileSync(join(folder, 'file.json'), JSON.stringify(whole.source) ?? 'null')
        rmSync(join(folder, 'out'), { recursive: true, force: true })
        await importFiles(['file.json'], folder, new Diagnostics(), { output: 'out', wings: WINGS })
        assert.deepEqual(
          readdirSync(folder).filter(name => name !== 'out'),
          ['file.json'],
        )
      },
    ),
    { numRuns: cases(300) },
  )
})
