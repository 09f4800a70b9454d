// Numbers in snapshots that have no exact value, over HTTP.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { fileOf } from '../support/in-process.ts'

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

test('a recorded world accepts or refuses a number that is not exact', async t => {
  const text = readFileSync('config/gateway.yaml', 'utf8').replace(/: (\.\.?\/)/g, `: ${resolve('config')}/$1`)
  const recorded = await startGateway({ config: fileOf(`${text}\nstate: { history: true }\n`) })
  t.after(() => recorded.close())
  const send = (line: string, body: string) => {
    const [method, path] = line.split(' ') as [string, string]
    const headers = { 'content-type': 'application/json' }
    return fetch(`${recorded.control}/worlds/default/${path}`, { method, headers, body })
  }
  const large = '1000000000000000.0'
  const snapshots = [
    `"collections":{},"ordinals":{"listPets":${large}}`,
    `"collections":{},"counters":{"rules":{"a":${large}},"paths":{"GET /pets":${large}}}`,
    `"collections":{},"clock":{"rate":1.0000000000000000000001}`,
    `"collections":{"pets":{"records":[],"nextId":${large},"creations":${large}}}`,
    `"collections":{"pets":{"records":[{"id":${large},"name":"a","category":{"id":1,"name":"b"}}],"created":[${large}]}}`,
  ]
  for (const members of snapshots) {
    const { status } = await send('PUT snapshot', `{"version":1,${members}}`)
    assert.ok(status === 204 || status === 422, `${status} for ${members}`)
    if (!members.includes('"records":[{')) assert.equal(status, 204, members)
  }
  for (const to of ['{"request":9223372036854775808}', '9223372036854775808']) {
    const reply = await send('POST rewind', `{"to":${to}}`)
    assert.equal(reply.status, 400, to)
    assert.match(await reply.text(), /9007199254740991/)
  }
})
