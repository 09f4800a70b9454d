import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { selectRequests } from '../../src/gateway/journal/filter.ts'
import { OPERATIONS, simulate } from '../simulate.ts'
import { FixedClock } from '../virtual-clock.ts'

const clock = new FixedClock(Date.UTC(2026, 5, 1))
const WHY = { 'understudy-explain': '1' }
const start = (yaml = '') => simulate(`${yaml}\noperations: ${OPERATIONS}`, clock)
const chainOf = ({ plan }: Gateway) =>
  plan.operations.find(({ operation }) => operation.id === 'getThing')?.chain.map(({ name }) => name) ?? []
const explained = ({ headers }: { headers: Readonly<Record<string, string>> }) => headers['understudy-explanation']

test('a reply explains how it was made', async () => {
  const { gateway, ask } = start()
  const reply = await ask('GET /things/1', { headers: { ...WHY, 'x-key': 'ann-key' } })
  const passed = chainOf(gateway).map(name => JSON.stringify(name))
  assert.equal(
    explained(reply),
    'route="GET /things/{id}", operation="getThing", ordinal=1, consumer="ann", world="default", time=@1780272000, ' +
      `clock=real, passed=(${passed.join(' ')}), replied="respond: read things"`,
  )
})

for (const [line, headers, why] of [
  ['GET /things/x', {}, /replied="validate", problem="not_found", rule="path parameter id must be/],
  ['GET /things/9', {}, /replied="respond: read things", problem="not_found", rule="there is no record 9 in things"/],
  ['GET /nowhere', {}, /^world="default".* replied="route", problem="not_found", rule="no operation matches GET \//],
  ['GET /things', { 'understudy-time': '2030-12-06' }, /time=@1922745600, clock=adjusted/],
  ['GET /things', { 'understudy-world': 'alice' }, /world="alice"/],
] as const) {
  test(`the reply to ${line} with ${JSON.stringify(headers)} is explained`, async () => {
    const { ask } = start()
    assert.match(explained(await ask(line, { headers: { ...WHY, ...headers } })) ?? '', why)
  })
}

test('the explanation includes the draws', async () => {
  const { ask } = simulate(
    'operations: { listThings: { respond: { list: things }, fault: { kind: status, probability: 0.5, status: 503 } } }',
  )
  const first = explained(await ask('GET /things', { headers: WHY })) ?? ''
  assert.match(first, /draws=\("[^"]+";value=0\.\d{3}/)
})

test('a reply has no explanation unless the client asks', async () => {
  const { gateway, ask } = start()
  for (const asked of ['', '0', 'maybe']) {
    assert.equal(explained(await ask('GET /things', { headers: { 'understudy-explain': asked } })), undefined)
  }
  assert.deepEqual(
    selectRequests(gateway.journal, [], 10).map(({ explanation }) => explanation),
    [undefined, undefined, undefined],
  )
})

test('with `clientControls: false` a reply has no explanation', async () => {
  const { ask } = start('listen: { clientControls: false }')
  assert.equal(explained(await ask('GET /things', { headers: WHY })), undefined)
})

test('the journal keeps the explanation', async () => {
  const { gateway, ask } = start()
  await ask('GET /things/9', { headers: WHY })
  const [request] = selectRequests(gateway.journal, [], 1)
  assert.deepEqual(request?.explanation, {
    route: 'GET /things/{id}',
    operation: 'getThing',
    world: 'default',
    real: true,
    ordinal: 1,
    passed: chainOf(gateway),
    replied: 'respond: read things',
    draws: {},
  })
})

test('an explanation is ASCII, and of bounded length', async () => {
  const { ask } = start()
  const long = explained(await ask(`GET /${'ä'.repeat(5000)}`, { headers: WHY })) ?? ''
  assert.match(long, /^[\x20-\x7e]+$/)
  assert.ok(long.length < 4000, `${long.length}`)
  const odd = explained(await ask('GET /"\\é', { headers: WHY })) ?? ''
  assert.match(odd, /rule="no operation matches GET \/\\"\\\\%C3%A9"/)
})
