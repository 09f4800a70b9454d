// Statements of README.md and docs/ that no other test covers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics } from '../src/kernel/diagnostic.ts'
import { formatBriefly } from '../src/kernel/report.ts'
import { CONTRACT, OPERATIONS, simulate } from './simulate.ts'
import { inProcess, load } from './support/in-process.ts'
import { FixedClock } from './virtual-clock.ts'

const PAIRS = `
openapi: 3.1.0
info: { title: Pairs, version: "1" }
components:
  securitySchemes: { cert: { type: mutualTLS } }
  schemas: { Pair: { type: object, required: [id, word], properties: { id: { type: integer, format: int64 }, word: { type: string } } } }
paths:
  /pairs/{id}:
    get:
      operationId: getPair
      security: [{ cert: [] }]
      parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
      responses: { 200: { description: Fine, content: { application/json: { schema: { $ref: "#/components/schemas/Pair" } } } } }
`
const pairs = (yaml = '') => inProcess({ 'gateway.yaml': `contract: ./openapi.yaml\n${yaml}`, 'openapi.yaml': PAIRS })

test('generated replies are the same for the same request, and seed changes them all', async () => {
  const words = async (yaml: string) => {
    const { send } = pairs(yaml)
    const replies = [await send('GET /pairs/1'), await send('GET /pairs/1'), await send('GET /pairs/2')]
    return replies.map(({ body }) => (body as { word: string }).word)
  }
  const [first, again, other] = await words('')
  assert.equal(again, first)
  assert.notEqual(other, first)
  assert.deepEqual(await words('seed: 0'), [first, again, other])
  const seeded = await words('seed: 1')
  assert.ok(seeded[0] !== first && seeded[2] !== other)
})

test('a mutualTLS scheme is always satisfied', async () => {
  assert.equal((await pairs('consumers: {}').send('GET /pairs/1')).status, 200)
})

test('the range of int64 is exact', async () => {
  const { send } = pairs()
  const status = async (id: string) => (await send(`GET /pairs/${id}`)).status
  assert.deepEqual([await status('9223372036854775807'), await status('9223372036854775808')], [200, 400])
})

test('a limit under `defaults` counts all operations together, a limit under an operation only this one', async () => {
  const statuses = async (yaml: string) => {
    const { ask } = simulate(yaml, new FixedClock())
    const seen: number[] = []
    for (const line of ['GET /things', 'GET /things/1', 'GET /things']) seen.push((await ask(line)).status)
    return seen
  }
  const limit = 'rateLimit: { limit: 1/h }'
  assert.deepEqual(await statuses(`defaults: { ${limit} }\noperations: ${OPERATIONS}`), [200, 429, 429])
  const own = OPERATIONS.replace('{ respond: { list: things } }', `{ respond: { list: things }, ${limit} }`)
  assert.deepEqual(await statuses(`operations: ${own}`), [200, 200, 429])
})

test('by default 1000 sandboxes are kept for an hour, and the last 1000 requests', () => {
  const { plan } = load(`${CONTRACT}\noperations: ${OPERATIONS}`)
  const { worlds, journal } = plan?.simulation ?? assert.fail()
  assert.deepEqual([worlds.max, worlds.idle, worlds.sandboxes], [1000, 3_600_000, true])
  assert.deepEqual([journal.requests, journal.bodies, journal.headers], [1000, 0, []])
})

test('links of pages keep the name of the world from the path, the host or the header', async () => {
  const paged = OPERATIONS.replace('{ list: things }', '{ list: things, limit: limit, offset: offset, links: true }')
  const contract = CONTRACT.replace(
    'operationId: listThings',
    'operationId: listThings\n        parameters: [{ name: limit, in: query, schema: { type: integer } }, { name: offset, in: query, schema: { type: integer } }]',
  )
  const { send } = inProcess({ 'gateway.yaml': `${contract}\noperations: ${paged}` })
  const link = async (path: string, headers = {}) =>
    (await send(`GET ${path}?limit=1`, undefined, headers)).headers.link ?? ''
  assert.match(await link('/~alice/things'), /<\/~alice\/things\?[^>]*offset=1[^>]*>; rel="next"/)
  assert.match(await link('/things', { 'understudy-world': 'alice' }), /<\/things\?[^>]*offset=1[^>]*>; rel="next"/)
})

test('shared counts use the clock of the world, even for requests with Understudy-Time', async () => {
  const clock = new FixedClock()
  const { ask } = simulate(`defaults: { rateLimit: { limit: 1/h } }\noperations: ${OPERATIONS}`, clock)
  const status = async (time: string) => (await ask('GET /things', { headers: { 'understudy-time': time } })).status
  assert.deepEqual([await status('2030-01-01'), await status('2031-01-01'), await status('+30d')], [200, 429, 429])
})

test('the first ten of many warnings are shown, with the total', () => {
  const report = new Diagnostics()
  for (let line = 1; line <= 12; line++) {
    report.warning('odd', `oddity ${line}`, { file: 'a.yaml', line, column: 1, length: 1, text: 'x' })
  }
  const shown = formatBriefly(report)
  assert.equal(shown.match(/warning odd/g)?.length, 10)
  assert.match(shown, /oddity 10\n/)
  assert.match(shown, /\n2 more warnings; `understudy check` shows all\n$/)
})
