import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGateway } from '../../src/index.ts'

test('the pet store lists, creates and reads', async () => {
  const gateway = await startGateway({ config: 'config/gateway.yaml' })
  try {
    const headers = { authorization: 'Bearer demo-key', 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
    const created = await fetch(`${gateway.url}/pets`, { method: 'POST', headers, body })
    assert.equal(created.status, 201)
    const pet = (await created.json()) as { id: number }
    const read = await fetch(`${gateway.url}/pets/${pet.id}`, { headers })
    assert.deepEqual(await read.json(), pet)
  } finally {
    await gateway.close()
  }
})
