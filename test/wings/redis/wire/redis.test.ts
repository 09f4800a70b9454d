// Replicas that share a state in Redis, over HTTP: three processes, called in any order.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { NO_REDIS, RedisServer } from '../../../wire/redis-server.ts'
import { NOTES, type Replica, Replicas } from '../../../wire/replicas.ts'

const skip = NO_REDIS
const server = new RedisServer('--requirepass', 's3cret')
const replicas = new Replicas()
let all: Replica[] = []
const state = (prefix = 'notes') => `{ redis: "redis://:s3cret@127.0.0.1:${server.port}", prefix: ${prefix} }`

before(async () => {
  if (skip !== false) return
  await server.start()
  all = await Promise.all([1, 2, 3].map(() => replicas.serve(state())))
})
after(async () => {
  replicas.end()
  await server.remove()
})

/** The replica at a turn: the first, the second, the third, the first … */
const at = (turn: number): Replica => all[turn % all.length] as Replica
const times = <Result>(count: number, task: (turn: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, turn) => task(turn)))
const reset = async () => assert.equal((await at(0).send('POST control:/reset')).status, 204)

test('every replica shows at once what another acknowledged', { skip }, async () => {
  await reset()
  for (let turn = 0; turn < 15; turn++) {
    const { body } = await at(turn).send('POST /notes', { text: `${turn}` })
    const found = await Promise.all(all.map(replica => replica.send(`GET /notes/${body.id}`)))
    assert.deepEqual(
      found.map(answer => answer.body),
      [body, body, body],
    )
    await at(turn + 1).send(`PUT /notes/${body.id}`, { text: 'changed' })
    assert.equal((await at(turn + 2).send(`GET /notes/${body.id}`)).body.text, 'changed')
    if (turn % 5 === 0) await at(turn + 2).send(`DELETE /notes/${body.id}`)
    if (turn % 5 === 0) assert.equal((await at(turn).send(`GET /notes/${body.id}`)).status, 404)
  }
})

test('ids are unique and consecutive, and bounds hold across replicas', { skip }, async () => {
  await reset()
  const made = await times(90, turn => at(turn).send('POST /notes', { text: `${turn}` }))
  const ids = made.map(({ body }) => body.id as number).sort((a, b) => a - b)
  assert.deepEqual(
    ids,
    ids.map((_, i) => i + 2),
  )
  const more = await times(240, turn => at(turn).send('POST /notes', { text: `${turn}` }))
  assert.equal(new Set(more.map(({ body }) => body.id)).size, 240)
  // 300 records and the seed, which does not count.
  const lists = await Promise.all(all.map(replica => replica.send('GET /notes')))
  assert.deepEqual(
    lists.map(({ body }) => body.length),
    lists.map(() => lists[0]?.body.length),
  )
  assert.ok(lists[0]?.body.length <= 301, `${lists[0]?.body.length}`)

  const hits = await times(12, turn => at(turn).send('GET /hit'))
  assert.equal(hits.filter(({ status }) => status === 503).length, 1)
  const limited = await times(20, turn => at(turn).send('GET /limited'))
  assert.equal(limited.filter(({ status }) => status === 200).length, 5)
  assert.equal(limited.filter(({ status }) => status === 429).length, 15)

  const again = await times(9, turn => at(turn).send('POST /notes', { text: 'once' }, { 'idempotency-key': 'k' }))
  assert.equal(new Set(again.filter(({ status }) => status === 201).map(({ body }) => body.id)).size, 1)
  assert.equal(again.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1)
})

test('clocks, sandboxes, snapshots, weather and configurations reach every replica before the reply', {
  skip,
}, async () => {
  await reset()
  const [one, two, three] = all as [Replica, Replica, Replica]
  await one.send('PUT control:/worlds/default/clock', { now: '2031-05-01', freeze: true })
  for (const replica of all) {
    assert.equal((await replica.send('GET /notes')).headers.get('date'), 'Thu, 01 May 2031 00:00:00 GMT')
  }
  await two.send('POST /~alice/notes', { text: 'hers' })
  assert.equal((await three.send('GET /~alice/notes/2')).body.text, 'hers')
  assert.equal((await one.send('GET /notes/2')).status, 404)
  const { body: snapshot } = await three.send('GET control:/worlds/alice/snapshot')
  await two.send('DELETE control:/worlds/alice')
  assert.equal((await one.send('GET /~alice/notes')).body.length, 1)
  assert.equal((await one.send('PUT control:/worlds/alice/snapshot', snapshot)).status < 300, true)
  assert.equal((await two.send('GET /~alice/notes/2')).body.text, 'hers')

  await three.send('PUT control:/weather', { defaults: { fault: { kind: 'status', status: 503, probability: 1 } } })
  for (const replica of all) assert.equal((await replica.send('GET /notes')).status, 503)
  await one.send('DELETE control:/weather')
  for (const replica of all) assert.equal((await replica.send('GET /notes')).status, 200)

  const other = NOTES.replace('limit: 5/h', 'limit: 7/h')
  const put = await two.send('PUT control:/config', `${other}\nstate: ${state()}\n`)
  assert.equal(put.status, 200, JSON.stringify(put.body))
  for (const replica of all) {
    assert.match(JSON.stringify((await replica.send('GET control:/config')).body), /7\/h/)
  }
  await one.send('POST control:/reset')
  for (const replica of all) assert.equal((await replica.send('GET /notes')).body.length, 1)
})

test('all replicas together give an answer exactly `times` times', { skip }, async () => {
  await reset()
  const order = { operation: 'list', respond: { status: 418 }, times: 7 }
  assert.equal((await at(0).send('POST control:/answers', order)).status, 201)
  const replies = await times(24, turn => at(turn).send('GET /notes'))
  assert.equal(replies.filter(({ status }) => status === 418).length, 7)
  for (const replica of all) assert.deepEqual((await replica.send('GET control:/answers')).body.answers, [])
})

test('verify and requests include the requests of every replica', { skip }, async () => {
  assert.equal((await at(0).send('DELETE control:/requests')).status, 204)
  await times(7, turn => at(turn).send('GET /notes'))
  for (const replica of all) {
    const verified = await replica.send('GET control:/requests/verify?operation=list&min=7&max=7')
    assert.equal(verified.status, 200, JSON.stringify(verified.body))
    const { body } = await replica.send('GET control:/requests?operation=list')
    assert.equal(body.requests?.length ?? body.length, 7)
  }
})

test('the password of Redis is shown nowhere', { skip }, async () => {
  const [one] = all as [Replica]
  const paths = ['config', 'config/text', 'plan', 'metrics', 'worlds/default/history', 'version']
  const answers = await Promise.all(paths.map(path => one.send(`GET control:/${path}`)))
  const texts = [one.output(), ...answers.map(({ body }) => (typeof body === 'string' ? body : JSON.stringify(body)))]
  for (const [i, text] of texts.entries()) assert.ok(!text.includes('s3cret'), paths[i - 1] ?? 'output')
})

for (const [kind, count, more] of [
  ['one process', 1, []],
  ['two replicas', 2, []],
  ['two workers', 1, ['--workers', '2']],
] as const) {
  test(`${kind} with more sandboxes in use than worlds.max answers every request`, { skip }, async () => {
    const text = `${NOTES}worlds: { max: 5 }\n`
    const prefix = kind.replace(' ', '-')
    const served: Replica[] = []
    for (let i = 0; i < count; i++) served.push(await replicas.serve(state(prefix), text, more))
    const statuses = await times(12, async client => {
      const seen = new Set<number>()
      for (let i = 0; i < 40; i++) {
        const headers = { 'understudy-world': `w${(client * 37 + i * 61) % 200}` }
        const replica = served[(client + i) % count] as Replica
        const [line, body] = i % 2 === 0 ? ['POST /notes', { text: 'a' }] : ['GET /notes', undefined]
        seen.add((await replica.send(line as string, body, headers)).status)
      }
      return [...seen].sort()
    })
    assert.deepEqual(new Set(statuses.flat()), new Set([200, 201]))
    for (const replica of served) {
      assert.equal((await replica.send('GET control:/readyz')).status, 200)
      await replica.kill()
    }
  })
}
