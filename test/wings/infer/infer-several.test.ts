// Inferred creates of several records at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess } from '../../support/in-process.ts'
import {
  answers,
  documentOf,
  integer,
  naming,
  object,
  ref,
  several,
  string,
  takes,
} from '../../support/small-document.ts'

type Fields = Readonly<Record<string, unknown>>
const Boat = object({ id: integer, name: string, length: { type: 'number', minimum: 1 } }, { required: ['name'] })
const BOATS = [{ name: 'Ada' }, { name: 'Grace', length: 12.5 }]

const withPosts = (posts: object) =>
  inferredInProcess(
    documentOf(
      {
        ...posts,
        '/boats': {
          get: answers(200, several(ref('Boat'))),
          ...(posts as Readonly<Record<string, object>>)['/boats'],
        },
        '/boats/{id}': { ...naming('id', integer), get: answers(200, ref('Boat')), delete: answers(204) },
      },
      { Boat },
    ),
  )

test('a POST of a list on a collection creates each record', async () => {
  const { send } = await withPosts({
    '/boats': { post: { ...takes(several(ref('Boat'))), ...answers(201, several(ref('Boat'))) } },
  })
  const { status, body } = await send('POST /boats', BOATS)
  const made = body as Fields[]
  assert.equal(status, 201)
  assert.deepEqual(
    made.map(({ id, ...rest }) => rest),
    BOATS,
  )
  assert.equal(new Set(made.map(({ id }) => id)).size, 2)
  for (const one of made) assert.deepEqual((await send(`GET /boats/${one.id}`)).body, one)
  const listed = (await send('GET /boats')).body as Fields[]
  for (const one of made) assert.ok(listed.some(({ id }) => id === one.id))
})

test('a list with one invalid or known record creates none', async () => {
  const { send } = await withPosts({
    '/boats': { post: { ...takes(several(ref('Boat'))), ...answers(201, several(ref('Boat'))) } },
  })
  const before = (await send('GET /boats')).body as Fields[]
  assert.equal((await send('POST /boats', [{ name: 'Ada' }, { name: 'Grace', length: 0 }])).status, 400)
  assert.equal((await send('POST /boats', [{ name: 'Ada' }, { ...before[0], name: 'Grace' }])).status, 409)
  assert.equal(
    (
      await send(
        'POST /boats',
        Array.from({ length: 1001 }, () => ({ name: 'Ada' })),
      )
    ).status,
    400,
  )
  const none = await send('POST /boats', [])
  assert.deepEqual([none.status, none.body], [201, []])
  assert.deepEqual((await send('GET /boats')).body, before)
})

test('lists are created beside a collection that creates one record', async () => {
  const { send } = await withPosts({
    '/boats': { post: { ...takes(ref('Boat')), ...answers(200, ref('Boat')) } },
    '/boats/createWithList': { post: { ...takes(several(ref('Boat'))), ...answers(200, ref('Boat')) } },
    '/boats/createWithArray': { post: { ...takes(several(ref('Boat'))), ...answers(200) } },
  })
  const names = async () => ((await send('GET /boats')).body as Fields[]).map(({ name }) => name)
  assert.equal(((await send('POST /boats', { name: 'Mary' })).body as Fields).name, 'Mary')
  assert.equal(((await send('POST /boats/createWithList', BOATS)).body as Fields).name, 'Ada')
  assert.equal((await send('POST /boats/createWithArray', [{ name: 'Hedy' }])).status, 200)
  const listed = await names()
  for (const name of ['Mary', 'Ada', 'Grace', 'Hedy']) assert.ok(listed.includes(name), name)
})

test('a POST that names known records in a list creates none', async () => {
  const User = object({ id: integer, login: string, name: string })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/users': { get: answers(200, several(ref('User'))) },
        '/users/{username}': { ...naming('username'), get: answers(200, ref('User')) },
        '/teams/{team}/users': {
          ...naming('team'),
          get: answers(200, several(ref('User'))),
          post: { ...takes(object({ users: several(string) })), ...answers(200, several(ref('User'))) },
        },
      },
      { User },
    ),
  )
  const before = (await send('GET /users')).body as Fields[]
  assert.equal((await send('POST /teams/blue/users', { users: [before[0]?.login] })).status, 200)
  assert.deepEqual((await send('GET /users')).body, before)
})

for (const [request, reply] of [
  ['boats', 'boats'],
  ['items', 'boats'],
  ['boats', 'data'],
] as const) {
  test(`a POST of a list under ${request} creates each record, and answers with them under ${reply}`, async () => {
    const { send } = await withPosts({
      '/boats': {
        post: {
          ...takes(object({ [request]: several(ref('Boat')), notify: { type: 'boolean' } })),
          ...answers(201, object({ [reply]: several(ref('Boat')) })),
        },
      },
    })
    const before = (await send('GET /boats')).body as Fields[]
    const { status, body } = await send('POST /boats', { [request]: BOATS, notify: true })
    const made = (body as Readonly<Record<string, Fields[]>>)[reply] ?? []
    assert.equal(status, 201)
    assert.deepEqual(
      made.map(({ id, ...rest }) => rest),
      BOATS,
    )
    for (const one of made) assert.deepEqual((await send(`GET /boats/${one.id}`)).body, one)
    for (const none of [{}, { [request]: [] }]) {
      const empty = await send('POST /boats', none)
      assert.deepEqual([empty.status, empty.body], [201, { [reply]: [] }])
    }
    assert.equal((await send('POST /boats', { [request]: [{ name: 'Ada' }, { length: 3 }] })).status, 400)
    const long = await send('POST /boats', { [request]: Array.from({ length: 1001 }, () => ({ name: 'Ada' })) })
    assert.match(JSON.stringify(long.body), new RegExp(`/${request} must have at most 1000 items`))
    assert.equal(((await send('GET /boats')).body as Fields[]).length, before.length + 2)
  })
}

test('a list of no records is answered as the contract describes where the reply is one record', async () => {
  const { send } = await withPosts({
    '/boats': { post: { ...takes(several(ref('Boat'))), ...answers(200, ref('Boat')) } },
  })
  const before = (await send('GET /boats')).body
  const { status, body } = await send('POST /boats', [])
  assert.deepEqual([status, typeof (body as Fields).name], [200, 'string'])
  assert.deepEqual((await send('GET /boats')).body, before)
})

test('a POST of a record with a list of similar parts creates the record', async () => {
  const request = object({ boat: ref('Boat'), spares: several(object({ name: string, length: string })) })
  const { send } = await withPosts({
    '/boats': { post: { ...takes(request), ...answers(201, object({ boat: ref('Boat') })) } },
  })
  const { body } = await send('POST /boats', { boat: { name: 'Ada' }, spares: [{ name: 'Bolt' }, { name: 'Nut' }] })
  const { boat } = body as { boat: Fields }
  assert.equal(boat.name, 'Ada')
  assert.deepEqual((await send(`GET /boats/${boat.id}`)).body, boat)
})

test('a POST beside a collection with its records under a key creates none of them', async () => {
  const race = object({ title: string, boats: several(ref('Boat')) })
  const { send } = await withPosts({
    '/boats': { post: { ...takes(ref('Boat')), ...answers(201, ref('Boat')) } },
    '/boats/races': { post: { ...takes(race), ...answers(200, object({ id: integer })) } },
  })
  const before = (await send('GET /boats')).body
  assert.equal((await send('POST /boats/races', { title: 'May', boats: BOATS })).status, 200)
  assert.deepEqual((await send('GET /boats')).body, before)
})
