// Faults of a reply that a strict judge finds: parts that are only for requests, `null` where none may be, undocumented forms.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { inferredInProcess, inProcess, loadFiles } from '../../support/in-process.ts'
import { answers, documentOf, integer, naming, object, ref, string, takes } from '../../support/small-document.ts'

const SECRET = { ...string, writeOnly: true }
const json = (content: unknown) => ({ description: 'Fine', content: { 'application/json': content } })

/** Sends a request to a contract without state. */
const answerOf = (paths: Record<string, unknown>, line: string, body?: unknown) =>
  inProcess({ 'openapi.yaml': stringify(documentOf(paths, {})) }).send(line, body as never)

test('a named example of a reply has no writeOnly parts, though the request is its namesake', async () => {
  const card = object({ name: string, pin: SECRET })
  const content = { schema: card, examples: { card: { value: { name: 'Ada', pin: '123' } } } }
  const pay = { requestBody: { content: { 'application/json': content } }, responses: { 200: json(content) } }
  assert.deepEqual((await answerOf({ '/pay': { post: pay } }, 'POST /pay', { name: 'Ada', pin: '123' })).body, {
    name: 'Ada',
  })
})

test('an example is sent without the nulls that its schema forbids', async () => {
  const schema = { type: 'array', items: object({ size: integer, note: { ...string, nullable: true } }) }
  const get = { responses: { 200: json({ schema, example: [{ size: null, note: null }, { size: 2 }] }) } }
  assert.deepEqual((await answerOf({ '/files': { get } }, 'GET /files')).body, [{ note: null }, { size: 2 }])
})

test('a refusal has the schema of a documented range of media types', async () => {
  const why = object({ why: string }, { required: ['why'] })
  const responses = {
    204: { description: 'Gone' },
    default: { description: 'No', content: { '*/*': { schema: why } } },
  }
  const parameters = [{ name: 'n', in: 'query', required: true, schema: integer }]
  const refusal = await answerOf({ '/a': { delete: { parameters, responses } } }, 'DELETE /a')
  assert.deepEqual(Object.keys(refusal.body as object), ['why'])
  assert.equal(refusal.headers['content-type'], 'application/json')
})

test('no record keeps what is writeOnly inside one of its fields', async () => {
  const account = object({ name: string, secret: SECRET })
  const team = object({ id: { ...integer, readOnly: true }, owner: account }, { required: ['id'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/teams': {
          get: answers(200, { type: 'array', items: ref('Team') }),
          post: { ...takes(ref('Team')), ...answers(201, ref('Team')) },
        },
        '/teams/{id}': { ...naming('id', integer), get: answers(200, ref('Team')) },
      },
      { Team: team },
    ),
  )
  const { body } = await send('POST /teams', { owner: { name: 'Ada', secret: 'x' } })
  assert.deepEqual((body as { owner: unknown }).owner, { name: 'Ada' })
})

test('an operation that documents a redirect and no success is not inferred to read a record', async () => {
  const file = object({ id: integer, name: string }, { required: ['id'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/files': {
          get: answers(200, { type: 'array', items: ref('File') }),
          post: { ...takes(ref('File')), ...answers(201, ref('File')) },
        },
        '/files/{id}': { ...naming('id', integer), get: { responses: { 302: { description: 'Elsewhere' } } } },
      },
      { File: file },
    ),
  )
  assert.equal((await send('GET /files/1')).status, 302)
})

test('operations without a documented success are reported once', () => {
  const remove = { responses: { 404: { description: 'None' } } }
  const paths = {
    '/a': { delete: { operationId: 'removeA', ...remove } },
    '/b': { delete: { operationId: 'removeB', ...remove } },
  }
  const { report } = loadFiles({ 'openapi.yaml': stringify(documentOf(paths, {})) })
  const [warning] = report.list.filter(({ code }) => code === 'no-success')
  assert.equal(warning?.message, 'removeA documents no success (operations without one: 2)')
})

test('a field that only the server gives is no null where its schema has properties and no type', async () => {
  const driver = { properties: { name: string }, required: ['name'] }
  const ride = object({ id: { ...integer, readOnly: true }, to: string, driver }, { required: ['id', 'driver'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/rides': {
          get: answers(200, { type: 'array', items: ref('Ride') }),
          post: { ...takes(object({ to: string })), ...answers(201, ref('Ride')) },
        },
        '/rides/{id}': { ...naming('id', integer), get: answers(200, ref('Ride')) },
      },
      { Ride: ride },
    ),
  )
  const { body } = await send('POST /rides', { to: 'Rome' })
  assert.equal(typeof (body as { driver: { name: string } }).driver?.name, 'string')
})
