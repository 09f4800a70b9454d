// Inference finds the ids and paths of records.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess } from '../../support/in-process.ts'
import { answers, documentOf, integer, naming, object, ref, string, takes } from '../../support/small-document.ts'

type Fields = Readonly<Record<string, unknown>>

test('a collection at several paths has the name in the path of its items', async () => {
  const issues = answers(200, { type: 'array', items: ref('Issue') })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/issues': { get: issues },
        '/repos/{repo}/issues': {
          ...naming('repo'),
          get: issues,
          post: { ...takes(object({ title: string })), ...answers(201, ref('Issue')) },
        },
        '/repos/{repo}/issues/{issue_number}': {
          parameters: [...naming('repo').parameters, ...naming('issue_number', integer).parameters],
          get: answers(200, ref('Issue')),
        },
      },
      {
        Issue: object(
          { id: integer, number: { ...integer, example: 42 }, title: string },
          { required: ['id', 'number', 'title'] },
        ),
      },
    ),
  )
  const made = [
    await send('POST /repos/a/issues', { title: 'One' }),
    await send('POST /repos/a/issues', { title: 'Two' }),
  ]
  const [one, two] = made.map(({ body }) => body as { number: number })
  assert.notEqual(one?.number, two?.number)
  assert.deepEqual((await send(`GET /repos/a/issues/${two?.number}`)).body, two)
  assert.ok(((await send('GET /issues')).body as Fields[]).some(({ title }) => title === 'Two'))
})

test('a record with a numeric id behind a text parameter is found by its id', async () => {
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/visits/': {
          get: answers(200, object({ results: { type: 'array', items: ref('Visit') } })),
          post: { ...takes(ref('Visit')), ...answers(201, ref('Visit')) },
        },
        '/visits/{id}/': { ...naming('id'), get: answers(200, ref('Visit')), delete: answers(204) },
      },
      { Visit: object({ name: string, id: { ...integer, readOnly: true } }) },
    ),
  )
  const { id } = (await send('POST /visits/', { name: 'One' })).body as { id: number }
  assert.deepEqual((await send(`GET /visits/${id}/`)).body, { name: 'One', id })
})

test('the example id of a path names a seeded record and owner', async () => {
  const id = '6f1c2c9e-0000-4000-8000-0000000000ab'
  const site = (path: object) => ({
    parameters: [{ in: 'path', name: 'site_id', required: true, schema: string, example: id }],
    ...path,
  })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/sites': { get: answers(200, { type: 'array', items: ref('Site') }) },
        '/sites/{site_id}': site({ get: answers(200, ref('Site')), delete: answers(200, { type: 'boolean' }) }),
        '/sites/{site_id}/maps': site({
          get: answers(200, { type: 'array', items: ref('Map') }),
          post: { ...takes(object({ name: string })), ...answers(200, ref('Map')) },
        }),
      },
      {
        Site: object({ id: string, name: string }, { required: ['id', 'name'] }),
        Map: object({ id: string, site_id: string, name: string }, { required: ['id'] }),
      },
    ),
  )
  assert.equal((await send(`GET /sites/${id}`)).status, 200)
  const { status, body } = await send(`POST /sites/${id}/maps`, { name: 'One' })
  assert.deepEqual([status, (body as Fields).site_id], [200, id])
  assert.deepEqual((await send(`DELETE /sites/${id}`)).body, true)
})

test('an operation that restores an item may answer differently from the update', async () => {
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/folders': {
          get: answers(200, { type: 'array', items: ref('Folder') }),
          post: { ...takes(object({ name: string })), ...answers(201, ref('Folder')) },
        },
        '/folders/{id}': {
          ...naming('id'),
          get: answers(200, ref('Folder')),
          put: { ...takes(object({ name: string })), ...answers(200, ref('Folder')) },
          post: { ...answers(201, object({ id: string, name: string }, { maxProperties: 0 })) },
        },
      },
      { Folder: object({ id: string, name: string }, { required: ['id', 'name'] }) },
    ),
  )
  const { id } = (await send('POST /folders', { name: 'One' })).body as { id: string }
  assert.deepEqual((await send(`GET /folders/${id}`)).body, { id, name: 'One' })
})

for (const [kind, pattern] of [
  ['capitals', '^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$'],
  ['small letters', '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'],
] as const) {
  test(`an id that is a UUID of ${kind} by its pattern is made so`, async () => {
    const id = { ...string, format: 'uuid', pattern, readOnly: true, example: 'b14acd0d-75d7-4fc8-8b22-4a3924585cab' }
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/notes': {
            get: answers(200, { type: 'array', items: ref('Note') }),
            post: { ...takes(object({ text: string })), ...answers(201, ref('Note')) },
          },
          '/notes/{noteId}': { ...naming('noteId', { ...string, format: 'uuid' }), get: answers(200, ref('Note')) },
        },
        { Note: object({ id, text: string }) },
      ),
    )
    const { status, body } = await send('POST /notes', { text: 'Call Ada' })
    assert.equal(status, 201)
    const made = body as { id: string }
    assert.match(made.id, new RegExp(pattern))
    assert.deepEqual((await send(`GET /notes/${made.id}`)).body, made)
  })
}
