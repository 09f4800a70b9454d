import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Gateway } from '../../src/gateway/gateway.ts'
import { compileFilter } from '../../src/gateway/journal/filter.ts'
import { type Log, silentLog } from '../../src/gateway/log.ts'
import { CONTRACT, OPERATIONS, simulate } from '../simulate.ts'
import { load, requestOf } from '../support/in-process.ts'
import { FixedClock } from '../virtual-clock.ts'
import { recordedAt } from './recorded.ts'

const clock = new FixedClock(Date.UTC(2026, 5, 1))
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const OTHER = 'c'.repeat(32)
const parentOf = (trace: string, version = '00') => `${version}-${trace}-00f067aa0ba902b7-01`
const WARNING = /^traceparent was ignored; it must be 00-, 32 digits/

/** A gateway that has answered a request of each trace. */
async function traced(...traceparents: string[]) {
  const { gateway, ask } = simulate(`operations: ${OPERATIONS}`, clock)
  const warnings: (string | undefined)[] = []
  for (const traceparent of traceparents) {
    const { status, headers } = await ask('GET /things', { headers: { traceparent } })
    assert.equal(status, 200)
    warnings.push(headers['understudy-warning'])
  }
  return { gateway, ask, warnings }
}

const VALID = [parentOf(TRACE), parentOf(TRACE, 'cc'), `${parentOf(TRACE, 'cc')}-what-comes-later`]
for (const traceparent of VALID) {
  test(`the trace of ${traceparent} is in the journal`, async () => {
    const { gateway, warnings } = await traced(traceparent)
    assert.deepEqual(warnings, [undefined])
    assert.equal(recordedAt(clock.time, gateway)[0]?.trace, TRACE)
  })
}

const INVALID = [
  '',
  'abc',
  parentOf(TRACE.toUpperCase()),
  parentOf('0'.repeat(32)),
  parentOf(TRACE.slice(1)),
  parentOf(TRACE, 'ff'),
  `${parentOf(TRACE)}-more`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `${parentOf(TRACE)}, ${parentOf(OTHER)}`,
]
for (const traceparent of INVALID) {
  test(`the traceparent "${traceparent}" is ignored with a warning`, async () => {
    const { gateway, warnings } = await traced(traceparent)
    assert.match(warnings[0] ?? '', WARNING)
    assert.equal(recordedAt(clock.time, gateway)[0]?.trace, undefined)
  })
}

test('the journal finds the requests of traces, and those without', async () => {
  const { gateway, ask } = await traced(parentOf(TRACE), parentOf(OTHER), parentOf(TRACE))
  await ask('GET /things')
  await ask('GET /nowhere', { headers: { traceparent: parentOf(OTHER) } })
  const idsOf = (trace: string) => recordedAt(clock.time, gateway, { trace }).map(({ id }) => id)
  assert.deepEqual([TRACE, OTHER, `${TRACE},${OTHER}`, ''].map(idsOf), [[1, 3], [2, 5], [1, 2, 3, 5], [4]])
})

test('a filter by what cannot be the id of a trace is refused', () => {
  for (const trace of ['abc', parentOf(TRACE), `${TRACE},x`, '0'.repeat(32)]) {
    const wrong = trace.split(',').at(-1)
    assert.deepEqual(compileFilter({ trace }, clock.time), {
      fault: `"${wrong}" is not the id of a trace; write its 32 hexadecimal digits`,
    })
  }
})

test('the explanation of a reply has the trace of its request', async () => {
  const { ask } = await traced()
  const headers = { 'understudy-explain': '1', traceparent: parentOf(TRACE) }
  const reply = await ask('GET /things', { headers })
  assert.ok(reply.headers['understudy-explanation']?.includes(`, world="default", trace="${TRACE}", time=`))
})

test('the log has the trace of each request', async () => {
  const traces: unknown[] = []
  const log: Log = { ...silentLog, requests: true, info: fields => traces.push((fields as { trace?: string }).trace) }
  const { plan } = load(`${CONTRACT}operations: ${OPERATIONS}`)
  assert.ok(plan)
  const gateway = new Gateway(plan, clock, log, '0')
  await gateway.handle(requestOf('GET /things', { headers: { traceparent: parentOf(TRACE) } }))
  await gateway.handle(requestOf('GET /things'))
  assert.deepEqual(traces, [TRACE, undefined])
})
