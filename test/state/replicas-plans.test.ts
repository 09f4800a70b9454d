import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileFilter, selectPage, verifyRequests } from '../../src/gateway/journal/filter.ts'
import { MemoryLog } from '../support/memory-log.ts'
import { FixedClock } from '../virtual-clock.ts'
import { GATEWAY, replica } from './replicas.ts'
import { two } from './two-replicas.ts'

test('changed seeds are kept with a warning that names the fixture, or reset', async () => {
  const log = new MemoryLog()
  const a = await replica(log.connect())
  await a.send('POST /books', { title: 'three' })
  const files = {
    'gateway.yaml': GATEWAY.replace('[{ id: 1, title: one, status: ordered }, { id: 2, title: two }]', './books.yaml'),
    'books.yaml': '[{ id: 1, title: eins }]',
  }
  const keeping = await replica(log.connect(), {}, files)
  assert.match(keeping.messages.join('\n'), /\.\/books\.yaml has changed, but the existing records of books are kept/)
  assert.equal(((await keeping.send('GET /books')).body as unknown[]).length, 3)
  // A reset by the old configuration begins with its seeds on every replica.
  await a.gateway.change(() => a.gateway.reset(), 'POST /reset')
  assert.equal(((await keeping.send('GET /books')).body as unknown[]).length, 2)
  await keeping.gateway.change(() => keeping.gateway.reset(), 'POST /reset')
  assert.deepEqual((await a.send('GET /books')).body, [{ id: 1, title: 'eins' }])
  await a.gateway.change(() => a.gateway.reset(), 'POST /reset')
  const resetting = await replica(log.connect(), { onSeedChange: 'reset' }, files)
  assert.deepEqual((await resetting.send('GET /books')).body, [{ id: 1, title: 'eins' }])
  assert.deepEqual((await a.send('GET /books')).body, [{ id: 1, title: 'eins' }])
})

test('records that do not fit a newer contract are kept and reported', async () => {
  const log = new MemoryLog()
  const a = await replica(log.connect())
  await a.send('PUT /books/2', { title: 'a title that is too long' })
  const { OPENAPI } = await import('./replicas.ts')
  const b = await replica(
    log.connect(),
    {},
    {
      'openapi.yaml': OPENAPI.replace(
        'title: { type: string }\n        status',
        'title: { type: string, maxLength: 5 }\n        status',
      ),
    },
  )
  assert.match(b.messages.join('\n'), /1 records of books break the contract and are kept; the first is 2\/title/)
  assert.equal((await b.send('GET /books/2')).status, 200)
})

test('each replica lists the requests of all replicas', async () => {
  const { a, b } = await two()
  await a.send('GET /books/1')
  a.clock.time += 1
  await b.send('GET /books/2')
  await b.send('GET /nowhere')
  for (const one of [a, b]) {
    const view = await one.gateway.requests.read()
    const { requests, total } = selectPage(view, [], 10)
    assert.deepEqual([requests.map(({ path }) => path), total], [['/books/1', '/books/2', '/nowhere'], 3])
    const criteria = compileFilter({ operation: 'readBook' }, 0)
    assert.ok(!('fault' in criteria))
    assert.equal(verifyRequests(view, criteria, { min: 2, max: 2 }).ok, true)
  }
  await a.gateway.requests.forget()
  assert.deepEqual(selectPage(await b.gateway.requests.read(), [], 10).requests, [])
})

/** A clock whose sleepers the test wakes. */
class HeldClock extends FixedClock {
  readonly held: (() => void)[] = []
  override sleep = () => new Promise<void>(resolve => void this.held.push(resolve))
}

test('capacity counts by process, quotas by world', async () => {
  const log = new MemoryLog()
  const clocks = [new HeldClock(), new HeldClock()] as const
  const files = {
    'gateway.yaml': GATEWAY.replace(
      'readBook: {',
      'readBook: { capacity: { concurrency: 1, queue: 0 }, latency: { fixed: 1s }, rateLimit: { limit: 3/h },',
    ),
  }
  const [a, b] = [
    await replica(log.connect(), {}, files, clocks[0]),
    await replica(log.connect(), {}, files, clocks[1]),
  ]
  const under = [a.send('GET /books/1'), b.send('GET /books/1')]
  // Each replica serves one request at a time and has no queue.
  while (clocks.some(({ held }) => held.length === 0)) await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual([(await a.send('GET /books/1')).status, (await b.send('GET /books/1')).status], [503, 503])
  for (const { held } of clocks)
    held.splice(0).forEach(release => {
      release()
    })
  assert.deepEqual(
    (await Promise.all(under)).map(({ status }) => status),
    [200, 200],
  )
  for (const clock of clocks) clock.sleep = async () => {}
  assert.deepEqual([(await b.send('GET /books/1')).status, (await a.send('GET /books/1')).status], [200, 429])
})

test('the metrics describe the shared state', async () => {
  const { log, a } = await two()
  await a.send('POST /books', { title: 'three' })
  const page = await a.gateway.metrics.page()
  assert.match(page, /^understudy_state_append_seconds_count 1$/m)
  assert.match(page, /^understudy_state_conflicts_total 0$/m)
  assert.match(page, /^understudy_state_available 1$/m)
  assert.match(page, /^understudy_state_position [1-9]/m)
  log.fail('gone')
  assert.match(await a.gateway.metrics.page(), /^understudy_state_available 0$/m)
})
