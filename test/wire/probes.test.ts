import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Log, silentLog } from '../../src/gateway/log.ts'
import { type Started, start } from '../../src/start.ts'
import { realClock } from '../../src/world/clock.ts'
import { CONTRACT, OPERATIONS } from '../simulate.ts'
import { load } from '../support/in-process.ts'
import { ask } from './ask.ts'

const lines: string[] = []
const log: Log = {
  ...silentLog,
  requests: true,
  info: (_, message) => void lines.push(message),
  warn: () => {},
  error: () => {},
}
const listen = { host: '127.0.0.1', port: 0, controlHost: '127.0.0.1', controlPort: 0, controlToken: undefined }

async function startWith(yaml: string): Promise<Started> {
  const read = () => load(`${CONTRACT}\n${yaml}\noperations: ${OPERATIONS}`)
  const loaded = read()
  assert.ok(loaded.plan)
  const started = await start(loaded.plan, loaded, read, { clock: realClock, log, watch: false, listen })
  after(() => started.serving.close({ grace: 0 }))
  return started
}

test('probes on the port of the API are answered and leave no line in the log', async () => {
  const { serving } = await startWith('listen: { expose: [healthz, readyz, metrics] }')
  lines.length = 0
  for (const [path, text] of [
    ['/healthz', '{"status":"ok"}'],
    ['/readyz', '{"status":"ready"}'],
  ]) {
    const reply = await ask(serving.origin + path)
    assert.deepEqual([reply.status, reply.text], [200, text])
  }
  assert.equal((await ask(`${serving.origin}/metrics`)).status, 200)
  assert.deepEqual(lines, [])
  await ask(`${serving.origin}/things`)
  assert.deepEqual(lines, ['GET /things'])
})

test('readiness is on the port of the API only if configured', async () => {
  const { serving } = await startWith('')
  assert.equal((await ask(`${serving.origin}/healthz`)).status, 200)
  assert.equal((await ask(`${serving.origin}/readyz`)).status, 404)
})

test('a path of the contract has precedence over a probe', async () => {
  const health = `
contract:
  openapi: 3.1.0
  info: { title: Health, version: "1" }
  paths: { /healthz: { get: { operationId: getHealth, responses: { 200: { description: Fine, content: { application/json: { schema: { type: object }, example: { own: true } } } } } } } }
`
  const read = () => load(health)
  const loaded = read()
  assert.ok(loaded.plan)
  const { serving } = await start(loaded.plan, loaded, read, {
    clock: realClock,
    log,
    watch: false,
    listen,
  })
  after(() => serving.close({ drain: 0 }))
  assert.equal((await ask(`${serving.origin}/healthz`)).text, '{"own":true}')
  assert.equal((await ask(`${serving.controlOrigin}/healthz`)).text, '{"status":"ok"}')
})

test('no metric without an operation exists before an unmatched request', async () => {
  const { serving } = await startWith('')
  const page = async () => (await ask(`${serving.controlOrigin}/metrics`)).text
  assert.doesNotMatch(await page(), /operation=""/)
  await ask(`${serving.origin}/nowhere`)
  assert.match(await page(), /^understudy_service_duration_seconds_count\{operation=""\} 1$/m)
  assert.doesNotMatch(await page(), /^understudy_queued_requests_total\{operation=""\}/m)
})
