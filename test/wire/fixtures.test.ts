// The shared part of the fixtures for the runners of a project. The package is checked with the runners themselves by .ci/fixtures.ts.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fetchIn, openGateway, openWorld } from '../../src/fixtures/gateway.ts'
import { inWorld } from '../../src/fixtures/in-world.ts'
import type { RunningGateway } from '../../src/index.ts'

const config = 'config/gateway.yaml'
const headers = { authorization: 'Bearer demo-key', 'content-type': 'application/json' }
let gateway: RunningGateway

before(async () => {
  gateway = await openGateway({ config }, '')
})
after(() => gateway.close())

test('a fixture without a contract says what to write', async () => {
  const hint = "test.use({ understudy: { config: 'gateway.yaml' } })"
  for (const options of [undefined, {}]) {
    await assert.rejects(openGateway(options, hint), { message: `no contract is named; write ${hint}` })
  }
})

test('two workers cannot have one port', async () => {
  const port = Number(new URL(gateway.url).port)
  await assert.rejects(openGateway({ config, port }, ''), {
    message: `the port ${port} is taken, perhaps by another worker; leave the ports out, and each worker has free ones`,
  })
})

test('a gateway whose clients cannot name a world gives no world', async () => {
  const deaf = await openGateway({ config: { contract: 'config/openapi.yaml', listen: { clientControls: false } } }, '')
  assert.throws(() => openWorld(deaf, 'a test'), /listen.clientControls is false/)
  await deaf.close()
})

for (const [title, name] of [
  ['the shop › an outage is shown', 'the-shop-an-outage-is-shown'],
  ['default', 'default'],
  ['価格', 'test'],
  ['a'.repeat(100), 'a'.repeat(55)],
  ['../~x', '..-x'],
] as const) {
  test(`tests called ${title} have worlds of their own`, () => {
    assert.deepEqual([openWorld(gateway, title).name, openWorld(gateway, title).name], [`${name}-1`, `${name}-2`])
  })
}

test('`fetch` stays in its world, whatever the host', async () => {
  const [mine, other] = [openWorld(gateway, 'mine'), openWorld(gateway, 'other')]
  const send = fetchIn(gateway, mine)
  const pet = JSON.stringify({ name: 'Rex', categoryId: 1 })
  const { id } = (await (await send('/pets', { method: 'POST', headers, body: pet })).json()) as { id: number }
  const statusOf = async (reply: Promise<Response>) => (await reply).status
  assert.equal(await statusOf(send(`https://pets.example/v1/pets/${id}`, { headers })), 200)
  assert.equal(await statusOf(send(new Request(`${gateway.url}/pets/${id}`, { headers }))), 200)
  assert.equal(await statusOf(fetchIn(gateway, other)(`/pets/${id}`, { headers })), 404)
  assert.equal(await statusOf(send(`/pets/${id}`, { headers: { ...headers, 'understudy-world': other.name } })), 404)
})

test('the requests of Playwright name the world to the gateway only', async () => {
  const sent: unknown[] = []
  const note = async (to: unknown, options: object) => void sent.push([to, options])
  const context = { get: note, fetch: note, storageState: () => 'none' }
  const place = {
    gateway: { url: 'http://127.0.0.1:1/v1' },
    world: { name: 'mine' },
    baseURL: 'http://127.0.0.1:1/v1/',
  }
  const request = inWorld(context, place) as typeof context
  await request.get('pets', { headers: { a: 'b' } })
  await request.get('http://127.0.0.1:2/pets', {})
  const again = { url: () => 'http://127.0.0.1:1/v1/pets', headers: () => ({ c: 'd' }) }
  await request.fetch(again, {})
  assert.deepEqual(sent, [
    ['pets', { headers: { 'understudy-world': 'mine', a: 'b' } }],
    ['http://127.0.0.1:2/pets', {}],
    [again, { headers: { 'understudy-world': 'mine', c: 'd' } }],
  ])
  assert.equal(request.storageState(), 'none')
})
