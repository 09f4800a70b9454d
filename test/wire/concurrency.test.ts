import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, test } from 'node:test'
import { startGateway } from '../../src/index.ts'
import { size } from '../support/cases.ts'

const gateway = await startGateway({ config: 'config/gateway.yaml' })
const agent = new Agent({ keepAlive: true, maxSockets: 100 })
after(async () => {
  agent.destroy()
  await gateway.close()
})

const send = (method: string, path: string, body?: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: 'Bearer demo-key',
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const sent = request(gateway.url + path, { method, agent, headers }, received => {
      let text = ''
      received.setEncoding('utf8').on('data', chunk => (text += chunk))
      received.on('end', () => resolve({ status: received.statusCode ?? 0, text }))
    })
    sent.on('error', reject).end(body)
  })

const COUNT = size(200, 1000)
test(`${COUNT} pets created concurrently have as many ids, and each can be read`, async () => {
  const numbers = Array.from({ length: COUNT }, (_, i) => i)
  const created = await Promise.all(numbers.map(n => send('POST', '/pets', `{"name":"pet ${n}","categoryId":${n}}`)))
  assert.ok(created.every(({ status }) => status === 201))
  const pets = created.map(({ text }) => JSON.parse(text) as { id: number; name: string })
  assert.equal(new Set(pets.map(({ id }) => id)).size, COUNT)
  for (const [n, pet] of pets.entries()) assert.equal(pet.name, `pet ${n}`)
  const read = await Promise.all(pets.map(({ id }) => send('GET', `/pets/${id}`)))
  assert.deepEqual(
    read.map(({ text }) => text),
    created.map(({ text }) => text),
  )
})
