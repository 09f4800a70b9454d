// Inferred state where a request gives the record, or its name, in another way than the replies show it.

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

test('a part of a request that has most of the fields of a record is stored beside the others', async () => {
  const sent = { anyOf: [object({ number: string, month: integer, year: integer, holder: string }), string] }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/cards': { post: { ...takes(object({ card: sent, note: string })), ...answers(201, ref('Card')) } },
        '/cards/{id}': { ...naming('id'), get: answers(200, ref('Card')) },
      },
      { Card: object({ id: string, month: integer, year: integer, holder: string, note: string }) },
    ),
  )
  const card = { number: '4242', month: 7, year: 2031, holder: 'Ada' }
  const made = (await send('POST /cards', { card, note: 'Hers.' })).body as Fields
  const { id, ...shown } = (await send(`GET /cards/${made.id}`)).body as Fields
  assert.deepEqual(shown, { month: 7, year: 2031, holder: 'Ada', note: 'Hers.' })
  const other = (await send('POST /cards', { card: 'tok_1', note: 'By its token.' })).body as Fields
  assert.equal(((await send(`GET /cards/${other.id}`)).body as Fields).note, 'By its token.')
})

test('a part of a request that is another record of its kind stays one', async () => {
  const Comment = { text: string, author: string, place: string }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/comments': {
          post: { ...takes(object({ ...Comment, quoted: object(Comment) })), ...answers(201, ref('Comment')) },
        },
        '/comments/{id}': { ...naming('id'), get: answers(200, ref('Comment')) },
      },
      { Comment: object({ id: string, ...Comment }) },
    ),
  )
  const own = { text: 'Yes.', author: 'Ada', place: 'here' }
  const made = await send('POST /comments', { ...own, quoted: { text: 'So?', author: 'Bo', place: 'there' } })
  const { id, ...shown } = made.body as Fields
  assert.deepEqual(shown, own)
})

test('a field with the values of the parameter names the record', async () => {
  const kind = { ...string, enum: ['validity', 'integrity'] }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/rules': { post: { ...takes(ref('Rule')), ...answers(200, ref('Rule')) } },
        '/rules/{rule}': { ...naming('rule', kind), get: answers(200, ref('Rule')) },
      },
      { Rule: object({ config: string, type: kind }, { required: ['config'] }) },
    ),
  )
  const sent = { type: 'integrity', config: 'full' }
  const { status } = await send('POST /rules', sent)
  assert.ok(status === 200 || status === 409)
  const { type } = (await send('GET /rules/integrity')).body as Fields
  assert.equal(type, 'integrity')
})

test('a field beside `attributes` that both have belongs to the attributes', async () => {
  const Alert = object({
    id: integer,
    type: string,
    attributes: object({ type: { ...string, enum: ['file', 'folder'] }, path: string, message: string }),
  })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/alerts': {
          get: answers(200, object({ data: several(ref('Alert')) })),
          post: { ...takes(object({ type: string, path: string })), ...answers(201, object({ data: ref('Alert') })) },
        },
        '/alerts/{id}': { ...naming('id', integer), get: answers(200, object({ data: ref('Alert') })) },
      },
      { Alert },
    ),
  )
  const made = (await send('POST /alerts', { type: 'folder', path: '/a' })).body as { data: { id: number } }
  const { data } = (await send(`GET /alerts/${made.data.id}`)).body as { data: { attributes: Fields } }
  assert.deepEqual([data.attributes.type, data.attributes.path], ['folder', '/a'])
})
