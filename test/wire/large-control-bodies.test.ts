// Large bodies of the control plane: what is refused, and in which words.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { ask } from './ask.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startGateway({ config: 'config/gateway.yaml' })
})
after(() => gateway.close())

const send = async (method: string, path: string, body: string) => {
  const reply = await ask(gateway.control + path, { method, headers: { 'content-type': 'application/json' }, body })
  return { status: reply.status, detail: (reply.body as { detail?: string } | undefined)?.detail ?? '' }
}
const snapshotOf = (members: string) => `{"version":1,${members}}`
const many = (count: number, item: (i: number) => string) => Array.from({ length: count }, (_, i) => item(i)).join()
const pet = (more: string) => snapshotOf(`"collections":{"pets":{"records":[{"id":1,"categoryId":1,${more}}]}}`)

test('a snapshot with many unknown collections is refused with the first twenty and a count', async () => {
  const collections = `"collections":{"pets":{"records":[]},"pats":{"records":[]},${many(20_000, i => `"c${i}":{"records":[]}`)}}`
  const refused = await send('PUT', '/worlds/default/snapshot', snapshotOf(collections))
  assert.equal(refused.status, 422)
  assert.match(
    refused.detail,
    /^\/collections\/pats is not a resource; did you mean "pets"\?; \/collections\/c0 is not/,
  )
  assert.match(refused.detail, /\/collections\/c18 is not a resource; one of: [^;]*; and 19981 more$/)
  const created = await send('POST', '/worlds', `{"name":"many","snapshot":${snapshotOf(collections)}}`)
  assert.equal(created.status, 422)
  assert.match(created.detail, /^\/snapshot\/collections\/pats is not a resource; .*; and 19981 more$/)
  assert.equal((await ask(`${gateway.control}/worlds/many`)).status, 404)
})

test('a snapshot keeps a text of megabytes, its escapes and its digits', async () => {
  const name = 'é\\n"😀1e5'.repeat(100_000)
  const body = pet(`"name":${JSON.stringify(name)},"tags":[]`)
  assert.deepEqual(await send('PUT', '/worlds/default/snapshot', body), { status: 204, detail: '' })
  const { text } = await ask(`${gateway.control}/worlds/default/snapshot`)
  const { collections } = JSON.parse(text) as { collections: { pets: { records: [{ name: string }] } } }
  assert.equal(collections.pets.records[0].name, name)
})

test('an answer with very many expressions is set, and a very long one is refused with its limit', async () => {
  const holes = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, '${ordinal}']))
  const give = (body: object) =>
    send('POST', '/answers', JSON.stringify({ operation: 'listOrders', respond: { status: 418, body } }))
  assert.equal((await give(holes)).status, 201)
  const long = await give({ text: 'x'.repeat(300_000) })
  assert.equal(long.status, 413)
  assert.match(long.detail, /300000/)
  await send('DELETE', '/answers', '')
})
