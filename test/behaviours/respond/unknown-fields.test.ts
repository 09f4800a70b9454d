import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

const GATEWAY = `
contract:
  openapi: 3.1.0
  info: { title: Notes, version: "1" }
  components:
    schemas:
      Note: { type: object, required: [id, text], properties: { id: { type: integer, readOnly: true }, text: { type: string } } }
      Draft: { type: object, required: [text], properties: { text: { type: string }, password: { type: string } } }
  paths:
    /notes:
      post:
        operationId: createNote
        requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Draft" } } } }
        responses: { 201: { description: Made } }
    /notes/batch:
      post:
        operationId: createNotes
        requestBody:
          required: true
          content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Draft" } } } }
        responses: { 201: { description: Made } }
    /notes/{id}:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      patch:
        operationId: updateNote
        requestBody: { required: true, content: { application/json: { schema: { type: object } } } }
        responses: { 200: { description: Changed } }
resources: { notes: { schema: Note, unknownFields: UNKNOWN, seed: [{ id: 1, text: one }] } }
operations:
  createNote: { respond: { create: notes } }
  createNotes: { respond: { create: notes } }
  updateNote: { respond: { update: notes } }
`

const open = (unknown: string) => inProcess({ 'gateway.yaml': GATEWAY.replace('UNKNOWN', unknown) })

const WARNING = 'unknown fields of notes were dropped: "colour", "size"'

test('unknownFields: warn drops them and names them', async () => {
  const { send } = open('warn')
  const fields = { text: 'two', password: 'p', colour: 'red', size: 2 }
  const made = await send('POST /notes', fields)
  assert.deepEqual([made.status, made.body], [201, { id: 2, text: 'two' }])
  assert.equal(made.headers['understudy-warning'], WARNING)
  const changed = await send('PATCH /notes/1', { colour: 'red', size: 2 })
  assert.deepEqual([changed.body, changed.headers['understudy-warning']], [{ id: 1, text: 'one' }, WARNING])
  const listed = await send('POST /notes/batch', [fields, fields])
  assert.deepEqual([listed.status, listed.headers['understudy-warning']], [201, WARNING])
})

test('a long list of unknown fields is cut', async () => {
  const fields = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x${i}`, i]))
  const { headers } = await open('warn').send('POST /notes', { text: 'two', ...fields })
  assert.match(headers['understudy-warning'] ?? '', /"x9" and 290 more$/)
})

test('nothing is said by default', async () => {
  const { headers } = await open('drop').send('POST /notes', { text: 'two', colour: 'red' })
  assert.equal(headers['understudy-warning'], undefined)
})
