// Requests that keep to a contract in unusual ways: inferred state accepts them, and shows the new records.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { serveInferred } from './serve-inferred.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ok = (schema: object, status = 200) => ({ responses: { [status]: { description: 'ok', ...json(schema) } } })
const takes = (schema: object, required = true) => ({ requestBody: { required, ...json(schema) } })
const inPath = (name: string, schema: object) => ({ in: 'path', name, required: true, schema })
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const text = { type: 'string' }
const number = { type: 'integer' }
const gone = { delete: { responses: { 204: { description: 'gone' } } } }
const served = (paths: object, schemas: object = {}) =>
  serveInferred(
    JSON.stringify({ openapi: '3.0.3', info: { title: 'Requests', version: '1' }, paths, components: { schemas } }),
  )
const idsIn = (body: unknown) => (body as { id: number }[]).map(({ id }) => id)

suite('inferred state', () => {
  test('keeps the id of the path if the body of a change has another one', async () => {
    const Member = object({ login: text, city: text }, { required: ['login'] })
    const send = await served({
      '/members': { get: ok({ type: 'array', items: Member }), post: { ...takes(Member), ...ok(Member, 201) } },
      '/members/{login}': {
        parameters: [inPath('login', text)],
        get: ok(Member),
        put: { ...takes(Member), ...ok(Member) },
        patch: { ...takes(Member), ...ok(Member) },
        ...gone,
      },
    })
    await send('POST /members', { login: 'ann', city: 'Rome' })
    const put = await send('PUT /members/ann', { login: 'bob', city: 'Oslo' })
    assert.deepEqual([put.status, put.body], [200, { login: 'ann', city: 'Oslo' }])
    const patched = await send('PATCH /members/ann', { login: 'eve', city: 'Bern' })
    assert.deepEqual([patched.status, patched.body], [200, { login: 'ann', city: 'Bern' }])
    assert.equal((await send('GET /members/bob')).status, 404)
  })

  test('gives a new record another id if no path can name the one that it was sent with', async () => {
    const Order = object({ id: number, note: text })
    const Label = object({ name: text, note: text })
    const send = await served({
      '/orders': { post: { ...takes(Order), ...ok(Order) } },
      '/orders/{id}': { parameters: [inPath('id', { ...number, minimum: 1, maximum: 99 })], get: ok(Order), ...gone },
      '/labels': { get: ok({ type: 'array', items: Label }), post: { ...takes(Label), ...ok(Label) } },
      '/labels/{name}': { parameters: [inPath('name', text)], get: ok(Label), ...gone },
    })
    const kept = (await send('POST /orders', { id: 50, note: 'first' })).body as { id: number }
    assert.equal(kept.id, 50)
    const other = (await send('POST /orders', { id: 626, note: 'second' })).body as { id: number; note: string }
    assert.ok(other.id >= 1 && other.id <= 99, `${other.id}`)
    assert.deepEqual((await send(`GET /orders/${other.id}`)).body, other)
    const label = (await send('POST /labels', { name: '', note: 'empty' })).body as { name: string }
    assert.notEqual(label.name, '')
    assert.deepEqual((await send(`GET /labels/${encodeURIComponent(label.name)}`)).body, label)
  })

  test('changes the record that a readOnly id in the body names where the path names none', async () => {
    const Boat = object({ id: { ...number, readOnly: true }, name: text }, { required: ['name'] })
    const send = await served({
      '/boats': {
        get: ok({ type: 'array', items: Boat }),
        post: { ...takes(Boat), ...ok(Boat, 201) },
        put: { ...takes(Boat), ...ok(Boat) },
      },
      '/boats/{id}': { parameters: [inPath('id', number)], get: ok(Boat), ...gone },
    })
    const { id } = (await send('POST /boats', { name: 'Ann' })).body as { id: number }
    assert.deepEqual((await send('PUT /boats', { id, name: 'Eve' })).body, { id, name: 'Eve' })
    assert.deepEqual((await send(`GET /boats/${id}`)).body, { id, name: 'Eve' })
    assert.equal((await send('PUT /boats', { name: 'Eve' })).status, 400)
    assert.equal((await send('PUT /boats', { id: 9999, name: 'Eve' })).status, 404)
  })

  test('creates a record of a request that may leave out the record', async () => {
    const Status = object({ id: text, text, colour: { type: 'string', enum: ['green', 'red'] } })
    const Full = { ...Status, required: ['id', 'text', 'colour'] }
    const Asked = object({ data: object({ text, colour: text }, { required: ['text', 'colour'] }) })
    const send = await served({
      '/statuses': { post: { ...takes(Asked), ...ok(object({ data: Full }), 201) } },
      '/statuses/{id}': { parameters: [inPath('id', text)], get: ok(object({ data: Full })), ...gone },
    })
    const made = await send('POST /statuses', {})
    const { data } = made.body as { data: { id: string; text: string } }
    assert.deepEqual([made.status, typeof data.text], [201, 'string'])
    assert.deepEqual((await send(`GET /statuses/${data.id}`)).body, { data })
    assert.equal((await send('POST /statuses', { data: { text: 'no colour' } })).status, 400)
  })

  test('shows a record in the list of its status alone, and one without a status in that of the default', async () => {
    const statuses = { type: 'string', enum: ['waiting', 'housed'] }
    const Cat = { $ref: '#/components/schemas/Cat' }
    const status = {
      in: 'query',
      name: 'status',
      required: true,
      schema: { type: 'string', enum: ['waiting', 'housed'] },
    }
    const send = await served(
      {
        '/cats': { post: { ...takes(Cat), ...ok(Cat, 201) } },
        '/cats/findByStatus': { get: { parameters: [status], ...ok({ type: 'array', items: Cat }) } },
        '/cats/{id}': {
          parameters: [inPath('id', number)],
          get: ok(Cat),
          put: { ...takes(Cat), ...ok(Cat) },
          ...gone,
        },
      },
      { Cat: object({ id: number, name: text, status: statuses }) },
    )
    const create = async (body: object) => (await send('POST /cats', body)).body as { id: number; status: string }
    const plain = await create({ name: 'tom' })
    const housed = await create({ name: 'kit', status: 'housed' })
    assert.equal(plain.status, 'waiting')
    const listed = async (of: string) => idsIn((await send(`GET /cats/findByStatus?status=${of}`)).body)
    assert.deepEqual(
      [(await listed('waiting')).includes(plain.id), (await listed('waiting')).includes(housed.id)],
      [true, false],
    )
    assert.deepEqual(
      [(await listed('housed')).includes(plain.id), (await listed('housed')).includes(housed.id)],
      [false, true],
    )
  })
})
