import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { CONTRACT, OPERATIONS } from '../simulate.ts'
import { fileOf } from '../support/in-process.ts'

let gateway: RunningGateway
before(async () => {
  const config = fileOf(
    `${CONTRACT}\nweather: { down: { defaults: { fault: { kind: close } } } }\noperations: ${OPERATIONS}`,
  )
  gateway = await startGateway({ config })
})
after(() => gateway.close())

const put = (body: string, type = 'application/json') =>
  fetch(`${gateway.control}/weather`, { method: 'PUT', headers: { 'content-type': type }, body })

/** Polls the metrics page until a server is occupied or free. */
async function until(taken: boolean): Promise<void> {
  for (;;) {
    const page = await (await fetch(`${gateway.control}/metrics`)).text()
    if (/^understudy_busy_servers\{[^}]*\} 1$/m.test(page) === taken) return
  }
}

test('waiting ends when the client disconnects, and frees its server', async () => {
  const fog = 'name: fog\ndefaults: { latency: { fixed: 1h }, capacity: { concurrency: 1 } }\n'
  assert.equal((await put(fog, 'application/yaml')).status, 200)
  const client = new AbortController()
  const asked = fetch(`${gateway.url}/things`, { signal: client.signal })
  await until(true)
  client.abort()
  await assert.rejects(asked, { name: 'AbortError' })
  await until(false)
})

test('weather with a rule that cannot be reached is set with a warning', async () => {
  const rules = [{ fault: { kind: 'close' } }, { when: 'nth == 2', fault: { kind: 'close' } }]
  const made = await put(JSON.stringify({ operations: { listThings: { rules } } }))
  const { name, diagnostics } = (await made.json()) as { name: string; diagnostics: { code: string; hint: string }[] }
  assert.deepEqual([made.status, name], [200, 'custom'])
  assert.deepEqual(
    diagnostics.map(({ code, hint }) => [code, hint]),
    [['unreachable-rule', 'remove it, or what excludes it']],
  )
  const shown = (await (await fetch(`${gateway.control}/weather`)).json()) as object
  assert.equal('diagnostics' in shown, false)
  await fetch(`${gateway.control}/weather`, { method: 'DELETE' })
})

test('the control plane sets, shows and clears weather', async () => {
  const made = await put('{"name":"down","for":"5m"}')
  const { name, operations, until } = (await made.json()) as Record<string, unknown>
  assert.deepEqual(
    [name, operations],
    ['down', ['listThings', 'createThing', 'getThing', 'deleteThing', 'changeThing']],
  )
  assert.ok(Date.parse(until as string) > Date.now())
  await assert.rejects(fetch(`${gateway.url}/things`))
  const plan = (await (await fetch(`${gateway.control}/plan`)).json()) as { weather: string }
  assert.equal(plan.weather, 'down')
  assert.equal((await fetch(`${gateway.control}/weather`, { method: 'DELETE' })).status, 204)
  assert.equal((await fetch(`${gateway.url}/things`)).status, 200)
})

test('a behaviour outside a block is refused with the names of the blocks', async () => {
  const reply = await put('{"latency":{"fixed":"3s"}}')
  assert.equal(reply.status, 422)
  const { detail } = (await reply.json()) as { detail: string }
  assert.match(detail, /put it under defaults or tags: NAME or operations: NAME or consumers: NAME\n/)
  assert.doesNotMatch(detail, /gateway file/)
})

test('invalid weather is refused with the place of every mistake', async () => {
  const reply = await put('{"operations":{"listThink":{"fault":{"kind":"reset","probability":2}}}}')
  assert.equal(reply.status, 422)
  const { detail } = (await reply.json()) as { detail: string }
  assert.match(detail, /"probability" must be at most 1/)
  const { name } = (await (await fetch(`${gateway.control}/weather`)).json()) as { name: null }
  assert.equal(name, null)
})

test('large weather with mistakes is refused with the first hundred, a count and the place of a fault of syntax', async () => {
  const operations = Array.from({ length: 5000 }, (_, i) => `  op${i}: {}\n`).join('')
  const unknown = await put(`operations:\n  listThing: {}\n${operations}`, 'application/yaml')
  assert.equal(unknown.status, 422)
  const { detail } = (await unknown.json()) as { detail: string }
  assert.match(detail, /the contract has no operation "listThing"[\s\S]*did you mean "listThings"\?[\s\S]*"op98"/)
  assert.match(detail, /5001 errors \(the first 100 are shown\)\n$/)
  const broken = await put(`operations:\n${operations}x: [}`, 'application/yaml')
  assert.equal(broken.status, 422)
  const { diagnostics } = (await broken.json()) as { diagnostics: { code: string; line: number }[] }
  assert.deepEqual([diagnostics.length, diagnostics[0]?.code, diagnostics[0]?.line], [1, 'syntax', 5002])
})

test('weather of very many rules is set, and one of very many bytes is refused with its limit', async () => {
  const rules = Array.from({ length: 1000 }, (_, i) => ({ when: `ordinal == ${i}`, latency: '1ms' }))
  assert.equal((await put(JSON.stringify({ defaults: { rules } }))).status, 200)
  const long = await put(`name: down\n# ${'x'.repeat(100_000)}`, 'application/yaml')
  assert.equal(long.status, 413)
  assert.match(await long.text(), /100000/)
  assert.equal((await fetch(`${gateway.control}/weather`, { method: 'DELETE' })).status, 204)
})
