// Numbers that actions add to, and that count the records of an owner.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDiagnostics } from '../../../src/kernel/report.ts'
import { inProcess, loadFiles } from '../../support/in-process.ts'

const DOCUMENT = `
openapi: 3.1.0
info: { title: Posts, version: '1' }
paths:
  /posts/{id}/like: { post: { operationId: like, parameters: &id [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { 200: &post { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Post' } } } } } } }
  /posts/{id}: { get: { operationId: getPost, parameters: *id, responses: { 200: *post } } }
  /posts/{id}/notes: { post: { operationId: addNote, parameters: *id, responses: { 201: { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } } } } }
  /posts/{id}/notes/{note}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }, { name: note, in: path, required: true, schema: { type: integer } }]
    delete: { operationId: deleteNote, responses: { 204: { description: gone } } }
components:
  schemas:
    Post: { type: object, properties: { id: { type: integer }, liked: { type: boolean }, likes: { type: integer }, notes: { type: integer } } }
    Note: { type: object, properties: { id: { type: integer } } }
`
const gateway = (add: string, count: string) => `
contract: openapi.yaml
resources: { posts: { schema: Post, seed: [{ id: 1, liked: false, likes: 7 }] }, notes: { schema: Note } }
operations:
  getPost: { respond: { read: posts } }
  like: { respond: { update: posts, set: { liked: true }, add: { ${add}: 1 } } }
  addNote: { respond: { create: notes, within: { parameter: id, field: '{post}', resource: posts, count: ${count} } } }
  deleteNote: { respond: { delete: notes, within: { parameter: id, field: '{post}', resource: posts, count: ${count} } } }
`

test('an update adds to a number once, and an owner counts its records', async () => {
  const { send } = inProcess({ 'gateway.yaml': gateway('likes', 'notes'), 'openapi.yaml': DOCUMENT })
  for (const _ of [1, 2]) assert.deepEqual((await send('POST /posts/1/like')).body, { id: 1, liked: true, likes: 8 })
  await send('POST /posts/1/notes')
  await send('POST /posts/1/notes')
  assert.equal((await send('DELETE /posts/1/notes/1')).status, 204)
  assert.deepEqual((await send('GET /posts/1')).body, { id: 1, liked: true, likes: 8, notes: 1 })
})

test('numbers that the records do not have are mistakes', () => {
  const { report } = loadFiles({ 'gateway.yaml': gateway('likez', 'note'), 'openapi.yaml': DOCUMENT })
  const text = formatDiagnostics(report.list)
  assert.match(text, /the records of posts have no field "likez"/)
  assert.match(text, /the records of posts have no field "note"[\s\S]*did you mean "notes"/)
})
