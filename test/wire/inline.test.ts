import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigurationError, startGateway } from '../../src/index.ts'
import { CONTRACT, OPERATIONS } from '../simulate.ts'
import { ask } from './ask.ts'

const CONFIG = {
  contract: {
    openapi: '3.1.0',
    info: { title: 'Greetings', version: '1' },
    paths: { '/hello': { get: { operationId: 'hello', responses: { 200: { description: 'Hello' } } } } },
  },
  operations: { hello: { respond: { status: 200, body: 'hello' } } },
}

test('a gateway starts from an object', async t => {
  const gateway = await startGateway({ config: CONFIG })
  t.after(() => gateway.close())
  assert.equal((await ask(`${gateway.url}/hello`)).status, 200)
})

test('a gateway starts from a text', async t => {
  const gateway = await startGateway({ config: `${CONTRACT}operations: ${OPERATIONS}` })
  t.after(() => gateway.close())
  const { baseUrl } = gateway.world('alice')
  assert.equal((await ask(`${baseUrl}/things/1`)).status, 200)
  assert.deepEqual(
    gateway
      .world('alice')
      .requests()
      .map(({ path, world }) => [path, world]),
    [['/things/1', 'alice']],
  )
  assert.deepEqual(gateway.world().requests(), [])
})

test('a mistake in an object or a text is shown with its place', async () => {
  await assert.rejects(startGateway({ config: { ...CONFIG, seed: 'none' } }), (error: Error) => {
    assert.ok(error instanceof ConfigurationError)
    assert.match(error.message, /gateway\.yaml:1:\d+ error wrong-type: "seed" must be an integer/)
    return true
  })
  await assert.rejects(startGateway({ config: 'contract: ./nowhere.yaml\nseed: 1' }), /no-such-file/)
})
