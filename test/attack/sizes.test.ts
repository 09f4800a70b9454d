// Hostile sizes for every parser: each is answered, and the next request too. The bounds are far above the measured times, and
// far below those of an algorithm that is worse than linear, which takes minutes. The program is shared: starting it takes
// longer than most of the attacks.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { largeConfiguration, repeat } from './large-configuration.ts'
import { type Program, startProgram } from './program.ts'
import { attack } from './table.ts'

const KIND = 'sizes'
const HELD = 30

/** The longest block of the event loop since the previous call, once the timer that notices it has run. */
async function heldOf(program: Program): Promise<number> {
  await new Promise(resolve => setTimeout(resolve, 50))
  return program.metric('understudy_event_loop_delay_seconds{percentile="100"}')
}

const CONTRACT = 'contract: { openapi: 3.1.0, info: { title: T, version: "1" }, paths: {} }\n'
const CONFIGURATIONS: readonly (readonly [name: string, text: string, said?: RegExp])[] = [
  [
    '60,000 unknown keys, one of them with a variable',
    `${CONTRACT}${repeat(60_000, i => `k${i}: 1\n`)}x: "\${A:-b}"\n`,
  ],
  ['80,000 unknown keys with a fault of syntax', `${CONTRACT}${repeat(80_000, i => `k${i}: 1\n`)}x: [}\n`],
  ['40,000 consumers that are none', `${CONTRACT}consumers:\n${repeat(40_000, i => `  c${i}: 1\n`)}`],
  ['100,000 levels', `${CONTRACT}x: ${'['.repeat(100_000)}`],
  [
    '120,000 unknown keys',
    CONTRACT + repeat(120_000, i => `k${i}: 1\n`),
    /unknown key \\"k99\\".*120000 errors \(the first 100 are shown\)/,
  ],
  [
    '100,000 unknown keys, as JSON',
    `{"contract":{}${repeat(100_000, i => `,"k${i}":1`)}}`,
    /unknown key \\"k98\\".*10000\d errors \(the first 100 are shown\)/,
  ],
  [
    '50,000 unknown operations',
    `${CONTRACT}operations:\n${repeat(50_000, i => `  k${i}: {}\n`)}`,
    /50000 errors \(the first 100 are shown\)/,
  ],
  ['1,600,000 objects', `${CONTRACT}errors: { body: [${'{},'.repeat(1_600_000)}] }\n`, /more than 500000 values/],
  [
    '60,000 consumers that are none, on one line',
    `{ ${CONTRACT.trim()}, consumers: {${repeat(60_000, i => `c${i}: 1,`)}} }`,
  ],
  [
    'a map of 3,000 keys, merged 3,000 times',
    `${CONTRACT}b: &b {${repeat(3000, i => `k${i}: 1,`)}}\n${repeat(3000, i => `m${i}: {<<: *b}\n`)}`,
  ],
  ['30,000 unknown aliases', `${CONTRACT}x: [${'*q,'.repeat(30_000)}]\n`],
  ['a key of 7.9 MB', `${CONTRACT}${'a'.repeat(7_900_000)}: 1\n`],
  ['20,000 variables that are not set', `${CONTRACT}x:\n${repeat(20_000, i => `  - \${V${i}}\n`)}`],
]

let started: Promise<Program> | undefined
const shared = (): Promise<Program> => {
  started ??= startProgram('ignore')
  return started
}
after(async () => assert.equal(await (await started)?.stop(), 0))

for (const [name, text, expected] of CONFIGURATIONS) {
  attack(KIND, `PUT /config: ${name}`, async () => {
    const program = await shared()
    await heldOf(program)
    const headers = { 'content-type': 'application/yaml' }
    const reply = await fetch(`${program.control}/config`, { method: 'PUT', headers, body: text })
    const said = await reply.text()
    assert.equal(reply.status, 422, said.slice(0, 300))
    if (expected !== undefined) assert.match(said, expected)
    assert.ok(said.length < 200_000, `the reply has ${said.length} characters`)
    assert.equal(await program.status('/v1/pets?limit=1'), 200)
    const held = await heldOf(program)
    return `422, ${said.length} characters, loop held at most ${held.toFixed(2)} s`
  })
}

attack(KIND, 'PUT /config: a contract of 1 MB and records of 1 MB, as YAML without a mistake', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-sizes-'))
  try {
    const item = '{ $ref: "#/components/schemas/Thing" }'
    const reply = `{ 200: { description: ok, content: { application/json: { schema: ${item} } } } }`
    const paths = repeat(
      1400,
      i => `  /t${i}: { get: { operationId: get${i}, summary: "${'words '.repeat(100)}", responses: ${reply} } }\n`,
    )
    const contract = `openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /things/{id}: { get: { operationId: getThing, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: ${reply} } }
${paths}components: { schemas: { Thing: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } } } }
`
    writeFileSync(join(folder, 'contract.yaml'), contract)
    writeFileSync(join(folder, 'gateway.yaml'), 'contract: ./contract.yaml\n')
    const records = repeat(14_000, i => `{ id: ${i + 1}, name: "${'x'.repeat(60)}" },`)
    const served = await startProgram('ignore', [join(folder, 'gateway.yaml')])
    try {
      const body = `contract: ./contract.yaml
resources: { things: { schema: Thing, seed: [${records}] } }
operations: { getThing: { respond: { read: things } } }
`
      await heldOf(served)
      const reply = await whileAsked(served, () =>
        fetch(`${served.control}/config`, { method: 'PUT', headers: { 'content-type': 'application/yaml' }, body }),
      )
      assert.equal(reply.status, 200, (await reply.text()).slice(0, 300))
      const held = await heldOf(served)
      assert.ok(held < HELD, `${held}`)
      assert.equal((await fetch(`${served.url}/things/14000`)).status, 200)
      return `200, the requests meanwhile are answered, loop held at most ${held.toFixed(2)} s`
    } finally {
      await served.stop()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** Does some work while requests keep coming, which may wait for it, and are all answered. */
async function whileAsked(program: Program, work: () => Promise<Response>): Promise<Response> {
  let over = false
  const working = work().finally(() => {
    over = true
  })
  do {
    const reply = await fetch(`${program.control}/healthz`)
    await reply.arrayBuffer()
    assert.equal(reply.status, 200)
    await new Promise(resolve => setTimeout(resolve, 20))
  } while (!over)
  return working
}

attack(KIND, 'a journal of paths of one letter, asked with a glob of forty stars', async () => {
  const program = await shared()
  await heldOf(program)
  for (let i = 0; i < 20; i++) await program.status(`/v1/${'a'.repeat(3000)}`)
  const glob = `*${'a*'.repeat(40)}b`
  const reply = await fetch(`${program.control}/requests?path=${encodeURIComponent(glob)}`)
  assert.equal(reply.status, 200)
  const held = await heldOf(program)
  assert.ok(held < HELD, `${held}`)
  return `answered, loop held at most ${held.toFixed(2)} s`
})

attack(KIND, 'a query of one name, 7,000 times', async () => {
  const program = await shared()
  const query = 'a&'.repeat(7000)
  assert.equal(await program.status(`/v1/pets?${query}`), 200)
  assert.equal((await fetch(`${program.control}/worlds?${query}`)).status, 400)
  assert.equal(await program.status('/v1/pets?limit=1'), 200)
  return 'an unknown parameter of the API, 400 from the control plane'
})

attack(KIND, 'a snapshot of 50,000 records and 12 MB, put and read', async () => {
  const program = await shared()
  const pets = Array.from({ length: 50_000 }, (_, i) => ({ id: i + 1, name: 'x'.repeat(200), categoryId: 1 }))
  const text = JSON.stringify({ version: 1, collections: { pets: { records: pets } } })
  const address = `${program.control}/worlds/default/snapshot`
  const headers = { 'content-type': 'application/json' }
  await heldOf(program)
  const put = await fetch(address, { method: 'PUT', headers, body: text })
  assert.equal(put.status, 204, await put.text())
  const heldByPut = await heldOf(program)
  const read = (await (await fetch(address)).json()) as { collections: { pets: { records: unknown[] } } }
  assert.equal(read.collections.pets.records.length, 50_000)
  const heldByGet = await heldOf(program)
  assert.ok(heldByPut < HELD && heldByGet < HELD)
  assert.equal(await program.status('/v1/pets/50000'), 200)
  return `204 and 200, loop held at most ${heldByPut.toFixed(2)} s and ${heldByGet.toFixed(2)} s`
})

attack(KIND, 'a snapshot of 1,500,000 records that are none', async () => {
  const program = await shared()
  const body = `{"version":1,"collections":{"pets":{"records":[${'{},'.repeat(1_499_999)}{}]}}}`
  const headers = { 'content-type': 'application/json' }
  await heldOf(program)
  const put = await fetch(`${program.control}/worlds/default/snapshot`, { method: 'PUT', headers, body })
  const said = await put.text()
  assert.equal(put.status, 422, said.slice(0, 300))
  assert.match(said, /has 1500000 records; at most 100000 are allowed/)
  const held = await heldOf(program)
  assert.ok(held < HELD)
  assert.equal(await program.status('/v1/pets?limit=1'), 200)
  return `422, loop held at most ${held.toFixed(2)} s`
})

// Afterwards the program has another configuration.
attack(
  KIND,
  'PUT /config: 150 operations, 10,000 records, 1,500 consumers and 50 weathers, without a mistake',
  async () => {
    const program = await shared()
    const text = largeConfiguration()
    await heldOf(program)
    const headers = { 'content-type': 'application/yaml' }
    // Requests wait for the configuration.
    const reply = await whileAsked(program, () =>
      fetch(`${program.control}/config`, { method: 'PUT', headers, body: text }),
    )
    assert.equal(reply.status, 200, (await reply.text()).slice(0, 300))
    const held = await heldOf(program)
    assert.ok(held < HELD, `${held}`)
    const record = await fetch(`${program.url}/r49/200`)
    assert.equal(record.status, 200, await record.text())
    const slow = await fetch(`${program.url}/r42/1`, { headers: { 'understudy-weather': 'w42' } })
    assert.equal(slow.status, 200, await slow.text())
    return `200, the requests meanwhile are answered, loop held at most ${held.toFixed(2)} s`
  },
)
