import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prettyFactory } from 'pino-pretty'
import { Gateway } from '../../src/gateway/gateway.ts'
import { LINE, type Log, silentLog } from '../../src/gateway/log.ts'
import { realClock } from '../../src/world/clock.ts'
import { CONTRACT, OPERATIONS } from '../simulate.ts'
import { load, requestOf } from '../support/in-process.ts'

/** The fields and the message of each line of a request. */
async function linesOf(...asked: string[]): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = []
  const log: Log = { ...silentLog, requests: true, info: (fields, msg) => lines.push({ ...fields, msg }) }
  const { plan } = load(`${CONTRACT}operations: ${OPERATIONS}`)
  assert.ok(plan)
  const gateway = new Gateway(plan, realClock, log, '0')
  for (const one of asked) await gateway.handle(requestOf(one, one.startsWith('POST') ? { body: {} } : {}))
  return lines
}

test('the log says which rule a refused request breaks', async () => {
  const [refused, unmatched, fine] = await linesOf('POST /things', 'GET /nothing-of-ann-key', 'GET /things')
  assert.equal(refused?.refused, 'invalid_request')
  assert.equal(refused?.reason, '/name is required')
  assert.match(String(unmatched?.reason), /\/nothing-of-\*\*\*/, 'a credential is masked')
  assert.equal(fine?.reason, undefined)
})

test('a line on a terminal begins with the status and ends with the reason', () => {
  const line = prettyFactory({ ...LINE, colorize: false })
  const time = Date.now()
  const refused = line({
    level: 30,
    time,
    status: 400,
    refused: 'invalid_request',
    reason: '/name is required',
    msg: 'POST /things',
  })
  assert.match(refused, /INFO: 400 POST \/things: \/name is required \{"refused":"invalid_request"\}/)
  assert.match(line({ level: 30, time, msg: 'reloaded' }), /INFO: reloaded\n$/)
})
