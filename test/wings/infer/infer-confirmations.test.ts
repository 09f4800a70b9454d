// Inferred state for contracts whose replies to a write do not show the record, or show it deeper than usual.

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

test('a create that answers with the bare id stores the record', async () => {
  for (const [schema, kind] of [
    [string, 'string'],
    [integer, 'number'],
  ] as const) {
    const Dialog = object({ id: schema, party: string })
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/dialogs': {
            get: answers(200, object({ items: several(ref('Dialog')) })),
            post: { ...takes(object({ party: string }, { required: ['party'] })), ...answers(201, schema) },
          },
          '/dialogs/{dialogId}': { ...naming('dialogId', schema), get: answers(200, ref('Dialog')) },
        },
        { Dialog },
      ),
    )
    const { body: id } = await send('POST /dialogs', { party: 'Ada' })
    assert.equal(typeof id, kind)
    assert.deepEqual((await send(`GET /dialogs/${id}`)).body, { id, party: 'Ada' })
  }
})

test('a POST that answers with something else is not a create', async () => {
  const { send } = await inferredInProcess(
    documentOf({
      '/books': {
        get: answers(200, several(object({ id: string, title: string }))),
        post: {
          ...takes(object({ pages: integer, paper: string })),
          ...answers(200, object({ price: integer, currency: string }, { required: ['price', 'currency'] })),
        },
      },
      '/books/{id}': { ...naming('id'), get: answers(200, object({ id: string, title: string })) },
    }),
  )
  const before = (await send('GET /books')).body as Fields[]
  assert.equal((await send('POST /books', { pages: 12, paper: 'a4' })).status, 200)
  assert.equal(((await send('GET /books')).body as Fields[]).length, before.length)
})

test('records are found two keys deep, alone or in a list of one', async () => {
  const Payee = object({ id: string, name: string }, { required: ['id', 'name'] })
  const within = (inner: object, required: readonly string[]) =>
    object({ status: string, data: object(inner, { required }) }, { required: ['data'] })
  for (const [one, at] of [
    [within({ payee: ref('Payee'), server_knowledge: integer }, ['payee', 'server_knowledge']), ['data', 'payee']],
    [within({ payees: several(ref('Payee')) }, ['payees']), ['data', 'payees', 0]],
  ] as const) {
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/payees': {
            get: answers(200, within({ payees: several(ref('Payee')) }, ['payees'])),
            post: {
              ...takes(object({ payee: object({ name: string }, { required: ['name'] }) }, { required: ['payee'] })),
              ...answers(201, one),
            },
          },
          '/payees/{payee_id}': { ...naming('payee_id'), get: answers(200, one), delete: answers(200, one) },
        },
        { Payee },
      ),
    )
    const recordIn = (body: unknown) =>
      at.reduce<unknown>((value, key) => (value as Readonly<Record<string | number, unknown>>)[key], body) as Fields
    const made = recordIn((await send('POST /payees', { payee: { name: 'Bakery' } })).body)
    assert.equal(made.name, 'Bakery')
    assert.deepEqual(recordIn((await send(`GET /payees/${made.id}`)).body), made)
    assert.equal((await send(`DELETE /payees/${made.id}`)).status, 200)
    assert.equal((await send(`GET /payees/${made.id}`)).status, 404)
  }
})

test('a deletion may answer with something else than the record', async () => {
  const commit = { sha: { const: 'c0ffee' }, message: string, branch: string, id: string }
  for (const [reply, body] of [
    [object(commit), { id: 'one' }],
    [object(commit, { required: ['sha'] }), { id: 'one', sha: 'c0ffee' }],
    [object({ commit: object(commit), parent: string }), {}],
  ] as const) {
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/files': {
            get: answers(200, several(ref('File'))),
            post: { ...takes(ref('File')), ...answers(201, ref('File')) },
          },
          '/files/{id}': { ...naming('id'), get: answers(200, ref('File')), delete: answers(200, reply) },
        },
        { File: object({ id: string, name: string, size: integer }, { required: ['id', 'name'] }) },
      ),
    )
    await send('POST /files', { id: 'one', name: 'One' })
    const deleted = await send('DELETE /files/one')
    assert.deepEqual([deleted.status, deleted.body], [200, body])
    assert.equal((await send('GET /files/one')).status, 404)
  }
})

test('a deletion answers with a job if the contract says so, even if a create does too', async () => {
  const Job = object({ id: string, status: { const: 'queued' }, node: string }, { required: ['id', 'status'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/hosts': {
          get: answers(200, several(ref('Host'))),
          post: { ...takes(object({ name: string }, { required: ['name'] })), ...answers(202, ref('Job')) },
        },
        '/hosts/{id}': { ...naming('id'), get: answers(200, ref('Host')), delete: answers(202, ref('Job')) },
      },
      { Host: object({ id: string, name: string, port: integer }, { required: ['id', 'name'] }), Job },
    ),
  )
  const { id } = (await send('POST /hosts', { name: 'One' })).body as Fields
  const deleted = await send(`DELETE /hosts/${id}`)
  assert.deepEqual([deleted.status, deleted.body], [202, { id, status: 'queued' }])
})

test('an item whose GET describes no reply, or a list of one, shows its record', async () => {
  const Account = object({ id: string, name: string })
  for (const reply of [undefined, several(ref('Account'))]) {
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/accounts': {
            get: answers(200, several(ref('Account'))),
            post: { ...takes(object({ name: string }, { required: ['name'] })), ...answers(201, ref('Account')) },
          },
          '/accounts/{account_id}': {
            ...naming('account_id'),
            get: answers(200, reply),
            delete: answers(204),
          },
        },
        { Account },
      ),
    )
    const made = (await send('POST /accounts', { name: 'Ada' })).body as Fields
    const { body } = await send(`GET /accounts/${made.id}`)
    assert.deepEqual(body, reply === undefined ? made : [made])
  }
})

test('a PATCH whose schema describes a JSON Patch applies it, whatever its media type', async () => {
  const operation = object({ op: string, path: string, value: {} }, { required: ['op', 'path'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/flags': {
          get: answers(200, object({ items: several(ref('Flag')) })),
          post: { ...takes(ref('Flag')), ...answers(201, ref('Flag')) },
        },
        '/flags/{key}': {
          ...naming('key'),
          get: answers(200, ref('Flag')),
          patch: { ...takes(several(operation)), ...answers(200, ref('Flag')) },
        },
      },
      { Flag: object({ key: string, name: string, on: { type: 'boolean' } }, { required: ['key'] }) },
    ),
  )
  await send('POST /flags', { key: 'dark', name: 'Dark mode', on: false })
  const patched = await send('PATCH /flags/dark', [{ op: 'replace', path: '/on', value: true }])
  assert.deepEqual([patched.status, patched.body], [200, { key: 'dark', name: 'Dark mode', on: true }])
  assert.deepEqual((await send('GET /flags/dark')).body, patched.body)
  const broken = [
    [{ op: 'replace', path: 'on', value: true }],
    [{ op: 'swap', path: '/on' }],
    [{ op: 'remove', path: '/missing' }],
    { on: false },
  ]
  for (const body of broken) assert.equal((await send('PATCH /flags/dark', body)).status, 400)
  assert.deepEqual((await send('GET /flags/dark')).body, patched.body)
})

test('a limit of -1 lists all records', async () => {
  const limit = { in: 'query', name: 'limit', schema: { ...integer, default: -1 } }
  const Zone = object({ id: { ...string, readOnly: true }, name: string })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/zones': {
          get: { parameters: [limit], ...answers(200, several(ref('Zone'))) },
          post: { ...takes(ref('Zone')), ...answers(201, ref('Zone')) },
        },
        '/zones/{zoneId}': { ...naming('zoneId'), get: answers(200, ref('Zone')) },
      },
      { Zone },
    ),
  )
  await send('POST /zones', { name: 'North' })
  const all = (await send('GET /zones')).body as Fields[]
  assert.ok(all.some(({ name }) => name === 'North'))
  assert.equal(((await send('GET /zones?limit=1')).body as Fields[]).length, 1)
  assert.deepEqual((await send('GET /zones?limit=-1')).body, all)
})

test('an id in a path whose parameter is described as JSON needs no quotes', async () => {
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/imports': {
          get: answers(200, object({ tasks: several(ref('Task')) })),
          post: { ...takes(object({ file: string })), ...answers(201, object({ task: ref('Task') })) },
        },
        '/imports/{id}': {
          parameters: [{ in: 'path', name: 'id', required: true, content: { 'application/json': { schema: string } } }],
          get: answers(200, object({ task: ref('Task') })),
        },
      },
      { Task: object({ id: string, file: string }, { required: ['id'] }) },
    ),
  )
  const { task } = (await send('POST /imports', { file: 'a.csv' })).body as { task: Fields }
  for (const id of [String(task.id), encodeURIComponent(JSON.stringify(task.id))]) {
    assert.deepEqual((await send(`GET /imports/${id}`)).body, { task })
  }
})
