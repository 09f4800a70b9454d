import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess } from '../support/in-process.ts'
import { answers, documentOf, integer, naming, object, ref, string, takes } from '../support/small-document.ts'

type Fields = Readonly<Record<string, unknown>>

test('a parameter named filter with a default does not search', async () => {
  const filter = { in: 'query', name: 'filter', schema: { ...string, default: 'all' } }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/notes': {
          get: { parameters: [filter], ...answers(200, { type: 'array', items: ref('Note') }) },
          post: { ...takes(object({ text: string })), ...answers(201, ref('Note')) },
        },
        '/notes/{id}': { ...naming('id'), get: answers(200, ref('Note')) },
      },
      { Note: object({ id: string, text: string }) },
    ),
  )
  const made = (await send('POST /notes', { text: 'One' })).body as Fields
  for (const line of ['GET /notes', 'GET /notes?filter=all']) {
    assert.ok(
      ((await send(line)).body as Fields[]).some(one => one.id === made.id),
      line,
    )
  }
})

test('a POST without a body changes the fields that its query names, and no others', async () => {
  const status = { type: 'string', enum: ['available', 'sold'] }
  const query = ['name', 'status', 'dry-run'].map(name => ({ name, in: 'query', schema: string }))
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/pets': { post: { ...takes(ref('Pet')), ...answers(200, ref('Pet')) } },
        '/pets/{id}': {
          ...naming('id', integer),
          get: answers(200, ref('Pet')),
          post: { parameters: query, responses: { 400: { description: 'Invalid' } } },
        },
      },
      { Pet: object({ id: integer, name: string, status }, { required: ['name'] }) },
    ),
  )
  const { id } = (await send('POST /pets', { name: 'Rex', status: 'available' })).body as { id: number }
  await send(`POST /pets/${id}?name=Max`)
  assert.deepEqual((await send(`GET /pets/${id}`)).body, { id, name: 'Max', status: 'available' })
  const changed = await send(`POST /pets/${id}?status=sold`)
  assert.deepEqual(changed.body, { id, name: 'Max', status: 'sold' })
  assert.deepEqual((await send(`GET /pets/${id}`)).body, changed.body)
})

test('a generated record names records that exist where a field is called as their id', async () => {
  const collection = (name: string) => ({
    [`/${name}s`]: {
      get: answers(200, { type: 'array', items: ref(name) }),
      post: { ...takes(ref(name)), ...answers(201, ref(name)) },
    },
    [`/${name}s/{id}`]: { ...naming('id', integer), get: answers(200, ref(name)) },
  })
  const { send } = await inferredInProcess(
    documentOf(
      { ...collection('order'), ...collection('pet') },
      {
        pet: object({ id: integer, name: string }, { required: ['id', 'name'] }),
        order: object({ id: integer, petId: integer, paid: integer }, { required: ['id', 'petId', 'paid'] }),
      },
    ),
  )
  for (const { petId } of (await send('GET /orders')).body as { petId: number }[]) {
    assert.equal((await send(`GET /pets/${petId}`)).status, 200)
  }
  assert.equal((await send('POST /orders', { id: 77, petId: 4711, paid: 1 })).status, 201)
})
