// Inference finds the records of one collection at several paths.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess } from '../../support/in-process.ts'
import { answers, documentOf, integer, naming, object, ref, string, takes } from '../../support/small-document.ts'

type Fields = Readonly<Record<string, unknown>>
const listOf = (name: string) => answers(200, { type: 'array', items: ref(name) })
const creating = (field: string, reply: object) => ({
  ...takes(object({ [field]: string }, { required: [field] })),
  ...answers(201, reply),
})

test('records are read at one path, by the name that was sent, and changed and deleted at another', async () => {
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/admin/users': { get: listOf('User'), post: creating('username', ref('User')) },
        '/admin/users/{username}': { ...naming('username'), delete: answers(204) },
        '/users/{username}': { ...naming('username'), get: answers(200, ref('User')) },
      },
      { User: object({ login: string, email: string }) },
    ),
  )
  assert.equal((await send('POST /admin/users', { username: 'ada' })).status, 201)
  assert.equal(((await send('GET /users/ada')).body as Fields).login, 'ada')
  assert.equal((await send('GET /users/eve')).status, 404)
  assert.equal((await send('DELETE /admin/users/ada')).status, 204)
  assert.equal((await send('GET /users/ada')).status, 404)
})

test('a list is filtered by a tag', async () => {
  const Post = object({ id: integer, tagList: { type: 'array', items: string } })
  const query = (name: string) => ({ in: 'query', name, schema: string })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/posts': {
          get: { parameters: [query('tag')], ...listOf('Post') },
          post: { ...takes(ref('Post')), ...answers(201, ref('Post')) },
        },
        '/posts/{id}': { ...naming('id', integer), get: answers(200, ref('Post')) },
      },
      { Post },
    ),
  )
  const post = { tagList: ['sea'] }
  const { id } = (await send('POST /posts', post)).body as Fields
  assert.deepEqual((await send('GET /posts?tag=sea')).body, [{ id, ...post }])
})

test('an integer in the path names a record by its number, not by its UUID', async () => {
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/users': { get: listOf('User'), post: creating('name', ref('User')) },
        '/users/{id}': { ...naming('id', integer), get: answers(200, ref('User')) },
      },
      { User: object({ uuid: { type: 'string', format: 'uuid' }, pk: integer, name: string }) },
    ),
  )
  const { pk } = (await send('POST /users', { name: 'Ada' })).body as Fields
  assert.equal(((await send(`GET /users/${pk}`)).body as Fields).name, 'Ada')
})

test('a list below an owner is kept though a record names an owner that does not exist', async () => {
  const Store = object({ id: integer, merchantId: string, name: string })
  const makes = { ...takes(ref('Store')), ...answers(201, ref('Store')) }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/merchants': { get: listOf('Merchant'), post: creating('name', ref('Merchant')) },
        '/merchants/{merchantId}': { ...naming('merchantId'), get: answers(200, ref('Merchant')) },
        '/merchants/{merchantId}/stores': { ...naming('merchantId'), get: listOf('Store'), post: makes },
        '/stores': { get: listOf('Store'), post: makes },
        '/stores/{storeId}': { ...naming('storeId', integer), get: answers(200, ref('Store')) },
        // An address, which has nothing to do with the stores.
        '/stores/{parent_id}': {
          ...naming('parent_id', integer),
          put: {
            ...takes(object({ street: string })),
            ...answers(200, object({ street: string, zip: string }, { required: ['zip'] })),
          },
        },
      },
      { Store, Merchant: object({ id: string, name: string }) },
    ),
  )
  const { id } = (await send('POST /merchants', { name: 'Ada' })).body as Fields
  await send(`POST /merchants/${id}/stores`, { name: 'North' })
  const stores = (await send(`GET /merchants/${id}/stores`)).body as readonly Fields[]
  assert.deepEqual(
    stores.map(({ name }) => name),
    ['North'],
  )
  assert.ok(((await send('GET /stores')).body as readonly Fields[]).some(({ name }) => name === 'North'))
})
