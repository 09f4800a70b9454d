import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { importOf, lost, mockoonResponse, mockoonRule } from './imports.ts'

const JSON_REPLY = { 'Content-Type': 'application/json' }
const idsIn = (reply: string) => (JSON.parse(reply.slice(4)) as { id: unknown }[]).map(({ id }) => id)

test('lists of a db.json of json-server 0.17 are filtered, sorted and cut as there', async () => {
  const db = {
    posts: Array.from({ length: 25 }, (_, i) => ({
      id: i + 1,
      title: `post ${i + 1}`,
      views: (i * 37) % 100,
      userId: 1 + (i % 3),
      author: { name: i % 2 ? 'Bob' : 'ann' },
    })),
    users: [1, 2, 3].map(id => ({ id, name: `user ${id}` })),
    tags: [{ name: 'a' }, { name: 'b' }],
  }
  const imported = await importOf({ 'db.json': db })
  assert.deepEqual(lost(imported), ['1:1933 records of "tags" have no id of their own, and get one'])
  const { send } = imported
  const ids = async (query: string) => idsIn(await send(`GET /posts${query}`))
  assert.equal((await ids('')).length, 25)
  assert.deepEqual(await ids('?id=3&id=20'), [3, 20])
  assert.deepEqual(await ids('?views=37'), [2])
  assert.deepEqual(await ids('?views_gte=30&views_lte=37'), [2, 10])
  assert.deepEqual(await ids('?author.name=Bob&title_like=T%202'), [2, 20, 22, 24])
  assert.deepEqual(await ids('?_start=1&_limit=2'), [2, 3])
  assert.deepEqual(await ids('?_start=1&_limit=1'), [2])
  assert.deepEqual(await ids('?_page=2&_limit=2'), [3, 4])
  assert.equal((await ids('?_page=1')).length, 10)
  assert.deepEqual(await ids('?_sort=views&_order=desc&_limit=1'), [9])
  assert.deepEqual(idsIn(await send('GET /tags')), [1, 2])
  assert.match(await send('POST /posts', { id: 77, title: 'mine' }), /^201 .*"id":77/)
  assert.equal(await send('DELETE /users/1'), '200 {}')
  assert.equal((await ids('?userId=1')).length, 0)
})

test('a db.json of single objects is imported if the command line names its kind', async () => {
  const profile = { name: 'ann', address: { city: 'Oslo', zip: '1' } }
  const unnamed = await importOf({ 'db.json': { profile } })
  assert.equal(unnamed.result, undefined)
  const { send } = await importOf({ 'db.json': { profile } }, 'db.json', { as: 'json-server' })
  assert.equal(await send('GET /profile'), `200 ${JSON.stringify(profile)}`)
  assert.equal(await send('POST /profile', { name: 'bob' }), '201 {"name":"bob"}')
  assert.equal(await send('GET /profile'), '200 {"name":"bob"}')
})

test('an update of a db.json may name some fields, and null removes one', async () => {
  const posts = [{ id: 1, title: 'a', date: '2020-01-01', author: { name: 'ann', age: 3 } }]
  const { send } = await importOf({ 'db.json': { posts, profile: { name: 'ann', age: 3 } } })
  assert.equal(await send('PATCH /profile', { age: null }), '200 {"name":"ann"}')
  assert.match(await send('PATCH /posts/1', { title: 5 }), /^400 /)
  assert.equal(
    await send('PATCH /posts/1', { date: null, author: { age: 4 } }),
    '200 {"id":1,"title":"a","author":{"name":"ann","age":4}}',
  )
})

test('lists of a db.json are filtered by members that some of the records have', async () => {
  const posts = [
    { id: 1, title: 'a', author: { name: 'ann' } },
    { id: 2, title: 'b', author: 'bob' },
  ]
  const { send } = await importOf({ 'db.json': { posts } })
  assert.deepEqual(idsIn(await send('GET /posts?author.name=ann')), [1])
  assert.deepEqual(idsIn(await send('GET /posts?author.name_ne=ann')), [2])
})

test('a db.json of json-server 1 has its pages and comparisons', async () => {
  const posts = Array.from({ length: 12 }, (_, i) => ({ id: `${i + 1}`, title: `post ${i + 1}`, views: i * 10 }))
  const { send, report } = await importOf({ 'db.json': { $schema: './schema.json', posts } })
  assert.deepEqual(report.unsorted, [])
  const ids = async (query: string) => idsIn(await send(`GET /posts${query}`))
  assert.deepEqual((await ids('')).slice(-3), ['10', '11', '12'])
  assert.deepEqual(await ids('?views:gt=90'), ['11', '12'])
  assert.deepEqual(await ids('?views_lt=10'), ['1'])
  assert.deepEqual(await ids('?id:in=3,12'), ['3', '12'])
  assert.deepEqual(await ids('?title:contains=1&_sort=-views'), ['12', '11', '10', '1'])
  const page = JSON.parse((await send('GET /posts?_page=2')).slice(4)) as Record<string, unknown>
  assert.deepEqual(
    { ...page, data: (page.data as unknown[]).length },
    {
      ...{ first: 1, prev: 1, next: null, last: 2, pages: 2, items: 12 },
      data: 2,
    },
  )
})

test('records of a db.json of json-server 0.17 get others by _embed and _expand', async () => {
  const posts = [
    { id: 1, title: 'one' },
    { id: 2, title: 'two' },
  ]
  const comments = [
    { id: 1, body: 'first', postId: 1 },
    { id: 2, body: 'second', postId: 1 },
  ]
  const [one, two] = posts
  const [first, second] = comments
  const imported = await importOf({ 'db.json': { posts, comments, tags: [{ id: 1 }] } })
  assert.deepEqual(lost(imported), [])
  const get = async (what: string) => JSON.parse((await imported.send(`GET ${what}`)).slice(4)) as unknown
  assert.deepEqual(await get('/posts/1?_embed=comments'), { ...one, comments })
  assert.deepEqual(await get('/comments/2?_expand=post'), { ...second, post: one })
  assert.deepEqual(await get('/posts?_embed=comments&_embed=other'), [
    { ...one, comments },
    { ...two, comments: [] },
  ])
  assert.deepEqual(await get('/comments?_expand=post&_limit=1'), [{ ...first, post: one }])
  assert.deepEqual(await get('/posts/1/comments?_expand=post&id=2'), [{ ...second, post: one }])
  assert.deepEqual(await get('/posts?_embed=tags'), posts)
  assert.deepEqual(await get('/tags?_embed=posts'), [{ id: 1 }])
})

test('records of a db.json of json-server 1 get those on both sides by _embed', async () => {
  const post = { id: '1', title: 'one' }
  const comment = { id: '7', body: 'first', postId: '1' }
  const imported = await importOf({ 'db.json': { posts: [post], comments: [comment] } })
  assert.deepEqual(lost(imported), [])
  const get = async (what: string) => JSON.parse((await imported.send(`GET ${what}`)).slice(4)) as unknown
  assert.deepEqual(await get('/posts/1?_embed=comments'), { ...post, comments: [comment] })
  assert.deepEqual(await get('/comments/7?_embed=post'), { ...comment, post })
  assert.deepEqual(await get('/posts?_embed=comments'), [{ ...post, comments: [comment] }])
  assert.deepEqual(await get('/comments?_embed=post&_embed=none'), [{ ...comment, post }])
  const page = (await get('/posts?_page=1&_embed=comments')) as { readonly data: unknown }
  assert.deepEqual(page.data, [{ ...post, comments: [comment] }])
  assert.match(await imported.send('DELETE /posts/1'), /^200 /)
  assert.deepEqual(await get('/comments'), [{ ...comment, postId: null }])
})

test('the package.json beside a db.json says which version of json-server it is for', async () => {
  const files = {
    'a/db.json': { posts: [{ id: 'x1', title: 'one' }] },
    'a/package.json': { devDependencies: { 'json-server': '^0.17.4' } },
  }
  const { send } = await importOf(files, 'a/db.json')
  assert.equal(await send('GET /posts?_page=1'), '200 [{"id":"x1","title":"one"}]')
})

test('an environment of Mockoon keeps empty replies, inverted rules, choices and its own collections', async () => {
  const route = (method: string, endpoint: string, ...responses: object[]) => ({
    ...{ type: 'http', method, endpoint },
    responses: responses.map(mockoonResponse),
  })
  const environment = {
    lastMigration: 33,
    headers: [{ key: 'Content-Type', value: 'application/json' }],
    data: [{ id: 'b', name: 'Books', value: '[{"id":"9","title":"Dune"},{"id":"10","title":"Emma"}]' }],
    routes: [
      route('delete', 'books/all', { statusCode: 204 }),
      route('get', 'broken', { statusCode: 503 }),
      route('get', 'inverted', { body: '"no"' }, { body: '"yes"', rules: [mockoonRule({ invert: true })] }),
      route('get', 'missing', { body: '"here"' }, { body: '"empty"', rules: [mockoonRule({ operator: 'null' })] }),
      route('get', 'choice', {
        body: "{ \"one\": \"{{oneOf (array 'a' 'b')}}\", \"flag\": {{oneOf (array 'true' 'true')}} }",
      }),
      route('get', 'block', {
        body: '{{setVar \'a\' 1}}{ {{#switch (queryParam \'x\')}}{{#case 1}}"a": 1{{/case}}{{#default}}"a": 2{{/default}}{{/switch}}, "b": {{#if x}}true{{else}}false{{/if}} }',
      }),
      route('get', 'list', { body: '[{{#repeat (faker \'number.int\' min=2 max=9)}}{ "i": {{@index}} }{{/repeat}}]' }),
      { type: 'crud', endpoint: 'books', responses: [mockoonResponse({ databucketID: 'b', bodyType: 'DATABUCKET' })] },
      route('all', '*', { statusCode: 401, rules: [mockoonRule({ target: 'header' })] }),
    ],
  }
  const imported = await importOf({ 'shop.json': environment })
  const told = lost(imported).map(one => one.replace(/^\S+ /, ''))
  assert.deepEqual(
    told.sort(),
    [
      '{{#if x}} has no equal: of a block its first part is left, else nothing',
      'this route answers paths with one segment in place of "*", and not those with more',
      "{{setVar 'a' 1}} has no equal: of a block its first part is left, else nothing",
    ].sort(),
  )
  const { send, result } = imported
  assert.deepEqual(result?.tried.different, [])
  assert.equal(await send('GET /broken'), '503 ')
  assert.equal(await send('DELETE /books/all'), '204 ')
  assert.equal(await send('GET /inverted'), '200 "yes"')
  assert.equal(await send('GET /inverted?x=1'), '200 "no"')
  assert.deepEqual([await send('GET /missing'), await send('GET /missing?x=1')], ['200 "empty"', '200 "here"'])
  assert.match(await send('GET /choice'), /^200 \{"one":"[ab]","flag":true\}$/)
  assert.equal(await send('GET /block'), '200 {"a":2,"b":true}')
  assert.equal(await send('GET /block?x=1'), '200 {"a":1,"b":true}')
  assert.equal(await send('GET /list'), '200 [{"i":0},{"i":1}]')
  assert.deepEqual(idsIn(await send('GET /books')), ['9', '10'])
  assert.deepEqual(idsIn(await send('GET /books?title_like=em')), ['10'])
  assert.match(await send('POST /books', { id: 'own', title: 'Ulysses' }), /^201 .*"own"/)
  assert.equal(await send('DELETE /books/own'), '200 {}')
})

test('helpers of Mockoon and WireMock keep their bounds and the format of a time', async () => {
  const body =
    '{ "age": {{faker \'number.int\' min=18 max=65}}, "low": {{int -3 -3}}, "price": {{faker \'commerce.price\' min=2 max=3}}, "day": "{{now \'yyyy-MM-dd\'}}", "at": "{{now "dd.MM.yy \'at\' HH:mm"}}" }'
  const headers = [{ key: 'Content-Type', value: 'application/json' }]
  const odd = '{ "n": {{faker \'number.int\' multipleOf=5}}, "week": "{{now \'II\'}}" }'
  const route = (endpoint: string, text: string) => ({
    ...{ type: 'http', method: 'get', endpoint },
    responses: [mockoonResponse({ body: text, headers })],
  })
  const environment = { name: 'a', endpointPrefix: '', routes: [route('ages', body), route('odd', odd)] }
  const imported = await importOf({ 'shop.json': environment })
  assert.deepEqual(
    lost(imported)
      .map(one => one.replace(/^\S+ /, ''))
      .sort(),
    [
      '"multipleOf=5" of the generated "number.int" has no equal',
      "{{now 'II'}} has no equal: of a block its first part is left, else nothing",
    ],
  )
  for (let i = 0; i < 50; i++) {
    const { age, low, price, day, at } = JSON.parse((await imported.send('GET /ages')).slice(4))
    assert.ok(Number.isInteger(age) && age >= 18 && age <= 65, `${age}`)
    assert.ok(price >= 2 && price < 3, `${price}`)
    assert.deepEqual([low, day, at], [-3, '2026-06-01', '01.06.26 at 00:00'])
  }
  const response = { body: "{{now format='dd/MM/yyyy'}}", transformers: ['response-template'] }
  const stubs = await importOf({ 'all.json': { mappings: [{ request: { method: 'GET', url: '/now' }, response }] } })
  assert.equal(await stubs.send('GET /now'), '200 01/06/2026')
})

test('an environment of Mockoon keeps guards, raw texts, data, latency, headers and random replies', async () => {
  const route = (endpoint: string, ...responses: object[]) => ({
    ...{ type: 'http', method: 'get', endpoint },
    responses: responses.map(mockoonResponse),
  })
  const guard = mockoonRule({ target: 'header', modifier: 'Authorization', operator: 'null' })
  const environment = {
    lastMigration: 33,
    latency: 20,
    headers: [{ key: 'Content-Type', value: 'application/json' }],
    data: [{ id: 'c', name: 'Settings', value: '{"shop":{"open":true}}' }],
    routes: [
      {
        ...route('own/*', { statusCode: 401, body: '{"no":1}', rules: [guard] }),
        method: 'all',
        responseMode: 'FALLBACK',
      },
      route('own/orders', { body: '[]' }),
      route('up', { body: 'UP' }),
      route('slow', {
        body: '{"shop":{{data "Settings" "shop"}}}',
        latency: 500,
        headers: [{ key: 'X-Plan', value: 'a' }],
      }),
      { ...route('coin', { body: '"heads"' }, { body: '"tails"', statusCode: 202 }), responseMode: 'RANDOM' },
      route(
        'not',
        { body: '"yes"' },
        { body: '"no"', rules: [mockoonRule({ operator: 'regex', value: '^(?!.*abc).*$' })] },
      ),
      {
        ...route('echo', { statusCode: 201, body: '{"all":{{body}},"name":"{{body \'name\' \'none\'}}"}' }),
        method: 'post',
      },
      route('who', {
        body: '{{#if (eq (queryParam \'as\') \'ann\')}}{"ann":true}{{else}}{"ann":false}{{/if}}',
      }),
      route(
        'var',
        { body: '"unset"' },
        { body: '"set"', rules: [mockoonRule({ target: 'global_var', modifier: 'x' })] },
      ),
    ],
  }
  const imported = await importOf({ 'shop.json': environment })
  const { send, reply, report, clock, result } = imported
  assert.deepEqual(
    report.unsorted.map(({ message, hint }) => `${message} (${hint})`),
    [
      'this route answers paths with one segment in place of "*", and not those with more (write a route for each)',
      '"equals" for "global_var" has no equal: the response is left out (keep it in a resource, or ask calls() in a rule: see docs/rules.md)',
    ],
  )
  assert.deepEqual([result?.tried.equal, result?.tried.alike, result?.tried.different], [3, 2, []])
  const key = { authorization: 'any' }
  assert.equal(await send('GET /own/orders'), '401 {"no":1}')
  assert.equal(await send('GET /own/orders', undefined, key), '200 []')
  assert.equal(await send('GET /own/else'), '401 {"no":1}')
  assert.equal(await send('GET /up'), '200 UP')
  assert.equal((await reply('GET /up')).headers['content-type'], 'application/json')
  const slow = await reply('GET /slow')
  assert.deepEqual([slow.body, slow.headers['x-plan']], ['{"shop":{"open":true}}', 'a'])
  assert.deepEqual(clock.slept.slice(-2), [20, 500])
  const coins = new Set<string>()
  for (let i = 0; i < 20; i++) coins.add(await send('GET /coin'))
  assert.deepEqual([...coins].sort(), ['200 "heads"', '202 "tails"'])
  assert.deepEqual([await send('GET /not?x=1abc'), await send('GET /not?x=1')], ['200 "yes"', '200 "no"'])
  assert.equal(await send('POST /echo', { n: 1 }), '201 {"all":{"n":1},"name":"none"}')
  assert.deepEqual([await send('GET /who?as=ann'), await send('GET /who')], ['200 {"ann":true}', '200 {"ann":false}'])
  assert.equal(await send('GET /var'), '200 "unset"')
})

test('the proxy of an environment of Mockoon is the upstream, and a file is sent with its type', async () => {
  const responses = [
    mockoonResponse({
      bodyType: 'FILE',
      filePath: 'logo.svg',
      headers: [{ key: 'Content-Type', value: 'image/svg+xml' }],
    }),
  ]
  const environment = {
    ...{ lastMigration: 33, proxyMode: true, proxyHost: 'http://127.0.0.1:9' },
    routes: [{ type: 'http', method: 'get', endpoint: 'logo', responses }],
  }
  const { send, folder, reply } = await importOf({ 'shop.json': environment, 'logo.svg': '<svg/>' })
  assert.equal(await send('GET /logo'), '200 <svg/>')
  assert.equal((await reply('GET /logo')).headers['content-type'], 'image/svg+xml')
  assert.match(readFileSync(join(folder, 'out/gateway.yaml'), 'utf8'), /^upstream:\s+url: http:\/\/127\.0\.0\.1:9$/m)
})

test('mappings of WireMock match cookies, and answer with the type of each', async () => {
  const post = (stream: boolean, response: object) => ({
    request: { method: 'POST', url: '/chat', bodyPatterns: [{ matchesJsonPath: `$[?(@.stream == ${stream})]` }] },
    response: { status: 200, ...response },
  })
  const { send, report } = await importOf({
    'mappings.json': {
      mappings: [
        { request: { method: 'GET', urlPath: '/me', cookies: { s: { matches: 'a+' } } }, response: { body: 'me' } },
        { priority: 9, request: { method: 'GET', urlPath: '/me' }, response: { status: 401 } },
        post(false, { jsonBody: { text: 'hi' }, headers: JSON_REPLY }),
        post(true, { body: 'data: hi', headers: { 'Content-Type': 'text/event-stream' } }),
        {
          request: { method: 'POST', url: '/echo', bodyPatterns: [{ matchesJsonPath: '$.id' }] },
          response: {
            body: '{"id":"{{jsonPath request.body \'$.id\'}}","on":"{{now format=\'yyyy-MM-dd\'}}"}',
            transformers: ['response-template'],
          },
        },
        {
          request: {
            method: 'POST',
            url: '/cve',
            bodyPatterns: [{ matchesJsonPath: '$.query[?(@.text =~ /.*CVE-1.*/)]' }],
          },
          response: { body: 'found' },
        },
      ],
    },
  })
  assert.deepEqual(report.unsorted, [])
  assert.equal(await send('GET /me', undefined, { cookie: 's=aa' }), '200 me')
  assert.equal(await send('POST /chat', { stream: false }), '200 {"text":"hi"}')
  assert.equal(await send('POST /chat', { stream: true }), '200 data: hi')
  assert.match(await send('POST /echo', { id: 7 }), /^200 \{"id":"7","on":"\d{4}-\d\d-\d\d"\}$/)
  assert.equal(await send('POST /cve', { query: { text: 'a CVE-1 b' } }), '200 found')
  assert.match(await send('POST /cve', { query: { text: 'none' } }), /^404/)
})

test('a scenario of WireMock may go round by requests to another path', async () => {
  const light = (from: string, to: string | undefined, method: string, url: string, body: string) => ({
    ...{ scenarioName: 'light', requiredScenarioState: from, ...(to && { newScenarioState: to }) },
    request: { method, url },
    response: { status: 200, body },
  })
  const { send, report } = await importOf({
    'mappings.json': {
      mappings: [
        light('Started', 'on', 'POST', '/toggle', 'now on'),
        light('on', 'Started', 'POST', '/toggle', 'now off'),
        light('Started', undefined, 'GET', '/light', 'off'),
        light('on', undefined, 'GET', '/light', 'on'),
      ],
    },
  })
  assert.deepEqual(report.unsorted, [])
  const seen = []
  for (const what of ['GET /light', 'POST /toggle', 'GET /light', 'POST /toggle', 'GET /light'])
    seen.push(await send(what))
  assert.deepEqual(seen, ['200 off', '200 now on', '200 on', '200 now off', '200 off'])
})
