import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inProcess, loadFiles } from '../../support/in-process.ts'

const ids = (body: unknown) => (body as { id: string }[]).map(({ id }) => id)
const parameter = (name: string) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`

const openapi = `
openapi: 3.1.0
info: { title: Files, version: 1.0.0 }
paths:
  /rooms/{room}/shelves/{shelf}/files:
    parameters: [${parameter('room')}, ${parameter('shelf')}]
    get: { operationId: listFiles, responses: { '200': { description: Files. }, '404': { description: None. } } }
    post:
      operationId: addFile
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '201': { description: Added. } }
  /rooms/{room}/shelves:
    parameters: [${parameter('room')}]
    post:
      operationId: addShelf
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '201': { description: Added. } }
components:
  schemas:
    Shelf: { type: object, required: [id], properties: { id: { type: string }, room: { type: string } } }
    File: { type: object, required: [id], properties: { id: { type: string }, room: { type: string }, shelf: { type: string } } }
`

const gateway = (field: string, within: string) => `
contract: ./openapi.yaml
resources:
  shelves: { schema: Shelf, id: { within: ["${field}"], assign: client }, seed: [{ id: old }] }
  files: { schema: File, id: { assign: client } }
operations:
  addShelf: { respond: { create: shelves, within: { parameter: room, field: "${field}" } } }
  addFile: { respond: { create: files, within: ${within} } }
  listFiles: { respond: { list: files, within: ${within} } }
`

for (const field of ['room', '{room}']) {
  suite(`owners whose ids are unique within ${field}`, () => {
    const within = `[{ parameter: room, field: "${field}" }, { parameter: shelf, resource: shelves }]`
    const { send } = inProcess({ 'gateway.yaml': gateway(field, within), 'openapi.yaml': openapi })

    test('a record is added to an owner that exists in the path', async () => {
      assert.equal((await send('POST /rooms/red/shelves', { id: 'top' })).status, 201)
      assert.equal((await send('POST /rooms/red/shelves/top/files', { id: 'a' })).status, 201)
      assert.deepEqual(ids((await send('GET /rooms/red/shelves/top/files')).body), ['a'])
    })
    test('an owner of another room counts as missing', async () => {
      assert.equal((await send('POST /rooms/blue/shelves/top/files', { id: 'b' })).status, 404)
      assert.equal((await send('GET /rooms/blue/shelves/top/files')).status, 404)
    })
  })
}

test('an owner that belongs to every room is found in each', async () => {
  const within = '[{ parameter: room, field: "{room}" }, { parameter: shelf, resource: shelves }]'
  const { send } = inProcess({ 'gateway.yaml': gateway('{room}', within), 'openapi.yaml': openapi })
  assert.equal((await send('POST /rooms/green/shelves/old/files', { id: 'c' })).status, 201)
})

test('a path that does not name what the id of an owner is unique within is a mistake', () => {
  const within = '[{ parameter: shelf, resource: shelves }]'
  const { report } = loadFiles({ 'gateway.yaml': gateway('room', within), 'openapi.yaml': openapi })
  assert.ok(report.list.some(({ code, message }) => code === 'no-identifier' && message.includes('shelves')))
})
