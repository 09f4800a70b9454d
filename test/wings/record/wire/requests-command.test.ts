import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../../../src/index.ts'
import { run } from '../../../wire/run-program.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
let gateway: RunningGateway

before(async () => {
  gateway = await startGateway({ config: 'config/gateway.yaml' })
  for (const trace of [TRACE, 'c'.repeat(32)]) {
    await fetch(`${gateway.url}/pets/7`, { headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` } })
  }
})
after(() => gateway.close())

test('the requests of a trace are printed', async () => {
  const { out, code } = await run(['requests', gateway.control, '--format', 'json', '--trace', TRACE]).ended
  const { requests, total } = JSON.parse(out)
  assert.deepEqual([code, total, requests[0].trace], [0, 1, TRACE])
})

test('what cannot be the id of a trace is refused', async () => {
  const { err, code } = await run(['requests', gateway.control, '--trace', 'abc']).ended
  assert.equal(code, 2)
  assert.match(err, /--trace must be 32 hexadecimal digits in lower case, not "abc"/)
})
