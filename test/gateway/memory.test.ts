import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess, loadFiles } from '../support/in-process.ts'
import { notesContract } from '../support/notes.ts'

const GATEWAY = `
contract: ./openapi.yaml
worlds: { maxBytes: 4kB }
resources: { notes: { schema: Note, seed: [{ id: 1, text: seed }] } }
operations:
  listNotes: { respond: { list: notes } }
  addNote: { respond: { create: notes } }
  replaceNote: { respond: { replace: notes } }
  deleteNote: { respond: { delete: notes } }
`
const create = () => {
  const gateway = inProcess({ 'gateway.yaml': GATEWAY, 'openapi.yaml': notesContract() })
  const add = async (world = 'default', length = 600) =>
    (await gateway.send('POST /notes', { text: 'x'.repeat(length) }, { 'understudy-world': world })).status
  const names = () => gateway.gateway.worlds.list().map(({ name }) => name)
  const bytes = () => Object.fromEntries(gateway.gateway.worlds.bytes.map(({ kind, bytes }) => [kind, bytes]))
  return { ...gateway, add, names, bytes }
}

test('above the bound of all worlds a write that grows is 507; other requests are served', async () => {
  const { send, add } = create()
  assert.deepEqual([await add(), await add()], [201, 201])
  const refused = await send('POST /notes', { text: 'x'.repeat(600) })
  assert.equal(refused.status, 507)
  assert.deepEqual(refused.body, {
    type: 'about:blank',
    title: 'Insufficient storage',
    status: 507,
    detail: 'the records of all worlds together have reached the memory limit (worlds.maxBytes)',
    code: 'insufficient_storage',
  })
  assert.equal((await send('PUT /notes/2', { text: 'x'.repeat(3000) })).status, 507)
  assert.equal((await send('PUT /notes/2', { text: 'y'.repeat(600) })).status, 200)
  assert.equal((await send('GET /notes')).status, 200)
  assert.equal((await send('DELETE /notes/3')).status, 204)
  assert.equal(await add(), 201)
  // A refused record has used up no id.
  assert.deepEqual(
    ((await send('GET /notes')).body as { id: number }[]).map(({ id }) => id),
    [1, 2, 4],
  )
})

test('the least recently used sandboxes are removed first, never the one that is written to', async () => {
  const { add, names, clock, gateway } = create()
  for (const world of ['ann', 'bob', 'cy']) {
    clock.time += 1000
    assert.equal(await add(world), 201)
  }
  assert.deepEqual(names().sort(), ['bob', 'cy', 'default'])
  clock.time += 1000
  assert.equal(await add('bob'), 201)
  assert.deepEqual(names().sort(), ['bob', 'default'])
  assert.equal(await add('bob'), 507)
  assert.equal(gateway.worlds.evictions.counts.memory, 2)
  assert.equal(await add(), 201)
  assert.deepEqual(names(), ['default'])
})

test('records that worlds share count once; records removed by a reset do not count', async () => {
  const { add, bytes, gateway, send } = create()
  const { seeds = 0 } = bytes()
  assert.ok(seeds > 0)
  for (let i = 0; i < 100; i++) await send('GET /notes', undefined, { 'understudy-world': `w${i}` })
  assert.deepEqual(bytes(), { seeds, permanent: 0, sandbox: 0 })
  await send('DELETE /notes/1')
  assert.deepEqual(bytes(), { seeds, permanent: 0, sandbox: 0 })
  for (let i = 0; i < 20; i++) {
    assert.equal(await add(), 201)
    assert.equal(await add('ann'), 201)
    gateway.reset()
    gateway.deleteWorld('ann')
  }
  assert.deepEqual(bytes(), { seeds, permanent: 0, sandbox: 0 })
})

test('writes are refused while the heap is nearly full, until a record is deleted', async () => {
  const { add, gateway, send } = create()
  assert.equal(await add(), 201)
  gateway.worlds.budget.measured(Number.MAX_SAFE_INTEGER)
  assert.equal(await add(), 507)
  assert.equal((await send('DELETE /notes/2')).status, 204)
  gateway.worlds.budget.measured(0)
  assert.equal(await add(), 201)
})

test('maxBytes must be a size', () => {
  const wrong = GATEWAY.replace('4kB', 'much')
  const { report } = loadFiles({ 'gateway.yaml': wrong, 'openapi.yaml': notesContract() })
  assert.ok(report.failed)
  assert.equal(report.list[0]?.place?.line, 3)
})
