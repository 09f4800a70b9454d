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

test('a refused control has the deprecation headers of the operation, with the links of its path', async () => {
  const yaml = (successor: string) => `
listen: { basePath: /v1 }
weather: { down: { defaults: { fault: { kind: status, status: 503 } } } }
operations: { getThing: { respond: { read: things }, deprecation: { since: 2020-01-01, successor: "${successor}" } } }`
  for (const [line, successor, link] of [
    ['/v1/things/1', '/things', '/v1/things'],
    ['/v1/things/1', '/animals/{id}', '/v1/animals/1'],
    ['/~bob/v1/things/1', '/animals/{id}', '/~bob/v1/animals/1'],
    ['/v1/~bob/things/1', '/animals/{id}', '/v1/~bob/animals/1'],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      for (const [name, value] of [
        ['understudy-nonsense', undefined],
        ['understudy-time', 'soon'],
        ['understudy-ordinal', 'first'],
        ['understudy-weather', 'rain'],
        ['understudy-world', 'a b'],
      ] as const) {
        const { ask } = simulate(yaml(successor))
        const { status, headers } = await ask(`${method} ${line}`, {
          headers: value === undefined ? {} : { [name]: value },
        })
        assert.equal(status, value === undefined ? 200 : 400, `${method} ${line} ${name}`)
        assert.equal(headers.link, `<${link}>; rel="successor-version"`, `${method} ${line} ${name}`)
        assert.equal(headers.deprecation, '@1577836800')
      }
    }
  }
})

test('an invalid name of a world in the path is not repeated in a link', async () => {
  const { ask } = simulate(
    'operations: { getThing: { respond: { read: things }, deprecation: { since: 2020-01-01, successor: /things } } }',
  )
  const { status, headers } = await ask('GET /~b>b/things/1')
  assert.deepEqual([status, headers.link], [400, '</things>; rel="successor-version"'])
})
