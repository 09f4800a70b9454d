// Inferred state for contracts with few details: undescribed replies, bounds as objects, misleading names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess } from '../../support/in-process.ts'
import { answers, documentOf, integer, naming, object, ref, string, takes } from '../../support/small-document.ts'

type Fields = Readonly<Record<string, unknown>>

test('inference ignores a PUT of a list on the collection', async () => {
  const fit = object({ id: { ...integer, readOnly: true }, name: string }, { required: ['id', 'name'] })
  const { send, gateway } = await inferredInProcess(
    documentOf(
      {
        '/tags': {
          get: answers(200, { type: 'array', items: ref('Tag') }),
          post: { ...takes(ref('Tag')), ...answers(201, ref('Tag')) },
          put: {
            ...takes({ type: 'array', items: ref('Tag') }),
            ...answers(200, { type: 'array', items: ref('Tag') }),
          },
        },
        '/tags/{id}': { ...naming('id', integer), get: answers(200, ref('Tag')) },
      },
      { Tag: fit },
    ),
  )
  assert.equal((await send('PUT /tags', [{ name: 'one' }])).status, 200)
  assert.equal(gateway.plan.simulation.file.operations?.['PUT /tags'], undefined)
})

test('a collection may have the name of a usual companion of records', async () => {
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/messages.json': {
          get: answers(200, object({ page: integer, messages: { type: 'array', items: ref('Message') } })),
          post: { ...takes(object({ body: string })), ...answers(201, ref('Message')) },
        },
        '/messages/{sid}.json': { ...naming('sid'), get: answers(200, ref('Message')) },
      },
      { Message: object({ sid: string, body: string }) },
    ),
  )
  const { sid } = (await send('POST /messages.json', { body: 'Hello' })).body as { sid: string }
  const { messages } = (await send('GET /messages.json')).body as { messages: Fields[] }
  assert.ok(messages.some(one => one.sid === sid))
})

test('bounds in a query object filter the list', async () => {
  const bounds = object({ gt: integer, gte: integer, lt: integer, lte: integer })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/orders': {
          get: {
            parameters: [
              { in: 'query', name: 'placed', style: 'deepObject', explode: true, schema: { anyOf: [bounds, integer] } },
            ],
            ...answers(200, { type: 'array', items: ref('Order') }),
          },
          post: { ...takes(object({ placed: integer })), ...answers(201, ref('Order')) },
        },
        '/orders/{id}': { ...naming('id', integer), get: answers(200, ref('Order')) },
      },
      { Order: object({ id: integer, placed: integer }) },
    ),
  )
  for (const placed of [5000, 6000, 7000]) await send('POST /orders', { placed })
  const placed = async (query: string) => {
    const { body } = await send(`GET /orders?${query}`)
    return (body as { placed: number }[]).map(one => one.placed).filter(one => one >= 5000)
  }
  assert.deepEqual(await placed('placed[gte]=6000'), [6000, 7000])
  assert.deepEqual(await placed('placed[gt]=5000&placed[lt]=7000'), [6000])
  assert.deepEqual(await placed('placed[lte]=5000&placed[gte]=5000'), [5000])
})

test('a parameter whose format differs from its field does not filter', async () => {
  const uuid = { type: 'string', format: 'uuid' }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/trips': {
          get: {
            parameters: [{ in: 'query', name: 'origin', schema: uuid }],
            ...answers(200, { type: 'array', items: ref('Trip') }),
          },
          post: { ...takes(object({ origin: string })), ...answers(201, ref('Trip')) },
        },
        '/trips/{id}': { ...naming('id', uuid), get: answers(200, ref('Trip')) },
      },
      { Trip: object({ id: { ...uuid, readOnly: true }, origin: { ...string, example: 'Berlin' } }) },
    ),
  )
  const { body } = await send('GET /trips?origin=efdbb9d1-02c2-4bc3-afb7-6788d8782b1e')
  assert.ok((body as unknown[]).length > 0)
})

test('a new record has an initial state, zero amounts and empty maps', async () => {
  const states = { ...string, enum: ['canceled', 'processing', 'succeeded'] }
  const required = ['status', 'amount_refunded', 'times_redeemed', 'metadata']
  const metadata = { type: 'object', additionalProperties: string }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/payments': {
          get: answers(200, { type: 'array', items: ref('Payment') }),
          post: { ...takes(object({ amount: integer })), ...answers(201, ref('Payment')) },
        },
        '/payments/{id}': { ...naming('id', integer), get: answers(200, ref('Payment')) },
      },
      {
        Payment: object(
          { id: integer, amount: integer, status: states, amount_refunded: integer, times_redeemed: integer, metadata },
          { required },
        ),
      },
    ),
  )
  const { id: _, ...rest } = (await send('POST /payments', { amount: 5 })).body as { id: number }
  assert.deepEqual(rest, { amount: 5, status: 'processing', amount_refunded: 0, times_redeemed: 0, metadata: {} })
})

for (const [what, responses, created] of [
  ['documents 201', { 200: { description: 'ok' }, 201: { description: 'new' } }, 201],
  ['documents 200 alone, beside no POST', { 200: { description: 'ok' } }, 200],
  ['documents 404', { 200: { description: 'ok' }, 404: { description: 'none' } }, 404],
] as const) {
  test(`a PUT on the item that ${what} answers ${created} for an unknown item`, async () => {
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/labels': { get: answers(200, { type: 'array', items: ref('Label') }) },
          '/labels/{key}': {
            ...naming('key'),
            get: answers(200, ref('Label')),
            put: { ...takes(object({ text: string }, { required: ['text'] })), responses },
          },
        },
        { Label: object({ key: string, text: string, createdAt: { ...string, format: 'date-time' } }) },
      ),
    )
    assert.equal((await send('PUT /labels/home', {})).status, 400)
    assert.equal((await send('PUT /labels/home', { text: 'Home' })).status, created)
    if (created === 404) return
    const made = { key: 'home', text: 'Home', createdAt: '2026-06-01T00:00:00.000Z' }
    assert.deepEqual((await send('GET /labels/home')).body, made)
    assert.equal((await send('PUT /labels/home', { text: 'House' })).status, 200)
    const { text } = (await send('GET /labels/home')).body as Fields
    assert.equal(text, 'House')
    const listed = (await send('GET /labels')).body as Fields[]
    assert.equal(listed.filter(one => one.key === 'home').length, 1)
  })
}

test('the first of two operations at one path has the state', async () => {
  const read = { operationId: 'read', ...answers(200, ref('Folder')) }
  const item = { ...naming('id'), get: read, delete: answers(204) }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/folders': { post: { ...takes(object({ name: string })), ...answers(201, ref('Folder')) } },
        '/folders/{id}': item,
        '/folders/{id}#links': { ...naming('id'), get: { operationId: 'links', ...answers(200, ref('Folder')) } },
      },
      { Folder: object({ id: string, name: string }) },
    ),
  )
  const made = (await send('POST /folders', { name: 'One' })).body as Fields
  assert.deepEqual((await send(`GET /folders/${made.id}`)).body, made)
  await send(`DELETE /folders/${made.id}`)
  assert.equal((await send(`GET /folders/${made.id}`)).status, 404)
})
