import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'
import { notesContract } from '../../support/notes.ts'

const CONTRACT = notesContract('{ type: integer, readOnly: true, maximum: 6 }')
const GATEWAY = `
contract: ./openapi.yaml
resources: { notes: { schema: Note, maxBytes: 1kB, seed: [{ id: 1, text: seed }] } }
operations:
  listNotes: { respond: { list: notes } }
  addNote: { respond: { create: notes } }
  replaceNote: { respond: { replace: notes } }
`
const create = () => inProcess({ 'gateway.yaml': GATEWAY, 'openapi.yaml': CONTRACT })
const ids = async ({ send }: ReturnType<typeof create>) => {
  const { body } = await send('GET /notes')
  return (body as { id: number }[]).map(({ id }) => id)
}

test('above maxBytes the oldest created record is removed, after a create and after an update', async () => {
  const notes = create()
  for (let i = 0; i < 3; i++) assert.equal((await notes.send('POST /notes', { text: 'x'.repeat(300) })).status, 201)
  assert.deepEqual(await ids(notes), [1, 2, 3, 4])
  await notes.send('POST /notes', { text: 'x'.repeat(300) })
  assert.deepEqual(await ids(notes), [1, 3, 4, 5])
  await notes.send('PUT /notes/5', { text: 'x'.repeat(600) })
  assert.deepEqual(await ids(notes), [1, 4, 5])
})

test('the latest record is kept, whatever its size', async () => {
  const notes = create()
  assert.equal((await notes.send('POST /notes', { text: 'x'.repeat(5000) })).status, 201)
  assert.deepEqual(await ids(notes), [1, 2])
})

test('a create gets 503 when the next counted id does not fit its schema', async () => {
  const notes = create()
  for (let i = 2; i <= 6; i++) assert.equal((await notes.send('POST /notes', { text: 'a' })).status, 201)
  const refused = await notes.send('POST /notes', { text: 'a' })
  assert.equal(refused.status, 503, JSON.stringify(refused))
  assert.equal((refused.body as { detail: string }).detail, 'no ids are left for notes')
  assert.equal((await notes.send('PUT /notes/06', { text: 'b' })).status, 404)
})
