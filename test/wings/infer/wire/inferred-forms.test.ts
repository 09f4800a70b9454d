// Collections with unusual or undescribed replies: each gets the state that its operations allow.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { serveInferred } from './serve-inferred.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ok = (schema: object, status = 200) => ({ responses: { [status]: { description: 'ok', ...json(schema) } } })
const takes = (schema: object) => ({ requestBody: { required: true, ...json(schema) } })
const inPath = (name: string, schema: object = { type: 'string' }) => ({ in: 'path', name, required: true, schema })
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const list = (items: object) => ({ type: 'array', items })
const text = { type: 'string' }
const number = { type: 'integer' }
const served = (paths: object) =>
  serveInferred(JSON.stringify({ openapi: '3.0.3', info: { title: 'Forms', version: '1' }, paths }))

suite('a collection', () => {
  test('is inferred although POST answers with a list of one record', async () => {
    const Brand = object({ brandId: { ...text, readOnly: true }, name: text })
    const send = await served({
      '/brands': {
        get: ok(object({ brands: list(Brand), isEnabled: { type: 'boolean' } })),
        post: { ...takes(Brand), ...ok(object({ brands: list(Brand), isEnabled: { type: 'boolean' } }), 201) },
      },
      '/brands/{brandId}': {
        parameters: [inPath('brandId')],
        get: ok(Brand),
        delete: { responses: { 204: { description: 'gone' } } },
      },
    })
    const { status, body } = await send('POST /brands', { name: 'acme' })
    const [brand] = (body as { brands: { brandId: string; name: string }[] }).brands
    assert.deepEqual([status, brand?.name], [201, 'acme'])
    assert.deepEqual((await send(`GET /brands/${brand?.brandId}`)).body, brand)
    assert.equal((await send(`DELETE /brands/${brand?.brandId}`)).status, 204)
  })

  test('is inferred although a media type is listed twice, once without a schema', async () => {
    const Account = object({ accountId: text, name: text })
    const twice = {
      responses: {
        200: {
          description: 'ok',
          content: { 'application/json': {}, 'application/json; charset=utf-8': { schema: Account } },
        },
      },
    }
    const send = await served({
      '/accounts': { post: { ...takes(object({ name: text })), ...twice } },
      '/accounts/{account-key}': { parameters: [inPath('account-key')], get: twice },
    })
    const { body } = await send('POST /accounts', { name: 'ann' })
    const { accountId } = body as { accountId: string }
    assert.deepEqual((await send(`GET /accounts/${accountId}`)).body, { accountId, name: 'ann' })
  })

  test('becomes one resource for each kind of owner', async () => {
    const Hook = object({ id: text, org_id: text, site_id: text, url: text })
    const collection = (parameter: string) => ({
      parameters: [inPath(parameter)],
      get: ok(list(Hook)),
      post: { ...takes(object({ url: text }, { required: ['url'] })), ...ok(Hook) },
    })
    const item = (parameter: string) => ({ parameters: [inPath(parameter), inPath('hook_id')], get: ok(Hook) })
    const send = await served({
      '/orgs/{org_id}/hooks': collection('org_id'),
      '/orgs/{org_id}/hooks/{hook_id}': item('org_id'),
      '/sites/{site_id}/hooks': collection('site_id'),
      '/sites/{site_id}/hooks/{hook_id}': item('site_id'),
    })
    for (const owner of ['orgs', 'sites']) {
      const { body } = await send(`POST /${owner}/one/hooks`, { url: 'https://example.com' })
      const { id } = body as { id: string }
      assert.deepEqual((await send(`GET /${owner}/one/hooks/${id}`)).body, body)
      assert.equal((await send(`GET /${owner}/two/hooks/${id}`)).status, 404)
    }
  })

  test('is inferred although the id is text when read and a number when created', async () => {
    const send = await served({
      '/projects': {
        get: ok(list(object({ id: text, name: text }))),
        post: {
          ...takes(object({ name: text })),
          ...ok(object({ id: number, self: text }, { required: ['id', 'self'] }), 201),
        },
      },
      '/projects/{idOrKey}': { parameters: [inPath('idOrKey')], get: ok(object({ id: text, name: text })) },
    })
    const { id } = (await send('POST /projects', { name: 'boat' })).body as { id: number }
    assert.equal(typeof id, 'number')
    const read = (await send(`GET /projects/${id}`)).body as { id: string; name: string }
    assert.deepEqual([read.id, read.name], [String(id), 'boat'])
  })

  test('shows new records despite a required filter that no request sets', async () => {
    const Reversal = object({ id: text, account: text, reason: text }, { required: ['id', 'account'] })
    const Invoice = object({ id: text, place: text, sum: number })
    const narrowed = (name: string, items: object) => ({
      parameters: [{ in: 'query', name, required: true, schema: text }],
      ...ok(list(items)),
    })
    const send = await served({
      '/reversals': {
        get: narrowed('account', Reversal),
        post: { ...takes(object({ reason: text })), ...ok(Reversal, 201) },
      },
      '/reversals/{id}': { parameters: [inPath('id')], get: ok(Reversal) },
      '/invoices': {
        get: narrowed('place', Invoice),
        post: { ...takes(object({ place: text, sum: number })), ...ok(Invoice, 201) },
      },
      '/invoices/{id}': { parameters: [inPath('id')], get: ok(Invoice) },
    })
    const idsOf = async (path: string) => ((await send(`GET ${path}`)).body as { id: string }[]).map(({ id }) => id)
    const { id } = (await send('POST /reversals', { reason: 'late' })).body as { id: string }
    assert.ok((await idsOf('/reversals?account=any')).includes(id))
    const there = (await send('POST /invoices', { place: 'here', sum: 1 })).body as { id: string }
    const anywhere = (await send('POST /invoices', { sum: 2 })).body as { id: string }
    const found = await idsOf('/invoices?place=here')
    assert.deepEqual([found.includes(there.id), found.includes(anywhere.id)], [true, true])
    assert.deepEqual((await idsOf('/invoices?place=elsewhere')).includes(there.id), false)
  })

  test('is filtered by the items of lists in its records', async () => {
    const Dog = object({ id: number, name: text, tags: list(object({ id: number, name: text })), toys: list(text) })
    const query = (name: string) => ({ in: 'query', name, schema: list(text) })
    const send = await served({
      '/dogs': {
        get: { parameters: [query('tags'), query('toy')], ...ok(list(Dog)) },
        post: { ...takes(Dog), ...ok(Dog, 201) },
      },
      '/dogs/{id}': { parameters: [inPath('id', number)], get: ok(Dog) },
    })
    await send('POST /dogs', {
      id: 71,
      name: 'rex',
      tags: [
        { id: 1, name: 'brown' },
        { id: 2, name: 'big' },
      ],
      toys: ['ball'],
    })
    await send('POST /dogs', { id: 72, name: 'max', tags: [{ id: 3, name: 'small' }], toys: ['bone', 'rope'] })
    const found = async (asked: string) =>
      ((await send(`GET /dogs?${asked}`)).body as { id: number }[]).map(({ id }) => id)
    assert.deepEqual(await found('tags=big'), [71])
    assert.deepEqual(await found('tags=small&tags=brown'), [71, 72])
    assert.deepEqual(await found('toy=rope'), [72])
    assert.deepEqual(await found('tags=none'), [])
  })

  test('counts its pages from one, and its deletion answers without the described body', async () => {
    const Batch = object({ batch_id: text, note: text }, { required: ['batch_id'] })
    const Page = object({ batches: list(Batch), pages: { ...number, minimum: 1 } }, { required: ['batches', 'pages'] })
    const send = await served({
      '/batches': {
        get: { parameters: [{ in: 'query', name: 'note', schema: text }], ...ok(Page) },
        post: { ...takes(object({ note: text })), ...ok(Batch) },
      },
      '/batches/{batch_id}': {
        parameters: [inPath('batch_id')],
        get: ok(Batch),
        delete: { responses: { 204: { description: 'gone', ...json({ ...text, maxLength: 0 }) } } },
      },
    })
    const { batch_id } = (await send('POST /batches', { note: 'first' })).body as { batch_id: string }
    const none = await send('GET /batches?note=nothing-like-it')
    assert.deepEqual(none.body, { batches: [], pages: 1 })
    const gone = await send(`DELETE /batches/${batch_id}`)
    assert.deepEqual([gone.status, gone.body], [204, undefined])
  })
})

suite('a thing that is alone', () => {
  test('keeps its settings, and answers as before where its schema is closed', async () => {
    const Settings = object({ colour: text, size: number }, { required: ['colour', 'size'] })
    const send = await served({
      '/settings': { get: ok(Settings), patch: { ...takes(object({ colour: text, size: number })), ...ok(Settings) } },
      '/theme': {
        get: ok({ ...Settings, additionalProperties: false }),
        put: { ...takes(Settings), ...ok({ ...Settings, additionalProperties: false }) },
      },
    })
    const { body } = await send('PATCH /settings', { colour: 'red' })
    assert.deepEqual((await send('GET /settings')).body, body)
    assert.equal((body as { colour: string }).colour, 'red')
    assert.deepEqual((await send('PUT /theme', { colour: 'red', size: 1 })).body, { colour: 'red', size: 1 })
  })
})
