import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { amounts, closeAll, stand } from '../../real-api/wire/staged.ts'

after(closeAll)

test('the changes of a world outlast a restart where its state is kept in a file', async () => {
  const { staging, start } = await stand('state: { file: ./state, sync: always }')
  const first = await start()
  await Promise.all([
    first.ask('DELETE /invoices/1', 'a'),
    first.ask('PATCH /invoices/2', 'a', { amount: 20 }),
    first.ask('POST /invoices', 'a', { customer: 1, status: 'paid', amount: 9 }),
  ])
  await first.gateway.close()
  staging.invoices.set(4, { id: 4, customer: 1, status: 'open', amount: 4 })
  const second = await start()
  assert.deepEqual(amounts(await second.ask('GET /invoices', 'a')), [20, 3, 4, 9])
  assert.deepEqual(amounts(await second.ask('GET /invoices', 'b')), [1, 2, 3, 4])
})
