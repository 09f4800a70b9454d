// The library: the functions that tests of applications use.

import assert from 'node:assert/strict'
import { test } from 'node:test'
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
