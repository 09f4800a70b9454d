import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { addToRecording, exchangesOf, RECORDING } from '../../../src/wings/project/recording.ts'
import { gatewayOf, sendTo } from '../../support/in-process.ts'
import { loadPlan } from '../../support/load.ts'
import { FixedClock } from '../../virtual-clock.ts'
import { get, home, proofOf, recordInto, scripted, serve } from './record-into.ts'
import {
  type Api,
  BLOG_TRAFFIC,
  blog,
  recorded,
  type Sent,
  TRAIN_CONTRACT,
  TRAIN_TRAFFIC,
  trains,
} from './recorded-api.ts'

test('a blog is recorded without a contract, and its stand-in gives every reply again', async () => {
  const made = await recordInto(await recorded(blog(), BLOG_TRAFFIC))
  assert.deepEqual([proofOf(made), made.different, made.said], ['25 of 25', [], []])
  const send = serve(made)
  const [, list] = await send('GET /api/articles')
  assert.deepEqual(
    (list as { articles: { slug: string; description: string }[] }).articles.map(one => one.description),
    ['Ever wonder?'],
  )
  assert.deepEqual((await send('GET /api/articles/how-to-feed-your-dragon'))[0], 404)
  const [, comments] = await send('GET /api/articles/how-to-train-your-dragon/comments')
  assert.deepEqual(
    (comments as { comments: { id: number }[] }).comments.map(one => one.id),
    [42],
  )
  const token = { authorization: 'Token any' }
  const article = { title: 'A new one', description: 'd', body: 'b', tagList: [] }
  const [status, created] = await send('POST /api/articles', { article }, token)
  assert.deepEqual(
    [status, (created as { article: { author: object } }).article.author],
    [201, { username: 'jake', bio: 'I work at statefarm', image: null, following: false }],
  )
  assert.deepEqual((await send('GET /api/user'))[0], 401)
  assert.deepEqual((await send('GET /api/profiles/jake'))[0], 200)
  assert.deepEqual((await send('GET /api/profiles/nobody'))[0], 404)
})

test('trains are recorded beside their contract, which stays as it is', async () => {
  const contract = join(home, 'trains.json')
  writeFileSync(contract, JSON.stringify(TRAIN_CONTRACT))
  const made = await recordInto(await recorded(trains(), TRAIN_TRAFFIC), { contract })
  assert.deepEqual([proofOf(made), made.different, made.said], ['12 of 12', [], []])
  assert.equal(readFileSync(contract, 'utf8'), JSON.stringify(TRAIN_CONTRACT))
  assert.match(made.read('gateway.yaml'), /contract:\n {2}- \.\.\/trains\.json\n {2}- \.\/examples\.overlay\.yaml\n/)
  assert.match(made.read('examples.overlay.yaml'), /overlay: 1\.1\.0[\s\S]*passenger_name: John Doe/)
  assert.equal(made.files.has('openapi.yaml'), false)
  const [status, page] = await serve(made)('GET /stations?country=FR', undefined, { authorization: 'Bearer any' })
  assert.deepEqual(
    [status, (page as { data: { name: string }[] }).data.map(one => one.name)],
    [200, ['Paris Gare du Nord']],
  )
  const bare = await recordInto(await recorded(trains(), TRAIN_TRAFFIC))
  assert.deepEqual([proofOf(bare), bare.different], ['12 of 12', []])
  assert.match(bare.read('openapi.yaml'), /\/bookings\/\{bookingId\}\/payment:/)
})

test('fields that the contract lacks are left out of the project, and this is said', async () => {
  const fields = { id: { type: 'integer', readOnly: true }, body: { type: 'string' }, owner: { type: 'string' } }
  const contractOf = (note: object) => {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } }
    const list = { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Note' } } } }
    const file = join(home, 'notes.json')
    const paths = {
      '/notes': {
        get: { operationId: 'listNotes', responses: { 200: { description: 'All', content: list } } },
        post: {
          operationId: 'createNote',
          requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
          responses: { 201: { description: 'The note', content } },
        },
      },
      '/notes/{id}': {
        get: {
          operationId: 'getNote',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          responses: { 200: { description: 'The note', content } },
        },
      },
    }
    const info = { title: 'Notes', version: '1' }
    writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info, paths, components: { schemas: { Note: note } } }))
    return file
  }
  const note = (id: number, rank: number) => ({ id, body: `n${id}`, owner: 'ann', color: 'green', rank })
  const traffic: Sent[] = [get('/notes'), { method: 'POST', path: '/notes', body: { body: 'n9' } }, get('/notes/9')]
  const api = () => scripted([200, [note(8, 1), note(3, 2)]], [201, note(9, 3)], [200, note(9, 3)])
  const made = await recordInto(await recorded(api(), traffic), {
    contract: contractOf({ type: 'object', properties: fields }),
  })
  assert.deepEqual(made.said, [
    'warning not-recorded: resources.notes.defaults.color is left out, because the contract refuses it: Note has no field "color"',
    'warning not-recorded: resources.notes.defaults.rank is left out, because the contract refuses it: Note has no field "rank"',
    'warning not-recorded: operations.listNotes.respond.sort is left out, because the contract refuses it: "rank" does not name a field to order by',
  ])
  assert.equal((await serve(made)('GET /notes/9'))[0], 200)
  const closed = { type: 'object', properties: fields, additionalProperties: false }
  const strict = await recordInto(await recorded(api(), traffic), { contract: contractOf(closed) })
  assert.deepEqual(await serve(strict)('GET /notes/9'), [200, { id: 9, body: 'n9', owner: 'ann' }])
  assert.match(strict.said.join('\n'), /fields of records that the contract lacks: notes\.color, notes\.rank$/m)
})

test('the pet store is recorded from its own gateway; a status that the contract lacks is listed', async () => {
  const config = join(import.meta.dirname, '../../../config')
  const clock = new FixedClock()
  const send = sendTo(gatewayOf(loadPlan(join(config, 'gateway.yaml'), home, {}), clock))
  const store: Api = async ({ method, path, query, body, token }, at) => {
    clock.time = at
    const line = `${method} ${path}${query === undefined ? '' : `?${query}`}`
    const reply = await send(line, body, token === undefined ? {} : { authorization: token })
    return { status: reply.status, body: reply.body, type: reply.headers['content-type'] as string }
  }
  const token = 'Bearer demo-key'
  const traffic: Sent[] = [
    { method: 'GET', path: '/v1/pets', token },
    { method: 'GET', path: '/v1/pets' },
    { method: 'GET', path: '/v1/pets', query: 'status=available&limit=2', token },
    { method: 'POST', path: '/v1/pets', body: { name: 'Ada', categoryId: 1 }, token },
    { method: 'POST', path: '/v1/pets', body: { name: 7 }, token },
    { method: 'GET', path: '/v1/pets/1', token },
    { method: 'GET', path: '/v1/pets/51', token },
    { method: 'GET', path: '/v1/pets/9999', token },
    { method: 'GET', path: '/v1/pets', token },
    { method: 'GET', path: '/v1/store/orders', token },
  ]
  const har = await recorded(store, traffic)
  const beside = await recordInto(har, { contract: join(config, 'openapi.yaml') })
  assert.deepEqual([proofOf(beside), beside.different], ['9 of 10', ['listOrders: 501 ≠ 200 (1)']])
  const [omitted] = beside.report.unsorted
  assert.equal(`${omitted?.message} in ${basename(omitted?.place.file ?? '')}`, BROKEN)
  assert.match(omitted?.hint ?? '', /^compare: understudy drift \S+\/recording\.har --config \S+\/gateway\.yaml$/)
  const bare = await recordInto(har)
  assert.deepEqual([proofOf(bare), bare.different], ['10 of 10', []])
})

const BROKEN = 'replies that break the contract: 1 in recording.har'

test('why replies are no examples is told by cause', async () => {
  const texts = Array.from({ length: 55 }, (_, i): readonly [number, string] => [200, `"${i}"`])
  const api = scripted(...texts, [200], [200, '7'])
  const traffic = Array.from({ length: 57 }, (_, i) => ({ method: 'GET', path: '/words', query: `q=${i}` }))
  const contract = join(home, 'words.yaml')
  writeFileSync(
    contract,
    `openapi: 3.1.0
info: { title: Words, version: "1" }
paths:
  /words:
    get:
      operationId: words
      parameters: [{ name: q, in: query, schema: { type: string } }]
      responses: { 200: { description: ok, content: { application/json: { schema: { type: string } } } } }
`,
  )
  const made = await recordInto(await recorded(api, traffic), { contract })
  assert.deepEqual(made.said, [
    'warning not-recorded: replies that break the contract: 1',
    'warning not-recorded: replies without the body that the contract documents: 1',
    'warning not-recorded: replies beyond the 50 examples of an operation: 5',
  ])
})

test('operations below an owner, and actions, are named as a person would', async () => {
  const order = { id: 1, state: 'open' }
  const customer = { id: 7, name: 'Ann' }
  const exchanges: readonly (readonly [string, unknown])[] = [
    ['GET /customers/7/orders', [order]],
    ['GET /customers', [customer]],
    ['GET /customers/7', customer],
    ['GET /orders', [order]],
    ['GET /orders/1', order],
    ['POST /orders/1/pay', { paid: true }],
    ['POST /orders/1/notes', { noted: true }],
  ]
  const api = scripted(...exchanges.map(([, body]) => [200, body] as const))
  const traffic = exchanges.map(([line]) => {
    const [method = '', path = ''] = line.split(' ')
    return { method, path }
  })
  const made = await recordInto(await recorded(api, traffic))
  const ids = [...made.read('openapi.yaml').matchAll(/operationId: (\S+)/g)].map(([, id]) => id)
  assert.deepEqual(ids.sort(), [
    'getCustomer',
    'getOrder',
    'listCustomerOrders',
    'listCustomers',
    'listOrders',
    'payOrder',
    'postOrdersByOrderIdNotes',
  ])
})

test('a record that is made twice, and a refusal that the stand-in has not, fail by no id of the replay', async () => {
  for (const id of [(n: number) => n, (n: number) => `00000000-0000-4000-8000-00000000000${n}`]) {
    const order = (n: number) => ({ id: id(n), state: 'open' })
    const api = scripted([200, [order(1)]], [200, order(1)], [201, order(2)], [422, { error: 'x' }], [201, order(2)])
    const create: Sent = { method: 'POST', path: '/orders', body: { state: 'open' } }
    const made = await recordInto(
      await recorded(api, [
        get('/orders'),
        get(`/orders/${id(1)}`),
        create,
        { ...create, body: { state: 'no' } },
        create,
      ]),
    )
    const [refused, again, ...others] = made.different
    assert.deepEqual([refused, others], ['createOrder: 422 ≠ 201 (1)', []])
    assert.match(again ?? '', /^createOrder: \/id "?[\d-]+"? ≠ "?[\da-f-]+"? \(1\)$/)
  }
})

test('a recording without times sets no latency', async () => {
  const har = JSON.parse(await recorded(scripted([200, [{ id: 1, name: 'a' }]]), [get('/things')])) as {
    log: { entries: { time: number; timings?: unknown }[] }
  }
  for (const entry of har.log.entries) Object.assign(entry, { time: 0, timings: undefined })
  const made = await recordInto(JSON.stringify(har))
  assert.deepEqual(made.said, [])
  assert.doesNotMatch(made.read('gateway.yaml'), /latency/)
})

test('each difference is named with its operation and its place, digit for digit', async () => {
  const invoice = (total: string) => `{"id":1,"total":${total},"lines":[{"amount":${total}}]}`
  const api = scripted([200, `[${invoice('12.50')}]`], [200, invoice('12.50')], [200, invoice('12.5')])
  const made = await recordInto(await recorded(api, [get('/invoices'), get('/invoices/1'), get('/invoices/1')]))
  assert.equal(proofOf(made), '2 of 3')
  assert.deepEqual(made.different, [
    'getInvoice: /total 12.5 ≠ 12.50 (1)',
    'getInvoice: /lines/*/amount 12.5 ≠ 12.50 (1)',
  ])
  assert.match(made.read('fixtures/invoices.yaml'), /\n {2}total: 12\.5\n/)
  const exact = await recordInto(await recorded(scripted([200, `[${invoice('12.50')}]`]), [get('/invoices')]))
  assert.match(exact.read('fixtures/invoices.yaml'), /"total":12\.50/)
})

test('the last state of a record wins, and one that is gone is gone', async () => {
  const thing = (id: number, name: string) => ({ id, name })
  const traffic: Sent[] = [
    get('/things'),
    { method: 'PUT', path: '/things/1', body: { name: 'second' } },
    { method: 'DELETE', path: '/things/2' },
    { method: 'POST', path: '/things', body: { name: 'made' } },
    get('/things/3'),
    get('/things'),
  ]
  const api = scripted(
    ...[[200, [thing(1, 'first'), thing(2, 'x'), thing(3, 'y')]] as const, [204] as const, [204] as const],
    ...[[201, thing(9, 'made')] as const, [404, { message: 'gone' }] as const],
    [200, [thing(1, 'second'), thing(9, 'made')]],
  )
  const made = await recordInto(await recorded(api, traffic))
  assert.match(made.read('fixtures/things.yaml'), /\n- id: 1\n {2}name: second\n- id: 9\n {2}name: made\n$/)
  // Somebody else deleted the third one.
  assert.deepEqual(made.different, [
    'getThing: 404 ≠ 200 (1)',
    'listThings:  has 2 items ≠ 3 (1)',
    'listThings: /*/id 9 ≠ 3 (1)',
    'listThings: /*/name "made" ≠ "y" (1)',
  ])
})

test('a field that a request adds to a record is none of it before', async () => {
  const traffic: Sent[] = [
    ...[get('/things'), get('/things/1')],
    { method: 'PATCH', path: '/things/1', body: { starred: true } },
    ...[get('/things/1'), get('/things')],
  ]
  const one = { id: 1, name: 'one', size: 5 }
  const starred = [200, { ...one, starred: true }] as const
  const api = scripted([200, [{ id: 1, name: 'one' }]], [200, one], starred, starred, [200, [starred[1]]])
  const made = await recordInto(await recorded(api, traffic))
  // A list may show less than a read.
  assert.deepEqual(made.different, ['listThings: /*/size absent ≠ 5 (1)'])
})

test('all replies that show a record of a collection share a schema, and its operations are named after it', async () => {
  const order = (id: number, total: number) => ({ id, total })
  const traffic: Sent[] = [
    get('/api/v2/orders'),
    { method: 'POST', path: '/api/v2/orders', body: { total: 5 } },
    get('/api/v2/orders/3'),
  ]
  const api = scripted([200, { data: [order(1, 12.5)], total: 1 }], [201, order(3, 5)], [200, order(3, 5)])
  const made = await recordInto(await recorded(api, traffic))
  assert.deepEqual([proofOf(made), made.different, made.said], ['3 of 3', [], []])
  const contract = made.read('openapi.yaml')
  assert.deepEqual(contract.match(/(?<=operationId: )\w+/g), ['listOrders', 'createOrder', 'getOrder'])
  assert.equal(contract.match(/"#\/components\/schemas\/Order"/g)?.length, 3)
  assert.match(contract, /total: \{ type: number \}/)
})

test('no field of a body is required because a single request or a partial update had it', async () => {
  const thing = { id: 1, name: 'a', size: 2 }
  const traffic: Sent[] = [
    get('/things'),
    { method: 'POST', path: '/things', body: { name: 'b', size: 3 } },
    { method: 'PATCH', path: '/things/1', body: { size: 4 } },
    { method: 'PATCH', path: '/things/1', body: { size: 5 } },
  ]
  const api = scripted(
    ...[[200, [thing]] as const, [201, { id: 2, name: 'b', size: 3 }] as const],
    ...[[200, { ...thing, size: 4 }] as const, [200, { ...thing, size: 5 }] as const],
  )
  const send = serve(await recordInto(await recorded(api, traffic)))
  assert.equal((await send('POST /things', { name: 'c' }))[0], 201)
  const order = { id: 1, address: { city: 'Oslo', zip: '1' }, lines: [{ sku: 'a', n: 1 }] }
  const once = scripted([200, [order]], [201, { ...order, id: 2 }])
  const { id: _, ...sent } = order
  const orders = serve(
    await recordInto(await recorded(once, [get('/orders'), { method: 'POST', path: '/orders', body: sent }])),
  )
  assert.equal((await orders('POST /orders', { address: { city: 'Rome' }, lines: [{ sku: 'b' }] }))[0], 201)
  assert.deepEqual(await send('PATCH /things/1', { name: 'z' }), [200, { id: 1, name: 'z', size: 5 }])
})

test('an action answers its last success, also where it failed when it was repeated', async () => {
  const pay: Sent = { method: 'POST', path: '/orders/1/pay' }
  const api = scripted([200, { paid: true }], [409, { error: 'paid already' }])
  const send = serve(await recordInto(await recorded(api, [pay, pay])))
  assert.deepEqual(await send('POST /orders/2/pay'), [200, { paid: true }])
})

test('requests to an operation without records are told apart by their values', async () => {
  const weather = (city: string): Sent => ({ method: 'GET', path: '/weather', query: `city=${city}` })
  const sum = (a: unknown): Sent => ({ method: 'POST', path: '/sum', body: { a, nested: { b: 'x "y"' } } })
  const cities = [weather('Oslo'), weather('Rome'), { ...weather('Rome'), query: 'filter%5Bcity%5D=Rome' }]
  const traffic = [...cities, sum(1), sum(2), sum('x'), { method: 'POST', path: '/ping' } as const]
  const api = scripted(
    [200, { sky: 'snow' }],
    [200, { sky: 'sun' }],
    [200, { sky: 'fog' }],
    [200, { total: 1 }],
    [422, { total: 0 }],
    [400, { total: 9 }],
    [202],
  )
  const made = await recordInto(await recorded(api, traffic))
  assert.deepEqual([proofOf(made), made.different], ['7 of 7', []])
  const send = serve(made)
  assert.deepEqual(await send('GET /weather?city=Rome'), [200, { sky: 'sun' }])
  assert.deepEqual(await send('POST /sum', { a: 2, nested: { b: 'x "y"' } }), [422, { total: 0 }])
  assert.deepEqual((await send('POST /sum', { a: 3, nested: { b: 'z' } }))[1], { total: 1 })
})

test('a request with a parameter that the contract lacks does not keep its reply out of the project', async () => {
  const contract = join(home, 'clock.json')
  const content = { 'application/json': { schema: { type: 'object' } } }
  const operation = { operationId: 'getTime', responses: { 200: { description: 'Now', content } } }
  const document = { openapi: '3.1.0', info: { title: 'Clock', version: '1' }, paths: { '/time': { get: operation } } }
  writeFileSync(contract, JSON.stringify(document))
  const api = scripted([200, { now: 1 }])
  const made = await recordInto(await recorded(api, [{ ...get('/time'), query: 'utm=x' }]), { contract })
  assert.deepEqual([proofOf(made), made.said], ['1 of 1', []])
})

test('a record has no members that a query added, and its texts that look like numbers stay texts', async () => {
  const post = { id: '1', title: 'first', authorId: '7' }
  const whole = { ...post, comments: [{ id: '3' }] }
  const created = { id: '2', title: 'second', authorId: '7' }
  const api = scripted([200, [post]], [200, [whole]], [200, [post]], [201, created], [200, created])
  const list = (query: string): Sent => ({ ...get('/posts'), query })
  const create: Sent = { method: 'POST', path: '/posts', body: { title: 'second', authorId: '7' } }
  const made = await recordInto(
    await recorded(api, [get('/posts'), list('_embed=comments'), list('authorId=7'), create, get('/posts/2')]),
  )
  assert.deepEqual([proofOf(made), made.different], ['4 of 5', ['listPosts: /*/comments array of 1 ≠ absent (1)']])
})

test('a list below an owner shows the records of the collection that it shares one with', async () => {
  const comment = (id: number, postId: number) => ({ id, body: `comment ${id}`, postId })
  const posts = [1, 2].map(id => ({ id, title: `post ${id}` }))
  const [first, second, third] = [comment(1, 1), comment(2, 2), comment(3, 1)]
  const api = scripted(
    [200, posts],
    [200, posts[0]],
    [200, [first, second]],
    [200, [first]],
    [201, third],
    [200, third],
  )
  const traffic = ['/posts', '/posts/1', '/comments', '/posts/1/comments'].map(get)
  const create: Sent = { method: 'POST', path: '/comments', body: { body: 'comment 3', postId: 1 } }
  const made = await recordInto(await recorded(api, [...traffic, create, get('/comments/3')]))
  assert.deepEqual([proofOf(made), made.different], ['6 of 6', []])
  assert.deepEqual(await serve(made)('GET /posts/1/comments'), [200, [first, third]])
})

test('ids in paths become parameters, by their form or because a reply has them', async () => {
  const uuid = '5f0c2a34-7d0b-4a52-8a5e-0d8f5e6b7c91'
  const traffic = [
    ...['/users/7/orders/8', `/teams/${uuid}`, '/repos/understudy', '/repos/unknown', '/repos/search', '/files/a%20b'],
    '/charges/ch_3Kq2xYz',
  ].map(get)
  const api = scripted(
    ...[[200, { id: 8 }] as const, [200, { id: uuid }] as const, [200, { name: 'understudy' }] as const],
    ...[
      [404, {}] as const,
      [200, { items: [] }] as const,
      [200, { path: 'a b' }] as const,
      [200, { id: 'ch_3Kq2xYz' }] as const,
    ],
  )
  const { read } = await recordInto(await recorded(api, traffic))
  assert.deepEqual(
    [...read('openapi.yaml').matchAll(/^ {2}(\/.*):$/gm)].map(([, path]) => path),
    [
      ...['/users/{userId}/orders/{orderId}', '/teams/{teamId}', '/repos/{name}', '/repos/search'],
      ...['/files/{path}', '/charges/{chargeId}'],
    ],
  )
})

test('a recording that is cut off is used as far as it is whole, and this is said', async () => {
  const har = await recorded(blog(), BLOG_TRAFFIC)
  const made = await recordInto(har.slice(0, har.length - 400))
  assert.equal(made.proof.tried, 24)
  assert.deepEqual(made.said, ['warning cut-off: the file ends within its list of entries; the 24 whole ones are used'])
})

test('a source without exchanges begins no recording', async () => {
  const report = new Diagnostics()
  const options = { source: 'none.har', personal: [], contract: undefined, version: '1.0.0' }
  const path = join(home, 'none', RECORDING)
  const found = await addToRecording(path, exchangesOf(join(home, 'none.har'), 'none.har', report), options, report)
  assert.deepEqual([found, report.list.map(({ code }) => code)], [{ added: 0, all: 0 }, ['unreadable-file']])
  assert.equal(readdirSync(home).includes('none'), false)
})

test('recording again adds and updates, repeats nothing, and keeps what a person has changed', async () => {
  const api = blog()
  const first = await recorded(api, BLOG_TRAFFIC)
  const { read, place } = await recordInto(first, { folder: 'again' })
  const files = ['gateway.yaml', 'openapi.yaml', 'examples.overlay.yaml', 'fixtures/articles.yaml']
  const before = files.map(read)
  const same = await recordInto(first, { folder: 'again' })
  assert.deepEqual([same.added, same.proof.tried, files.map(read)], [0, 25, before])
  writeFileSync(join(place.folder, 'gateway.yaml'), `${read('gateway.yaml')}\n# mine\n`)
  const article = { title: 'One more', description: 'd', body: 'b', tagList: [] }
  const more: Sent[] = [
    { method: 'POST', path: '/api/articles', token: 'Token eyJ.jake.secret', body: { article } },
    { method: 'GET', path: '/api/articles/one-more' },
  ]
  const grown = await recordInto(await recorded(api, more, undefined, 100), { folder: 'again' })
  assert.deepEqual([grown.added, proofOf(grown), grown.kept], [2, '27 of 27', ['gateway.yaml']])
  assert.match(read('gateway.yaml'), /\n# mine\n$/)
  assert.match(read('fixtures/articles.yaml'), /slug: how-to-train-your-dragon[\s\S]*slug: one-more/)
  // A file that is deleted is written anew.
  rmSync(join(place.folder, 'gateway.yaml'))
  assert.deepEqual((await recordInto(first, { folder: 'again' })).kept, [])
})

test('a kept gateway.yaml is proved with the seeds that it names, and the missing one is told', async () => {
  const order = { id: 1, total: 5 }
  const traffic = [get('/orders'), get('/orders/1')]
  const api = scripted([200, [order]], [200, order])
  const { read, place } = await recordInto(await recorded(api, traffic), { folder: 'kept-seeds' })
  const mine = read('gateway.yaml').replace('seed: ./fixtures/orders.yaml', 'seed: [{ id: 3, total: 9 }]')
  writeFileSync(join(place.folder, 'gateway.yaml'), `${mine}\n# mine\n`)
  const later = await recorded(scripted([200, order]), [get('/orders/1')], undefined, 100)
  const grown = await recordInto(later, { folder: 'kept-seeds' })
  assert.deepEqual(grown.said.slice(0, 1), [
    'warning unnamed-fixture: the recorded records of "orders" are not served: gateway.yaml was kept, and does not name ./fixtures/orders.yaml',
  ])
  assert.equal(grown.report.list[0]?.hint, 'seed: ./fixtures/orders.yaml')
  assert.equal(proofOf(grown), '0 of 3')
  assert.deepEqual(await serve(grown)('GET /orders'), [200, [{ id: 3, total: 9 }]])
  writeFileSync(join(place.folder, 'gateway.yaml'), mine.replace('{ id: 3, total: 9 }', '{ id: 1, total: 5 }'))
  assert.equal(proofOf(await recordInto(later, { folder: 'kept-seeds' })), '3 of 3')
})

test('pages, scripts, preflights and other origins are left out, and this is said', async () => {
  const har = JSON.parse(await recorded(blog(), BLOG_TRAFFIC.slice(0, 6))) as { log: { entries: object[] } }
  const page = {
    ...JSON.parse(await recorded(() => ({ status: 200, body: '<p>', type: 'text/html' }), [get('/')])),
  } as typeof har
  const foreign = JSON.parse(
    await recorded(() => ({ status: 200, body: {} }), [get('/collect')], 'https://ads.test'),
  ) as typeof har
  const all = { log: { ...har.log, entries: [...page.log.entries, ...foreign.log.entries, ...har.log.entries] } }
  const made = await recordInto(JSON.stringify(all))
  assert.equal(made.proof.tried, 6)
  assert.match(
    made.said.join(),
    /^warning left-out-exchanges: left out, because they are for pages, scripts, preflights or other origins: 2$/,
  )
})

test('the replies take as long as recorded, at their percentiles', async () => {
  const made = await recordInto(await recorded(blog(), BLOG_TRAFFIC))
  assert.match(made.read('gateway.yaml'), /latency: \{ p50: 6ms, p90: 10ms \}/)
})

test('a recording whose end is missing goes on after its last whole exchange', async () => {
  const har = await recorded(blog(), BLOG_TRAFFIC.slice(0, 3))
  const { place } = await recordInto(har, { folder: 'cut' })
  const path = join(place.folder, RECORDING)
  truncateSync(path, statSync(path).size - 100)
  const made = await recordInto(har, { folder: 'cut' })
  assert.deepEqual([made.added, made.proof.tried], [1, 3])
})

test('pages are followed by the cursors of the stand-in; a parameter with one value filters by a field of its name only', async () => {
  const all = [1, 2, 3, 4, 5].map(id => ({ id, kind: 'a' }))
  const api: Api = ({ query }) => {
    const { cursor, limit = '5' } = Object.fromEntries(new URLSearchParams(query))
    const from = cursor === undefined ? 0 : Number(atob(cursor))
    const end = from + Number(limit)
    const next = end < all.length ? btoa(String(end)) : null
    return { status: 200, body: { items: all.slice(from, end), next_cursor: next } }
  }
  const pages = ['', 'limit=2', 'limit=2&cursor=Mg%3D%3D', 'limit=2&cursor=NA%3D%3D&v=5', 'kind=a']
  const made = await recordInto(
    await recorded(
      api,
      pages.map(query => ({ ...get('/things'), query })),
    ),
  )
  assert.deepEqual([proofOf(made), made.different], ['5 of 5', []])
  assert.match(made.read('gateway.yaml'), /filter: \[ kind \]/)
})

test('recording again keeps the names of operations, so a kept gateway.yaml loads', async () => {
  const post = (a: number): Sent => ({ method: 'POST', path: '/orders', body: { a } })
  const api = scripted([202, { queued: true }], [200, { n: 1 }], [200, { n: 1 }])
  const made = await recordInto(await recorded(api, [post(1), get('/items/best'), get('/items')]), {
    folder: 'kept-names',
  })
  const idsOf = () => [...made.read('openapi.yaml').matchAll(/operationId: (\w+)/g)].map(([, id]) => id)
  const before = idsOf()
  writeFileSync(join(made.place.folder, 'gateway.yaml'), `${made.read('gateway.yaml')}# mine\n`)
  const order = { id: 1, a: 1 }
  const item = (slug: string) => [200, { slug, n: 1 }] as const
  const later = scripted([200, [order]], [201, order], [200, order], item('other'), item('best'))
  const more = [get('/orders'), post(2), get('/orders/1'), get('/items/other'), get('/items/best')]
  const grown = await recordInto(await recorded(later, more, undefined, 100), { folder: 'kept-names' })
  assert.deepEqual(grown.kept, ['gateway.yaml'])
  assert.deepEqual(before, ['postOrders', 'getItemsBest', 'getItems'])
  assert.deepEqual(idsOf().sort(), [
    'getItems',
    'getItemsBest',
    'getItemsBySlug',
    'getOrder',
    'listOrders',
    'postOrders',
  ])
  assert.deepEqual(await serve(grown)('GET /items/best'), [200, { slug: 'best', n: 1 }])
})

test('the examples of the rules in a kept gateway.yaml stay when recording again', async () => {
  const weather = (city: string): Sent => ({ method: 'GET', path: '/weather', query: `city=${city}` })
  const cities = ['Oslo', 'Rome']
  const api = () => scripted([200, { sky: 'snow' }], [200, { sky: 'sun' }])
  const first = await recordInto(await recorded(api(), cities.map(weather)), { folder: 'kept-examples' })
  writeFileSync(join(first.place.folder, 'gateway.yaml'), `${first.read('gateway.yaml')}# mine\n`)
  const again = await recordInto(await recorded(api(), cities.map(weather), undefined, 100), {
    folder: 'kept-examples',
  })
  assert.deepEqual([again.kept, proofOf(again)], [['gateway.yaml'], '4 of 4'])
  assert.deepEqual(await serve(again)('GET /weather?city=Rome'), [200, { sky: 'sun' }])
})

test('a gateway.yaml that is kept after a part of the traffic loads once all of it is recorded', async () => {
  const parts: readonly (readonly [traffic: readonly Sent[], lines: readonly string[]])[] = [
    [BLOG_TRAFFIC, ['DELETE /api/articles/how-to-feed-your-dragon', 'GET /api/articles/how-to-feed-your-dragon']],
    [BLOG_TRAFFIC, ['DELETE /api/articles/how-to-train-your-dragon/comments/41', 'GET /api/tags']],
    [BLOG_TRAFFIC, ['GET /api/articles/how-to-train-your-dragon', 'GET /api/articles/how-to-lose-your-dragon']],
    [TRAIN_TRAFFIC, [`POST /bookings/${TRAIN_TRAFFIC[6]?.path.split('/')[2]}/payment`, 'GET /stations']],
  ]
  for (const [i, [traffic, lines]] of parts.entries()) {
    const api = traffic === BLOG_TRAFFIC ? blog : trains
    const folder = `kept-part-${i}`
    const some = traffic.filter(({ method, path }) => lines.includes(`${method} ${path}`))
    const { read, place } = await recordInto(await recorded(api(), some), { folder })
    writeFileSync(join(place.folder, 'gateway.yaml'), `${read('gateway.yaml')}# mine\n`)
    const grown = await recordInto(await recorded(api(), traffic, undefined, 100), { folder })
    assert.deepEqual(grown.kept, ['gateway.yaml'])
  }
})

test('pages have the size that the replies tell, where requests leave it out', async () => {
  const all = Array.from({ length: 7 }, (_, i) => ({ id: i + 1, name: `n${i + 1}` }))
  const list = (query: string): Sent => ({ method: 'GET', path: '/things', query })
  const api = ({ query }: Sent) => {
    const given = new URLSearchParams(query)
    const [page, size] = [Number(given.get('page') ?? 1), Number(given.get('per_page') ?? 3)]
    const data = all.slice((page - 1) * size, page * size)
    return { status: 200, body: { data, page, per_page: size, total: 7 } }
  }
  const made = await recordInto(await recorded(api, ['', 'page=2', 'page=3', 'page=1&per_page=5'].map(list)))
  assert.deepEqual([proofOf(made), made.different], ['4 of 4', []])
  assert.match(made.read('gateway.yaml'), /page: \{ parameter: page, size: 3 \}/)
})
