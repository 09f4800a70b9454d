import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { amounts, closeAll, stand } from './staged.ts'

after(closeAll)

test('two worlds share a staging, and neither meets the writes of the other', async () => {
  const { staging, start } = await stand()
  const { ask, control, gateway } = await start()
  assert.equal((await ask('DELETE /invoices/1', 'a')).status, 204)
  assert.equal((await ask('PATCH /invoices/2', 'a', { amount: 20 })).status, 200)
  assert.equal((await ask('POST /invoices', 'b', { customer: 1, status: 'paid', amount: 9 })).status, 201)
  assert.deepEqual(amounts(await ask('GET /invoices', 'a')), [20, 3])
  assert.deepEqual(amounts(await ask('GET /invoices', 'b')), [1, 2, 3, 9])
  assert.deepEqual(amounts(await ask('GET /invoices')), [1, 2, 3])
  const shown = (await control('GET /worlds/a/collections/invoices')) as readonly Record<string, unknown>[]
  assert.deepEqual(
    shown.map(one => [one.id, one['{deleted}'], one['{upstream}']]),
    [
      [1, true, undefined],
      [2, undefined, { id: 2, customer: 1, status: 'open', amount: 2 }],
    ],
  )
  await gateway.world('a').reset()
  assert.deepEqual(amounts(await ask('GET /invoices', 'a')), [1, 2, 3])
  assert.ok(
    staging.asked.every(one => one.startsWith('GET ')),
    staging.asked.join(),
  )
})

test('a staging that is late or away costs 504 and 502, and nothing that the world has', async () => {
  const { start, hang, close } = await stand('state: { history: true }')
  const { ask } = await start()
  await ask('PATCH /invoices/2', 'a', { amount: 20 })
  hang()
  const late = ask('GET /invoices/1', 'a')
  assert.equal((await ask('GET /invoices/2', 'a')).status, 200, 'no other request waits')
  assert.equal((await late).status, 504)
  close()
  const away = await ask('GET /invoices/1', 'a')
  assert.deepEqual([away.status, away.headers.get('content-type')], [502, 'application/problem+json'])
  assert.equal((await ask('DELETE /invoices/2', 'a')).status, 204)
})
