// Requests are filtered by their headers and bodies.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Entry } from 'har-format'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { CONTRACT, OPERATIONS } from '../simulate.ts'
import { fileOf } from '../support/in-process.ts'
import { ask } from './ask.ts'

let gateway: RunningGateway
before(async () => {
  const journal = 'journal: { bodies: 200B, headers: [X-Request-Id, X-Key, Authorization] }'
  gateway = await startGateway({ config: fileOf(`${CONTRACT}\n${journal}\noperations: ${OPERATIONS}`) })
  const json = { 'content-type': 'application/json' }
  for (const [headers, body] of [
    [
      { 'x-request-id': 'a-1', 'x-key': 'ann-key' },
      { name: 'Rex', tags: ['dog', 5], 'a/b': null },
    ],
    [{ 'x-request-id': 'a-2', authorization: 'Bearer unknown-token' }, { name: 'Ada' }],
    [{}, { name: 'x'.repeat(500) }],
  ] as const) {
    const options = { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) }
    assert.equal((await ask(`${gateway.url}/things`, options)).status, 201)
  }
  await ask(`${gateway.url}/things`, { headers: { 'x-request-id': 'b' } })
})
after(() => gateway.close())

const requests = async (query: string) => {
  const { status, body } = await ask(`${gateway.control}/requests?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return (body as { requests: { id: number; headers?: Record<string, string> }[] }).requests
}

for (const [query, ids] of [
  ['header.x-request-id=a-1', [1]],
  ['header.X-Request-Id=a-*', [1, 2]],
  ['header.x-request-id=*', [1, 2, 4]],
  ['header.x-request-id=', [3]],
  ['body./name=Rex', [1]],
  ['body./name=*', [1, 2, 3]],
  ['body./tags/1=5', [1]],
  ['body./a~1b=null', [1]],
  ['body./tags/7=', [1, 2, 4]],
  ['body=*"Ada"*', [2]],
  ['operation=createThing&header.x-request-id=a-*&body./name=Ada', [2]],
] as const) {
  test(`GET /requests?${query}`, async () => {
    assert.deepEqual(
      (await requests(query)).map(({ id }) => id),
      ids,
    )
  })
}

test('kept headers are shown, and headers with credentials are masked', async () => {
  const [first, second, third] = await requests('operation=createThing')
  assert.deepEqual(first?.headers, { 'x-request-id': 'a-1', 'x-key': '***' })
  assert.deepEqual(second?.headers, { 'x-request-id': 'a-2', authorization: 'Bearer ***' })
  assert.deepEqual(third?.headers, {})
})

test('verify names the differences', async () => {
  const { body } = await ask(`${gateway.control}/requests/verify?header.x-request-id=a-1&body./name=Ada`)
  const { ok, nearest } = body as { ok: boolean; nearest: { differs: unknown }[] }
  assert.equal(ok, false)
  assert.deepEqual(
    nearest.map(({ differs }) => differs),
    [
      [{ key: 'header.x-request-id', wanted: 'a-1', found: 'a-2' }],
      [{ key: 'body./name', wanted: 'Ada', found: 'Rex' }],
    ],
  )
  const cut = await ask(`${gateway.control}/requests/verify?operation=createThing&header.x-request-id=&body./name=Rex`)
  const [miss] = (cut.body as { nearest: { differs: unknown }[] }).nearest
  assert.deepEqual(miss?.differs, [
    { key: 'body./name', wanted: 'Rex', found: '(only the first 200 characters are kept)' },
  ])
})

for (const [query, detail] of [
  ['header.__proto__=*', 'the journal does not keep the header __proto__; configure journal: { headers: [__proto__] }'],
  ['header.accept=*', 'the journal does not keep the header accept; configure journal: { headers: [accept] }'],
  ['header.x y=1', '"x y" is not the name of a header; write header.x-request-id=42'],
  ['header.=1', '"" is not the name of a header; write header.x-request-id=42'],
  ['body.name=Rex', '"name" is not a JSON Pointer; write body./name=VALUE'],
  ['heder.x-key=1', 'unknown query parameter "heder.x-key"'],
] as const) {
  test(`GET /requests/verify?${query} is refused`, async () => {
    const { status, body } = await ask(`${gateway.control}/requests/verify?${query.replace(' ', '%20')}`)
    assert.equal(status, 400)
    assert.ok((body as { detail: string }).detail.startsWith(detail), (body as { detail: string }).detail)
  })
}

test('a filter by body is refused if the journal keeps no bodies', async () => {
  const plain = await startGateway({ config: fileOf(`${CONTRACT}\noperations: ${OPERATIONS}`) })
  try {
    const { status, body } = await ask(`${plain.control}/requests?body./name=Rex`)
    assert.equal(status, 400)
    assert.equal(
      (body as { detail: string }).detail,
      'the journal does not keep bodies; configure journal: { bodies: 4kB }',
    )
    assert.deepEqual((await ask(`${plain.control}/requests`)).body, { requests: [], total: 0, more: false, evicted: 0 })
  } finally {
    await plain.close()
  }
})

test('`world.verify` filters by headers and body, too', async () => {
  const world = gateway.world('by-content')
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'c' },
    body: '{"name":"Kim","size":7}',
  }
  await ask(`${world.baseUrl}/things`, options)
  assert.ok(world.verify({ header: { 'X-Request-Id': 'c' }, body: { '/name': 'Kim', '/size': 7 } }, 1).ok)
  assert.ok(!world.verify({ body: { '/size': 8 } }).ok)
  assert.throws(() => world.verify({ header: { accept: '*' } }), /does not keep the header accept/)
})

test('the journal is a HAR, with the bodies that are kept whole', async () => {
  const { body } = await ask(`${gateway.control}/requests?format=har&method=POST`)
  const { log } = body as { log: { version: string; entries: Entry[] } }
  assert.equal(log.version, '1.2')
  const [first, , third] = log.entries.map(({ request, response }) => [
    `${request.method} ${new URL(request.url).pathname}`,
    response.status,
    request.postData?.text,
  ])
  assert.deepEqual(first, ['POST /things', 201, '{"name":"Rex","tags":["dog",5],"a/b":null}'])
  assert.equal(third?.[2], '')
  assert.match(JSON.stringify(log), /"name":"authorization","value":"Bearer \*\*\*"/)
})
