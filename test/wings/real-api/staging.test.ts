import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importSnapshot } from '../../../src/gateway/restore.ts'
import { realApiObserver } from '../../../src/wings/real-api/observe.ts'
import { UpstreamFailure } from '../../../src/wings/real-api/upstream.ts'
import { takeSnapshot } from '../../../src/world/snapshot.ts'
import { type InProcess, inProcess, loadFiles } from '../../support/in-process.ts'
import { clientOf, STAGED_CONTRACT, StagingServer, stagedConfiguration } from './staging.ts'

const PATCH = { 'content-type': 'application/merge-patch+json' }

/** Two customers; invoices 1 to 5, of which the odd ones are open and of customer 1. */
function staged(
  more = '',
  fresh = '0s',
  edit = (yaml: string) => yaml,
): InProcess & { readonly staging: StagingServer } {
  const staging = new StagingServer()
  for (const id of [1, 2]) staging.customers.set(id, { id, name: `customer ${id}` })
  for (const id of [1, 2, 3, 4, 5]) {
    staging.invoices.set(id, { id, customer: id % 2 === 1 ? 1 : 2, status: id % 2 === 1 ? 'open' : 'paid', amount: id })
  }
  const process = inProcess({
    'gateway.yaml': edit(stagedConfiguration('http://staging/v1', fresh, more)),
    'openapi.yaml': STAGED_CONTRACT,
  })
  process.gateway.observed(realApiObserver).client = clientOf(staging)
  return { ...process, staging }
}

const idsIn = ({ body }: { readonly body: unknown }): number[] =>
  (body as { readonly data: readonly { readonly id: number }[] }).data.map(({ id }) => id)

test('a record is that of the real API until a world changes it, and again after a reset', async () => {
  const { send, gateway, staging } = staged()
  const inA = { 'understudy-world': 'a' }
  assert.equal((await send('GET /invoices/3')).headers['understudy-sandbox'], 'upstream')
  const changed = await send('PATCH /invoices/3', { amount: 30 }, { ...PATCH, ...inA })
  assert.deepEqual(
    [changed.status, changed.body, changed.headers['understudy-sandbox']],
    [200, { id: 3, customer: 1, status: 'open', amount: 30 }, 'world'],
  )
  assert.deepEqual((await send('GET /invoices/3', undefined, inA)).body, changed.body)
  assert.deepEqual((await send('GET /invoices/3')).body, staging.invoices.get(3))
  gateway.reset('a')
  const again = await send('GET /invoices/3', undefined, inA)
  assert.deepEqual([again.body, again.headers['understudy-sandbox']], [staging.invoices.get(3), 'upstream'])
})

test('a list has the deleted records gone, the changed replaced and the created where the order puts them', async () => {
  const { send } = staged()
  await send('DELETE /invoices/2')
  await send('PATCH /invoices/5', { amount: 0 }, PATCH)
  const created = await send('POST /invoices', { customer: 1, status: 'open', amount: 3 })
  const { id } = created.body as { readonly id: number }
  assert.equal(created.headers.location, `/invoices/${id}`)
  const all = await send('GET /invoices')
  assert.deepEqual(idsIn(all), [1, 3, 4, 5, id])
  assert.equal(all.headers['understudy-sandbox'], 'both')
  assert.deepEqual(idsIn(await send('GET /invoices?sort=amount')), [5, 1, 3, id, 4])
  assert.deepEqual(idsIn(await send('GET /invoices?sort=-amount&limit=2&offset=1')), [3, id])
  const { total } = (await send('GET /invoices?status=open&limit=1')).body as { readonly total: number }
  assert.equal(total, 4)
  assert.deepEqual(idsIn(await send('GET /customers/1/invoices')), [1, 3, 5, id])
})

test('conditional requests hold over both', async () => {
  const { send, staging } = staged()
  const { etag = '' } = (await send('GET /invoices/1')).headers
  assert.equal((await send('GET /invoices/1', undefined, { 'if-none-match': etag })).status, 304)
  const stale = await send('PATCH /invoices/1', { amount: 7 }, { ...PATCH, 'if-match': '"other"' })
  assert.equal(stale.status, 412)
  staging.invoices.set(1, { id: 1, customer: 1, status: 'open', amount: 100 })
  assert.equal((await send('PATCH /invoices/1', { amount: 7 }, { ...PATCH, 'if-match': etag })).status, 412)
  const { etag: next = '' } = (await send('GET /invoices/1')).headers
  const changed = await send('PATCH /invoices/1', { amount: 7 }, { ...PATCH, 'if-match': next })
  assert.equal(changed.status, 200)
  assert.notEqual(changed.headers.etag, next)
  assert.equal((await send('DELETE /invoices/1', undefined, { 'if-match': next })).status, 412)
})

test('a reference may name a record that only the real API has, and protects it', async () => {
  const { send } = staged()
  assert.equal((await send('POST /invoices', { customer: 2, status: 'open', amount: 3 })).status, 201)
  const dangling = await send('POST /invoices', { customer: 9, status: 'open', amount: 3 })
  assert.deepEqual(
    [dangling.status, /customer must be the id of a record in customers/.test(JSON.stringify(dangling.body))],
    [400, true],
  )
  assert.equal((await send('DELETE /customers/1')).status, 409)
  for (const id of [1, 3, 5]) await send(`DELETE /invoices/${id}`)
  assert.equal((await send('DELETE /customers/1')).status, 204)
  assert.equal((await send('GET /customers/1')).status, 404)
  assert.equal((await send('POST /invoices', { customer: 1, status: 'open', amount: 3 })).status, 400)
  assert.equal((await send('GET /customers/1/invoices')).status, 404)
})

test('states and rules hold over records of the real API', async () => {
  const { send, clock } = staged('', '0s', yaml =>
    yaml
      .replace(
        'references:',
        'states: { field: status, from: { draft: { open: {} }, open: { paid: { after: 1h } } } }, references:',
      )
      .replace(
        'deleteInvoice: {',
        'deleteInvoice: { rules: [{ when: \'record("invoices", 1) != null && record("invoices", 1).amount > 50\', respond: { status: 409 } }],',
      ),
  )
  assert.equal((await send('PATCH /invoices/2', { status: 'open' }, PATCH)).status, 409, 'paid is final')
  assert.equal((await send('PATCH /invoices/1', { amount: 60 }, PATCH)).status, 200)
  assert.equal((await send('DELETE /invoices/3')).status, 409, 'the rule sees what the world changed')
  clock.time += 3_600_000
  const { status } = (await send('GET /invoices/1')).body as { readonly status: string }
  assert.equal(status, 'paid', 'the time of a state begins when the world changes the record')
})

test('forks and snapshots carry the changes of a world', async () => {
  const { send, gateway } = staged()
  await send('DELETE /invoices/1')
  await send('PATCH /invoices/2', { amount: 20 }, PATCH)
  await send('POST /invoices', { customer: 1, status: 'open', amount: 3 })
  const { worlds } = gateway
  worlds.create('fork', worlds.default)
  const snapshot = JSON.parse(JSON.stringify(await takeSnapshot(worlds.default)))
  const restored = await importSnapshot(worlds, gateway.plan, 'restored', snapshot)
  assert.ok(!Array.isArray(restored), String(restored))
  worlds.put(restored)
  const all = (await send('GET /invoices')).body
  for (const name of ['fork', 'restored']) {
    assert.deepEqual((await send('GET /invoices', undefined, { 'understudy-world': name })).body, all)
  }
  await send('DELETE /invoices/3', undefined, { 'understudy-world': 'fork' })
  assert.deepEqual((await send('GET /invoices')).body, all)
})

test('a failure of the real API is 502 or 504, and its refusal is passed on', async () => {
  const { send, gateway, staging } = staged()
  await send('PATCH /invoices/2', { amount: 20 }, PATCH)
  const client = clientOf(staging)
  const answering = (status: number, text: string, fields: readonly string[] = []) => {
    gateway.observed(realApiObserver).client = {
      ...client,
      send: async () => ({
        status,
        fields,
        body: (async function* () {
          yield new TextEncoder().encode(text)
        })(),
        trailers: () => ({}),
      }),
    }
  }
  const failing = (late: boolean) => {
    gateway.observed(realApiObserver).client = {
      ...client,
      send: () => Promise.reject(new UpstreamFailure('the real API is away', late)),
    }
  }
  const cases: readonly (readonly [prepare: () => void, status: number])[] = [
    [() => failing(false), 502],
    [() => failing(true), 504],
    [() => answering(500, '{}'), 502],
    [() => answering(302, ''), 502],
    [() => answering(200, '<html>'), 502],
    [() => answering(200, '[]'), 502],
    [() => answering(200, `"${'x'.repeat(17_000_000)}"`), 502],
    [() => answering(401, '{}'), 401],
    [() => answering(403, '{}'), 403],
    [() => answering(429, '{}', ['Retry-After', '7']), 429],
  ]
  for (const [prepare, status] of cases) {
    prepare()
    const reply = await send('GET /invoices/1')
    assert.equal(reply.status, status, JSON.stringify(reply.body))
    assert.equal(reply.headers['retry-after'], status === 429 ? '7' : undefined)
    assert.equal((await send('PATCH /invoices/1', { amount: 3 }, PATCH)).status, status)
    assert.equal((await send('GET /invoices?limit=2')).status, status)
    assert.equal((await send('GET /invoices/2')).status, 200, 'what the world has needs no real API')
  }
})

test('only GET is ever sent, with the configured credentials and without what belongs to the request', async () => {
  const { send, staging } = staged('', '0s', yaml =>
    yaml.replace('url: "http://staging/v1"', 'url: "http://staging/v1", send: [authorization], set: { x-key: secret }'),
  )
  await send(
    'PUT /invoices/1',
    { customer: 1, status: 'paid', amount: 3 },
    { authorization: 'Bearer ann', cookie: 'a=b', 'if-match': '*' },
  )
  assert.deepEqual(staging.asked, ['GET /invoices/1', 'GET /customers/1'])
  const { via: _, ...headers } = staging.headers
  assert.deepEqual(headers, {
    authorization: 'Bearer ann',
    'x-key': 'secret',
    accept: 'application/json',
    'accept-encoding': 'identity',
  })
})

test('a reply is used again while it is fresh, for the same credentials only', async () => {
  const { send, staging } = staged('', '10s', yaml => yaml.replace('v1" }', 'v1", send: [authorization] }'))
  for (const world of ['a', 'b', 'a']) await send('GET /invoices/1', undefined, { 'understudy-world': world })
  assert.equal(staging.asked.length, 1)
  await send('GET /invoices/1', undefined, { authorization: 'Bearer ann' })
  assert.equal(staging.asked.length, 2)
})

test('a reply is used again for another trace', async () => {
  const { send, staging } = staged('', '10s')
  for (const digit of ['a', 'b']) {
    await send('GET /invoices/1', undefined, { traceparent: `00-${digit.repeat(32)}-00f067aa0ba902b7-01` })
  }
  assert.equal(staging.asked.length, 1)
})

test('a world creates, shows and deletes its own records while the real API is down', async () => {
  const { send, gateway } = staged('', '0s', yaml => yaml.replace(', references: { customer: customers }', ''))
  gateway.observed(realApiObserver).client = {
    send: async () => {
      throw new UpstreamFailure('the real API refuses connections', false)
    },
    close: async () => {},
  }
  const statusOf = async (...request: Parameters<typeof send>) => (await send(...request)).status
  assert.equal(await statusOf('POST /invoices', { customer: 1, amount: 5, status: 'open' }), 201)
  assert.equal(await statusOf('GET /invoices/1000000001'), 200)
  assert.equal(await statusOf('DELETE /invoices/1000000001'), 204)
  assert.equal(await statusOf('GET /invoices/1'), 502)
})

test('a condition over records that only the real API has is doubted, with a remedy', () => {
  const when = 'record("invoices", 7) == null || records("customers").size() > 1'
  const yaml = stagedConfiguration('http://staging/v1').replace(
    'getInvoice: { respond: { read: invoices } }',
    `getInvoice: { respond: { read: invoices }, rules: [{ when: '${when}', respond: { status: 404 } }] }`,
  )
  const { report } = loadFiles({ 'gateway.yaml': yaml, 'openapi.yaml': STAGED_CONTRACT })
  assert.deepEqual(
    report.list.map(({ severity, code, message, hint }) => [severity, code, message, hint]),
    ['invoices', 'customers'].map(name => [
      'warning',
      'unread-base',
      `the records of ${name} that only the real API has are not known here`,
      'use what the request has, or a resource without base',
    ]),
  )
})
