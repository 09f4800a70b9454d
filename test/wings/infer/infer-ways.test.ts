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

test('records that are created below an owner are read beside it, in a larger schema with most of their fields', async () => {
  const fields = { id: integer, body: string, author: string, created_at: string }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/boats/{boat}/notes': { ...naming('boat'), post: creating('body', ref('Note')) },
        '/boats/{boat}/notes/{id}': {
          parameters: [...naming('boat').parameters, ...naming('id', integer).parameters],
          delete: answers(204),
        },
        '/boats/notes/{id}': { ...naming('id', integer), get: answers(200, ref('FullNote')) },
        // Another kind of notes.
        '/notes/{id}': {
          ...naming('id', integer),
          get: answers(200, object({ id: integer, text: string, to: string })),
        },
      },
      { Note: object(fields), FullNote: object({ ...fields, pinned: { type: 'boolean' } }) },
    ),
  )
  const { id } = (await send('POST /boats/ada/notes', { body: 'Swim' })).body as Fields
  assert.equal(((await send(`GET /boats/notes/${id}`)).body as Fields).body, 'Swim')
  assert.equal((await send('GET /boats/notes/999')).status, 404)
  assert.equal((await send(`DELETE /boats/ada/notes/${id}`)).status, 204)
  assert.equal((await send(`GET /boats/notes/${id}`)).status, 404)
})

test('the path of items with the fewest owners shows the records of several creates', async () => {
  const makes = {
    ...takes(object({ name: { ...string, example: 'hello' } }, { required: ['name'] })),
    ...answers(201, ref('Repo')),
  }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/orgs/{org}/repos': { ...inPath('org'), get: listOf('Repo'), post: makes },
        '/user/repos': { get: listOf('Repo'), post: makes },
        '/orgs/{org}/teams/{team}/repos/{owner}/{repo}': {
          ...inPath('org', 'team', 'owner', 'repo'),
          get: answers(200, ref('Repo')),
        },
        '/repos/{owner}/{repo}': { ...inPath('owner', 'repo'), get: answers(200, ref('Repo')), delete: answers(204) },
      },
      { Repo: object({ id: integer, name: string }) },
    ),
  )
  assert.equal(((await send('POST /orgs/acme/repos', { name: 'food' })).body as Fields).name, 'food')
  assert.equal((await send('GET /repos/acme/food')).status, 200)
  assert.equal((await send('GET /repos/ada/food')).status, 404)
  assert.equal((await send('DELETE /repos/acme/food')).status, 204)
  assert.equal((await send('GET /repos/acme/food')).status, 404)
})

test('a list is filtered by the name of an author, and by a tag', async () => {
  const Post = object({ id: integer, author: object({ username: string }), tagList: { type: 'array', items: string } })
  const query = (name: string) => ({ in: 'query', name, schema: string })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/posts': {
          get: { parameters: [query('author'), query('tag')], ...listOf('Post') },
          post: { ...takes(ref('Post')), ...answers(201, ref('Post')) },
        },
        '/posts/{id}': { ...naming('id', integer), get: answers(200, ref('Post')) },
      },
      { Post },
    ),
  )
  const post = { author: { username: 'ada' }, tagList: ['sea'] }
  const { id } = (await send('POST /posts', post)).body as Fields
  for (const query of ['author=ada', 'tag=sea'])
    assert.deepEqual((await send(`GET /posts?${query}`)).body, [{ id, ...post }])
  assert.deepEqual((await send('GET /posts?author=eve')).body, [])
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

test('a list under the end of its path is found among many fields of the page, and counted', async () => {
  const page = Object.fromEntries(
    ['start', 'end', 'page', 'page_size', 'uri', 'next', 'prev', 'etag'].map(one => [one, string]),
  )
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/Usage/Triggers': {
          get: answers(
            200,
            object(
              { ...page, usage_triggers: { type: 'array', items: ref('Trigger') }, usage_triggers_count: integer },
              { required: ['usage_triggers_count'] },
            ),
          ),
          post: creating('name', ref('Trigger')),
        },
        '/Usage/Triggers/{sid}': { ...naming('sid'), get: answers(200, ref('Trigger')) },
      },
      { Trigger: object({ sid: string, name: string }) },
    ),
  )
  await send('POST /Usage/Triggers', { name: 'Ada' })
  const { usage_triggers, usage_triggers_count } = (await send('GET /Usage/Triggers')).body as {
    usage_triggers: readonly Fields[]
    usage_triggers_count: number
  }
  assert.ok(usage_triggers.some(({ name }) => name === 'Ada'))
  assert.equal(usage_triggers_count, usage_triggers.length)
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

const inPath = (...names: string[]) => ({ parameters: names.flatMap(name => naming(name).parameters) })
const mayMiss = (...statuses: number[]) => ({
  responses: Object.fromEntries([...statuses, 404].map(status => [status, { description: 'ok' }])),
})
const REPO = object({
  name: string,
  full_name: string,
  html_url: string,
  owner: object({ login: string }),
})
const FORGE = documentOf(
  {
    '/user': { get: answers(200, ref('User')) },
    '/users': { get: listOf('User'), post: creating('login', ref('User')) },
    '/users/{login}': { ...inPath('login'), get: answers(200, ref('User')) },
    '/user/repos': { get: listOf('Repo'), post: creating('name', ref('Repo')) },
    '/repos/{owner}/{repo}': { ...inPath('owner', 'repo'), get: answers(200, ref('Repo')), delete: answers(204) },
    '/user/starred': { get: listOf('Repo') },
    '/user/starred/{owner}/{repo}': {
      ...inPath('owner', 'repo'),
      get: mayMiss(204),
      put: mayMiss(204),
      delete: answers(204),
    },
    '/repos/{owner}/{repo}/watch': {
      ...inPath('owner', 'repo'),
      get: mayMiss(204),
      put: answers(204),
      delete: answers(204),
    },
  },
  { Repo: REPO, User: object({ login: string, email: string }) },
)

test('a record of the caller is in its own list, and found under its name alone', async () => {
  const { send } = await inferredInProcess(FORGE)
  const { login } = (await send('GET /user')).body as Fields
  const made = await send('POST /user/repos', { name: 'food' })
  assert.equal(made.headers.location, `/repos/${login}/food`)
  const { owner, full_name, html_url } = made.body as { owner: Fields } & Fields
  assert.equal(owner.login, login)
  assert.equal(full_name, `${login}/food`)
  assert.match(String(html_url), new RegExp(`/repos/${login}/food$`))
  assert.deepEqual((await send(`GET /repos/${login}/food`)).body, made.body)
  assert.equal((await send('GET /repos/nobody/food')).status, 404)
  const mine = (await send('GET /user/repos')).body as readonly { owner: Fields }[]
  assert.ok(mine.length > 1)
  assert.deepEqual(new Set(mine.map(one => one.owner.login)), new Set([login]))
})

test('a record of another collection is added to a list by its names, and taken off', async () => {
  const { send } = await inferredInProcess(FORGE)
  const { login } = (await send('GET /user')).body as Fields
  const { body: made } = await send('POST /user/repos', { name: 'food' })
  const starred = async () => (await send('GET /user/starred')).body as readonly unknown[]
  const before = await starred()
  const path = `/user/starred/${login}/food`
  assert.equal((await send(`GET ${path}`)).status, 404)
  for (let i = 0; i < 2; i++) assert.equal((await send(`PUT ${path}`)).status, 204)
  assert.equal((await send(`GET ${path}`)).status, 204)
  assert.deepEqual((await starred()).slice(-1), [made])
  assert.equal((await starred()).length, before.length + 1)
  assert.equal((await send(`DELETE ${path}`)).status, 204)
  assert.equal((await send(`GET ${path}`)).status, 404)
  assert.equal((await send(`GET /repos/${login}/food`)).status, 200)
  // One that no collection has.
  assert.equal((await send('PUT /user/starred/eve/tea')).status, 204)
  assert.ok((await starred()).some(one => (one as Fields).name === 'tea'))
})

test('a mark on a record begins unset, and is set and unset', async () => {
  const { send } = await inferredInProcess(FORGE)
  const { login } = (await send('GET /user')).body as Fields
  await send('POST /user/repos', { name: 'food' })
  const path = `/repos/${login}/food/watch`
  for (const [method, status] of [
    ['GET', 404],
    ['PUT', 204],
    ['GET', 204],
    ['DELETE', 204],
    ['GET', 404],
  ] as const)
    assert.equal((await send(`${method} ${path}`)).status, status)
})
