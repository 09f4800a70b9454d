// Inferred state where replies put records in envelopes, and where an item, a batch or a search names its records in other ways.

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

test('a record under `response` is read there with what was sent', async () => {
  const under = (schema: object) => object({ success: { type: 'boolean' }, message: string, response: schema })
  const Edit = object({ title: string, seconds: integer })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/renders': {
          post: { ...takes(ref('Edit')), ...answers(201, under(object({ id: string, message: string }))) },
        },
        '/renders/{id}': { ...naming('id'), get: answers(200, under(object({ id: string, data: ref('Edit') }))) },
      },
      { Edit },
    ),
  )
  const made = (await send('POST /renders', { title: 'One', seconds: 5 })).body as { response: Fields }
  const read = (await send(`GET /renders/${made.response.id}`)).body as { response: Fields }
  assert.deepEqual(read.response, { id: made.response.id, data: { title: 'One', seconds: 5 } })
})

test('an example in the items of a request is the key of no seed', async () => {
  const Employee = object({ key: { ...string, example: 'e-4ff1' }, name: { ...string, example: 'Karen' } })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/employees': {
          get: answers(200, object({ employees: several(ref('Employee')) })),
          post: {
            ...takes(several(ref('Employee'))),
            ...answers(200, object({ employees: several(ref('Employee')) })),
          },
        },
        '/employees/{key}': { ...naming('key'), get: answers(200, ref('Employee')) },
      },
      { Employee },
    ),
  )
  assert.equal((await send('POST /employees', [{ key: 'e-4ff1', name: 'Karen' }])).status, 200)
  assert.deepEqual((await send('GET /employees/e-4ff1')).body, { key: 'e-4ff1', name: 'Karen' })
})

test('roles of a realm and roles of its clients are different records', async () => {
  const own = (first: object) => ({
    get: answers(200, several(ref('Role'))),
    post: { ...first, ...takes(ref('Role')), ...answers(201, ref('Role')) },
  })
  const parameters = (...names: string[]) => ({ parameters: names.flatMap(name => naming(name).parameters) })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/{realm}/roles': { ...parameters('realm'), ...own({}) },
        '/{realm}/roles/{name}': { ...parameters('realm', 'name'), get: answers(200, ref('Role')) },
        '/{realm}/clients/{id}/roles': { ...parameters('realm', 'id'), ...own({}) },
        '/{realm}/clients/{id}/roles/{name}': { ...parameters('realm', 'id', 'name'), get: answers(200, ref('Role')) },
      },
      { Role: object({ name: string, note: string }) },
    ),
  )
  assert.equal((await send('POST /main/clients/c/roles', { name: 'admin', note: 'Of a client.' })).status, 201)
  assert.equal((await send('POST /main/roles', { name: 'admin', note: 'Of the realm.' })).status, 201)
  assert.equal(((await send('GET /main/roles/admin')).body as Fields).note, 'Of the realm.')
})

test('an item that is answered as a bare list of one is changed and deleted, and its deletion may show it so', async () => {
  const path = '/employees/{id}/taxes'
  const { send } = await inferredInProcess(
    documentOf(
      {
        [path]: {
          ...naming('id'),
          get: answers(200, several(ref('Tax'))),
          post: { ...takes(ref('Tax')), ...answers(201) },
        },
        [`${path}/{taxCode}`]: {
          parameters: [...naming('id').parameters, ...naming('taxCode').parameters],
          get: answers(200, several(ref('Tax'))),
          delete: answers(200, several(ref('Tax'))),
        },
      },
      { Tax: object({ taxCode: string, rate: integer }) },
    ),
  )
  const tax = { taxCode: 'FI', rate: 24 }
  assert.equal((await send('POST /employees/7/taxes', tax)).status, 201)
  assert.deepEqual((await send('GET /employees/7/taxes/FI')).body, [tax])
  assert.deepEqual((await send('DELETE /employees/7/taxes/FI')).body, [tax])
  assert.equal((await send('GET /employees/7/taxes/FI')).status, 404)
})

test('records whose replies can match no union of the contract are kept', async () => {
  const Board = { id: string, name: string }
  const either = { oneOf: [ref('Board'), ref('BoardWithCells')] }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/boards': {
          get: answers(200, several(ref('Board'))),
          post: { ...takes(object({ name: string })), ...answers(201, either) },
        },
        '/boards/{id}': { ...naming('id'), get: answers(200, either) },
      },
      { Board: object(Board), BoardWithCells: object({ ...Board, cells: several(string) }) },
    ),
  )
  const { id } = (await send('POST /boards', { name: 'One' })).body as Fields
  assert.equal(((await send(`GET /boards/${id}`)).body as Fields).name, 'One')
  assert.equal((await send('GET /boards/two')).status, 404)
})

test('a record that a request takes whole is kept, whatever its reply says, also as any media type', async () => {
  const any = (schema: object) => ({ responses: { 200: { description: 'ok', content: { '*/*': { schema } } } } })
  const Reply = object({ key: string, action: string, state: string }, { required: ['key', 'action', 'state'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/apis': {
          get: any(object({ apis: several(ref('Api')), total: integer }, { required: ['apis', 'total'] })),
          post: { ...takes(ref('Api')), ...any(Reply) },
        },
        '/apis/{apiID}': {
          ...naming('apiID'),
          get: any(object({ api: ref('Api'), total: integer }, { required: ['api', 'total'] })),
        },
      },
      { Api: object({ api_id: string, name: string }) },
    ),
  )
  const sent = { api_id: 'one', name: 'One' }
  const made = (await send('POST /apis', sent)).body as Fields
  assert.deepEqual(Object.keys(made), ['key', 'action', 'state'])
  const { api, total } = (await send('GET /apis/one')).body as Fields
  assert.deepEqual(api, sent)
  assert.equal(typeof total, 'number')
})

test('a record of `{name_or_id}` has its id, and no other key', async () => {
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/groups': {
          get: answers(200, several(ref('Group'))),
          post: { ...takes(object({ name: string })), ...answers(201, ref('Group')) },
        },
        '/groups/{name_or_id}': { ...naming('name_or_id'), get: answers(200, ref('Group')) },
      },
      { Group: object({ name: string, id: string }) },
    ),
  )
  const { id } = (await send('POST /groups', { name: 'Bakers' })).body as Fields
  assert.equal(((await send(`GET /groups/${id}`)).body as Fields).name, 'Bakers')
})
