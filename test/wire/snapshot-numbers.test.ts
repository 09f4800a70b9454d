// Numbers in snapshots that have no exact value, over HTTP.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startGateway({ config: 'config/gateway.yaml' })
})
after(() => gateway.close())

const put = (members: string) =>
  fetch(`${gateway.control}/worlds/default/snapshot`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: `{"version":1,${members}}`,
  })

test('a next id or a count without an exact value is refused', async () => {
  const reply = await put('"collections":{"pets":{"records":[],"nextId":1e308}}')
  assert.equal(reply.status, 422)
  const { detail } = (await reply.json()) as { detail: string }
  assert.equal(detail, '/collections/pets/nextId must be an integer with all its digits')
  assert.equal((await put('"collections":{},"ordinals":{"listPets":1e308}')).status, 400)
  assert.equal((await put('"collections":{"pets":{"records":[],"nextId":9007199254740993}}')).status, 204)
})
