import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Gateway } from '../../../src/gateway/gateway.ts'
import { describeEntry, type RecordedRequest } from '../../../src/gateway/journal/entry.ts'
import { silentLog } from '../../../src/gateway/log.ts'
import { describeAsCurl } from '../../../src/wings/probe/curl.ts'
import { replay, send } from '../../../src/wings/probe/send.ts'
import { realClock } from '../../../src/world/clock.ts'
import { OPERATIONS, simulate } from '../../simulate.ts'
import { load } from '../../support/in-process.ts'

const SECURED = `\noperations: ${OPERATIONS}`
const desk = () => {
  const { ask, gateway } = simulate(SECURED)
  const last = () => [...gateway.journal.each()].at(-1)
  return { ask, gateway, last, told: () => describeEntry(last() as never) }
}

test('a request is sent in process and described in full', async () => {
  const { gateway } = desk()
  const sent = await send(gateway, { method: 'POST', path: '/things', body: '{"name":"three"}', consumer: 'ann' })
  assert.equal(sent.reply.status, 201)
  assert.deepEqual(JSON.parse(sent.reply.body ?? ''), { id: 3, name: 'three' })
  const { request } = sent
  assert.equal(request?.consumer, 'ann')
  assert.equal(request?.headers?.['x-key'], '***')
  assert.equal(request?.requestBody?.text, '{"name":"three"}')
  assert.equal(request?.replyHeaders?.['content-type'], 'application/json')
  assert.equal(request?.explanation?.replied, 'respond: create things')
  assert.equal(gateway.journal.watched, false)
})

for (const scheme of [
  '{ type: http, scheme: basic }',
  '{ type: http, scheme: bearer }',
  '{ type: apiKey, in: header, name: x-key }',
  '{ type: apiKey, in: query, name: key }',
  '{ type: apiKey, in: cookie, name: key }',
]) {
  test(`a gateway without consumers accepts a generated credential: ${scheme}`, async () => {
    const contract = `{ openapi: 3.1.0, info: { title: T, version: '1' }, security: [{ key: [] }],
      components: { securitySchemes: { key: ${scheme} } },
      paths: { /a: { get: { operationId: getA, responses: { '204': { description: Done } } } } } }`
    const { plan } = load(`contract: ${contract}`)
    assert.ok(plan)
    const gateway = new Gateway(plan, realClock, silentLog, '0')
    const sending = { method: 'GET', path: '/a' } as const
    assert.equal((await send(gateway, sending)).reply.status, 401)
    assert.equal((await send(gateway, { ...sending, credential: 'any' })).reply.status, 204)
  })
}

test('a fault of the wire is described', async () => {
  const { gateway } = simulate(`\noperations: { listThings: { fault: { kind: reset } } }`)
  const { reply } = await send(gateway, { method: 'GET', path: '/things' })
  assert.deepEqual([reply.status, reply.wire, reply.body], [0, 'reset', null])
})

test('a request can name a world and a time', async () => {
  const { gateway } = desk()
  const { request } = await send(gateway, { method: 'GET', path: '/things', world: 'ada', time: '2030-12-06' })
  assert.equal(request?.world, 'ada')
  assert.match(request?.time ?? '', /^2030-12-06/)
})

test('concurrent requests are told apart', async () => {
  const { gateway } = desk()
  const sent = await Promise.all([1, 2].map(id => send(gateway, { method: 'GET', path: `/things/${id}` })))
  assert.deepEqual(
    sent.map(({ request }) => request?.path),
    ['/things/1', '/things/2'],
  )
})

test('while a console watches, requests are kept in full, and replies do not change', async () => {
  const { ask, gateway, told } = desk()
  const stop = gateway.journal.watch()
  const reply = await ask('GET /things/1', { headers: { 'x-key': 'ann-key', cookie: 'a=b', 'x-request-id': '42' } })
  assert.equal(reply.headers['understudy-explanation'], undefined)
  const { headers, replyHeaders, replyBody, explanation } = told() as RecordedRequest
  assert.deepEqual(headers, { 'x-key': '***', cookie: '***', 'x-request-id': '42' })
  assert.equal(replyHeaders?.['content-type'], 'application/json')
  assert.equal(replyBody?.text, '{"id":1,"name":"one"}')
  assert.equal(explanation?.passed.at(-1), 'respond')
  stop()
  stop()
  await ask('GET /things/1')
  assert.equal(told().headers, undefined)
  assert.equal(told().explanation, undefined)
})

test('a request is sent again, with the credential that it had', async () => {
  const { ask, gateway, last } = desk()
  const stop = gateway.journal.watch()
  await ask('POST /things', { body: { name: 'three' }, headers: { 'x-key': 'ann-key' } })
  stop()
  const sent = await replay(gateway, last() as never, 'ada')
  assert.ok(typeof sent === 'object')
  assert.deepEqual([sent.request?.world, sent.request?.consumer, sent.reply.status], ['ada', 'ann', 201])
})

test('a request without kept headers is repeated with a credential of its consumer', async () => {
  const { ask, gateway, last } = desk()
  await ask('GET /things/1', { headers: { 'x-key': 'bob-key' } })
  const sent = await replay(gateway, last() as never)
  assert.ok(typeof sent === 'object')
  assert.deepEqual([sent.request?.consumer, sent.reply.status], ['bob', 200])
})

test('a body that was not kept cannot be sent again', async () => {
  const { ask, gateway, last } = desk()
  await ask('POST /things', { body: { name: 'three' } })
  assert.match(String(await replay(gateway, last() as never)), /did not keep its headers and body/)
})

test('a request as a curl command has masked credentials and escaped quotes', async () => {
  const { ask, gateway, last } = desk()
  gateway.journal.watch()
  await ask('POST /things?a=b', {
    body: { name: "it's" },
    headers: { 'x-key': 'ann-key', host: 'x', 'understudy-world': 'ada' },
  })
  assert.equal(
    describeAsCurl(last() as never, 'http://127.0.0.1:4010', 'default'),
    `curl -i -X POST -H 'content-type: application/json' -H 'x-key: ***' -H 'Understudy-World: ada' --data-raw '{"name":"it'\\''s"}' 'http://127.0.0.1:4010/things?a=b'\n`,
  )
})
