import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess } from '../support/in-process.ts'
import { answers, documentOf, integer, naming, object, ref, string, takes } from '../support/small-document.ts'

test('generated records have ids by which a path can name them, though the record has them as texts', async () => {
  const order = object({ Id: string, total: integer })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/orders': {
          get: answers(200, { type: 'array', items: ref('Order') }),
          post: { ...takes(ref('Order')), ...answers(201, ref('Order')) },
        },
        '/orders/{id}': { ...naming('id', integer), get: answers(200, ref('Order')) },
      },
      { Order: order },
    ),
  )
  const orders = (await send('GET /orders')).body as { Id: string }[]
  assert.ok(orders.length > 0)
  for (const { Id } of orders) assert.equal((await send(`GET /orders/${Id}`)).status, 200, Id)
})
