import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS, simulate } from '../simulate.ts'
import { inProcess } from '../support/in-process.ts'
import { VirtualClock } from '../virtual-clock.ts'

const YAML = `
weather: { down: { defaults: { fault: { kind: status, status: 503 } } } }
operations: ${OPERATIONS}`

test('a client delays its reply with a header or the query', async () => {
  for (const [line, headers] of [
    ['GET /things', { 'understudy-delay': '3s' }],
    ['GET /things?__delay=3s&limit=1', {}],
  ] as const) {
    const clock = new VirtualClock()
    const { ask } = simulate(YAML, clock)
    let status = 0
    void ask(line, { headers }).then(reply => {
      status = reply.status
    })
    await clock.pass(2999)
    assert.equal(status, 0)
    await clock.pass(1)
    assert.equal(status, 200)
  }
})

test('a client chooses its weather in the query, which validation does not see', async () => {
  const { ask } = simulate(`${YAML}\ndefaults: { validate: { undocumentedQuery: refuse } }`)
  assert.equal((await ask('GET /things?__weather=down')).status, 503)
  assert.equal((await ask('GET /things?__weather=clear')).status, 200)
  assert.equal((await ask('GET /things?__weather=rain')).status, 400)
})

test('Understudy-Explain names the delay of the client', async () => {
  const clock = new VirtualClock()
  const { ask } = simulate(YAML, clock)
  const reply = ask('GET /things?__delay=1s', { headers: { 'understudy-explain': '1' } })
  await clock.pass(1000)
  assert.match((await reply).headers['understudy-explanation'] ?? '', /delay: 1000 ms/)
})

test('with `clientControls: false` headers and parameters of clients are ignored', async () => {
  const { ask } = simulate(`listen: { clientControls: false }\n${YAML}`)
  const headers = { 'understudy-delay': '1h', 'understudy-nonsense': 'x', 'understudy-weather': 'down' }
  assert.equal((await ask('GET /things?__weather=down&__what=x', { headers })).status, 200)
  assert.equal((await ask('GET /things', { headers: { prefer: 'code=418' } })).status, 404)
})

test('a refused control has the error shape of the operation', async () => {
  const { send } = inProcess({
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Things, version: '1' }
paths:
  /things:
    get:
      responses:
        '200': { description: All. }
        '400':
          description: Wrong.
          content: { application/json: { schema: { type: object, required: [reason], properties: { reason: { type: string } } } } }
`,
  })
  for (const [line, headers] of [
    ['GET /things?__nope=1', {}],
    ['GET /things?__weather=rain', {}],
    ['GET /things', { 'understudy-nope': '1' }],
    ['GET /things', { 'understudy-time': 'soonish' }],
  ] as const) {
    const reply = await send(line, undefined, headers)
    assert.deepEqual([reply.status, reply.headers['content-type']], [400, 'application/json'], line)
    assert.deepEqual(Object.keys(reply.body as object), ['reason'], line)
  }
})
