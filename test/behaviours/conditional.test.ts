import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS, simulate } from '../simulate.ts'

const things = (conditional = '{}') => simulate(`defaults: { conditional: ${conditional} }\noperations: ${OPERATIONS}`)
const patch = (name: string, headers: Record<string, string> = {}) => ({ headers, body: { name } })

test('a record has a strong entity tag, another one after every write, and another one in every world', async () => {
  const { ask, gateway } = things()
  const tag = async () => (await ask('GET /things/1')).headers.etag as string
  const first = await tag()
  assert.match(first, /^"[^"]+"$/)
  assert.equal(await tag(), first)
  const written = await ask('PATCH /things/1', patch('uno'))
  assert.notEqual(written.headers.etag, first)
  assert.equal(await tag(), written.headers.etag)
  assert.equal((await ask('POST /things', patch('three'))).headers.etag, (await ask('GET /things/3')).headers.etag)
  const before = (await ask('GET /things/3')).headers.etag
  gateway.reset()
  await ask('PATCH /things/1', patch('uno'))
  await ask('POST /things', patch('drei'))
  assert.notEqual((await ask('GET /things/3')).headers.etag, before)
})

test('who has the record already is spared it', async () => {
  const { ask } = things()
  const { etag = '' } = (await ask('GET /things/1')).headers
  const cases: [field: string, status: number][] = [
    [etag, 304],
    [`W/${etag}`, 304],
    [`"other", ${etag}`, 304],
    ['*', 304],
    ['"other"', 200],
    ['', 200],
  ]
  for (const [field, status] of cases) {
    const reply = await ask('GET /things/1', { headers: { 'if-none-match': field } })
    assert.equal(reply.status, status, field)
    assert.equal(reply.headers.etag, etag)
    assert.equal(reply.body === undefined, status === 304)
  }
  assert.equal((await ask('GET /things/9', { headers: { 'if-none-match': '*' } })).status, 404)
})

test('who would overwrite what he has not seen is refused', async () => {
  for (const method of ['PATCH', 'DELETE']) {
    const { ask } = things()
    const { etag = '' } = (await ask('GET /things/1')).headers
    const write = (field: string, name: 'if-match' | 'if-none-match' = 'if-match') =>
      ask(`${method} /things/1`, {
        headers: { [name]: field },
        ...(method === 'PATCH' ? { body: { name: 'uno' } } : {}),
      })
    assert.equal((await write('"other"')).status, 412)
    assert.equal((await write(`W/${etag}`)).status, 412, 'a weak tag never matches strongly')
    assert.equal((await write('*', 'if-none-match')).status, 412)
    assert.equal((await ask('GET /things/1')).headers.etag, etag)
    assert.ok((await write(`"other", ${etag}`)).status < 300)
    assert.notEqual((await write(etag)).status, 200)
  }
})

test('a precondition may be required of writes, and of them alone', async () => {
  const { ask } = things('{ precondition: required }')
  assert.equal((await ask('PATCH /things/1', patch('uno'))).status, 428)
  assert.equal((await ask('DELETE /things/1')).status, 428)
  assert.equal((await ask('DELETE /things/9')).status, 404)
  assert.equal((await ask('POST /things', patch('three'))).status, 201)
  assert.equal((await ask('GET /things/1')).status, 200)
  assert.equal((await ask('PATCH /things/1', patch('uno', { 'if-match': '*' }))).status, 200)
})

test('of two writers that saw the same state one wins', async () => {
  const { ask } = things()
  const { etag = '' } = (await ask('GET /things/1')).headers
  const writes = ['a', 'b', 'c'].map(name => ask('PATCH /things/1', patch(name, { 'if-match': etag })))
  const statuses = (await Promise.all(writes)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [200, 412, 412])
})
