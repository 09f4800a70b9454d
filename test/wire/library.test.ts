// The library: the functions that tests of applications use.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ConfigurationError, startGateway } from '../../src/index.ts'

const config = 'config/gateway.yaml'
const key = (value: string) => ({ headers: { authorization: `Bearer ${value}` } })

test('two gateways listen on different ports and share no state', async t => {
  const [one, two] = await Promise.all([startGateway({ config }), startGateway({ config })])
  t.after(() => Promise.all([one.close(), two.close()]))
  assert.notEqual(one.url, two.url)
  const headers = { ...key('demo-key').headers, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
  const created = await fetch(`${one.url}/pets`, { method: 'POST', headers, body })
  const { id } = (await created.json()) as { id: number }
  assert.equal((await fetch(`${one.url}/pets/${id}`, key('demo-key'))).status, 200)
  assert.equal((await fetch(`${two.url}/pets/${id}`, key('demo-key'))).status, 404)
  one.reset()
  assert.equal((await fetch(`${one.url}/pets/${id}`, key('demo-key'))).status, 404)
  assert.equal((await fetch(`${one.control}/healthz`)).status, 200)
})

test('`environment` replaces the variables of the process', async t => {
  const gateway = await startGateway({ config, environment: { PETSTORE_API_KEY: 'another-key' } })
  t.after(() => gateway.close())
  assert.equal((await fetch(`${gateway.url}/pets`, key('another-key'))).status, 200)
  assert.equal((await fetch(`${gateway.url}/pets`, key('demo-key'))).status, 401)
})

test('an invalid configuration is an error that shows every mistake', async () => {
  await assert.rejects(startGateway({ config: 'config/nowhere.yaml' }), error => {
    assert.ok(error instanceof ConfigurationError)
    assert.match(error.message, /config\/nowhere\.yaml:1:1 error no-such-file: /)
    return true
  })
})

test('a closed gateway refuses connections', async () => {
  const gateway = await startGateway({ config })
  await gateway.close()
  await assert.rejects(fetch(`${gateway.url}/pets`))
})

test('a world is rewound, and its scenarios are those of the control plane', async t => {
  const gateway = await startGateway({
    config: {
      contract: './config/openapi.yaml',
      state: { history: true },
      resources: { pets: { schema: 'Pet', seed: './fixtures/pets.yaml' } },
      operations: {
        listPets: {
          respond: { list: 'pets' },
          rules: [{ when: 'scenario("shop") == "closed"', respond: { status: 503 } }],
        },
      },
    },
  })
  t.after(() => gateway.close())
  const world = gateway.world('alice')
  const states = async (...[method, body]: string[]) => {
    const headers = { 'content-type': 'application/json' }
    const init = method === undefined ? {} : { method, headers, body: body as string }
    const reply = await fetch(`${gateway.control}/worlds/alice/scenarios`, init)
    return [reply.status, await reply.json()]
  }
  const status = async () => (await fetch(`${world.baseUrl}/pets`, key('any'))).status
  assert.deepEqual(await states(), [200, { shop: '' }])
  world.scenario('shop', 'closed')
  assert.deepEqual(await states(), [200, { shop: 'closed' }])
  assert.equal(await status(), 503)
  assert.deepEqual(await states('PUT', '{"shop":""}'), [200, { shop: '' }])
  assert.equal(await status(), 200)
  for (const [body, refusal] of [
    ['{"shop":"closed","shp":"open"}', 404],
    ['{"shop":"clsed"}', 400],
    ['{"shop":5}', 400],
    ['[]', 400],
  ] as const) {
    assert.equal((await states('PUT', body))[0], refusal)
    assert.deepEqual(await states(), [200, { shop: '' }])
  }

  const pets = world.records('pets')
  const before = (await pets).length
  await pets.remove(1)
  const history = (await (await fetch(`${gateway.control}/worlds/alice/history`)).json()) as {
    entries: { position: number }[]
  }
  const position = Math.max(...history.entries.map(entry => entry.position))
  assert.deepEqual(await world.rewind(position - 1), { position: position - 1, reversed: 1 })
  assert.equal((await pets).length, before)
  for (const [to, message] of [
    [position + 100, /the history ends at position/],
    ['soon', /"to" must be a position/],
    [null, /"to" must be a position/],
    [{}, /"to" must be a position/],
    [-1, /"to" must be a position/],
    [{ request: 9999 }, 'the journal has no request 9999'],
    ['-5m', /the history begins at/],
  ] as const) {
    await assert.rejects(world.rewind(to as never), { message })
  }
  await assert.rejects((await startUnrecorded(t)).rewind(0), /the changes of worlds are recorded with state/)
})

async function startUnrecorded(t: TestContext) {
  const gateway = await startGateway({ config })
  t.after(() => gateway.close())
  return gateway.world('alice')
}
