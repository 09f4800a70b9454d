// The requests that a process answered before it was killed: other replicas, and the primary of several workers, know them.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pause, until } from '../../../support/until.ts'
import { NO_REDIS, RedisServer } from '../../../wire/redis-server.ts'
import { NOTES, type Replica, Replicas } from '../../../wire/replicas.ts'

const server = new RedisServer()
const replicas = new Replicas()
after(async () => {
  replicas.end()
  await server.remove()
})

const TEXT = NOTES.replace('listen:', 'journal: { requests: 100000 }\nlisten:')
  .replace('  schemas:', '  securitySchemes: { key: { type: apiKey, in: query, name: key } }\n    schemas:')
  .replace('/limited: { get: { ', '/limited: { get: { security: [{ key: [] }], ')
  .replace('resources:', 'consumers: { tester: { key: s3cret-key } }\nresources:')

/** Has clients ask for notes of different ids, each once, until told to stop; returns the paths that were answered. */
function load(targets: readonly Replica[], first: number) {
  const answered: string[] = []
  let [ended, next, broken] = [false, first, 0]
  const clients = Array.from({ length: 6 }, async (_, client) => {
    for (let i = 0; !ended; i++) {
      const path = `/notes/${next++}`
      try {
        const { status } = await (targets[(client + i) % targets.length] as Replica).send(`GET ${path}`)
        assert.equal(status, 404)
        answered.push(path)
        // The clients go on while programs start: without a pause they would take all of the processor.
        await pause(5)
      } catch (error) {
        // The process was killed.
        if (error instanceof assert.AssertionError) throw error
        broken += 1
      }
    }
  })
  return {
    answered,
    /** How many requests got no reply; they may have been noted. */
    broken: () => broken,
    async more(count: number) {
      const goal = answered.length + count
      await until(() => answered.length >= goal)
    },
    async end() {
      ended = true
      await Promise.all(clients)
    },
  }
}

interface Recorded {
  readonly id: number
  readonly path: string
}

/** Asserts that a process knows every request that was answered, and each only once. */
async function assertKnown(replica: Replica, answered: readonly string[], broken: number) {
  const { body } = await replica.send('GET control:/requests?operation=read&limit=100000')
  const known = (body.requests as Recorded[]).map(({ path }) => path)
  const missing = answered.filter(path => !known.includes(path))
  assert.deepEqual(missing, [])
  assert.equal(new Set(known).size, known.length, 'a request is listed twice')
  const ids = (body.requests as Recorded[]).map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length, 'an id is given twice')
  const verified = await replica.send(
    `GET control:/requests/verify?operation=read&min=${known.length}&max=${known.length}`,
  )
  assert.deepEqual([verified.body.ok, verified.body.matched], [true, known.length])
  assert.ok(known.length <= answered.length + broken, `${known.length} of ${answered.length}, ${broken} broken off`)
}

test('a replica that is killed leaves the requests that it answered to the others', { skip: NO_REDIS }, async () => {
  await server.start()
  const state = `{ redis: "${server.url}", prefix: journal }`
  const [one, two, three] = (await Promise.all([1, 2, 3].map(() => replicas.serve(state, TEXT)))) as [
    Replica,
    Replica,
    Replica,
  ]
  assert.equal((await two.send('GET /limited?key=s3cret-key')).status, 200)
  const first = load([one, two, three], 1000)
  await first.more(40 + Math.floor(Math.random() * 100))
  await two.kill()
  await first.more(20)
  await first.end()
  await assertKnown(one, first.answered, first.broken())
  await assertKnown(three, first.answered, first.broken())

  const four = await replicas.serve(state, TEXT)
  await assertKnown(four, first.answered, first.broken())
  const second = load([three, four], 2000)
  await second.more(30 + Math.floor(Math.random() * 50))
  await Promise.all([three.kill(), four.kill()])
  await second.end()
  await assertKnown(one, [...first.answered, ...second.answered], first.broken() + second.broken())

  // The requests of those that were killed hold no credential.
  assert.match(await server.command('LLEN {journal}:requests'), /^:[1-9]/)
  assert.doesNotMatch(await server.command('LRANGE {journal}:requests 0 -1'), /s3cret-key/)
  const masked = await one.send('GET control:/requests?operation=limited')
  assert.deepEqual(
    masked.body.requests.map(({ query }: { query: string }) => query),
    ['key=***'],
  )
})

test('requests of a killed replica are forgotten like all others', { skip: NO_REDIS }, async () => {
  const state = `{ redis: "${server.url}", prefix: forgotten }`
  const [one, two] = (await Promise.all([1, 2].map(() => replicas.serve(state, TEXT)))) as [Replica, Replica]
  await two.send('GET /notes/7')
  await two.send('GET /~alice/notes/8')
  await two.send('GET /~bob/notes/9')
  await two.kill()
  const paths = async () => (await one.send('GET control:/requests')).body.requests.map(({ path }: Recorded) => path)
  assert.deepEqual(await paths(), ['/notes/7', '/notes/8', '/notes/9'])
  assert.equal((await one.send('POST control:/reset')).status, 204)
  assert.deepEqual(await paths(), ['/notes/8', '/notes/9'])
  assert.equal((await one.send('DELETE control:/worlds/alice')).status, 204)
  assert.deepEqual(await paths(), ['/notes/9'])
  assert.equal((await one.send('DELETE control:/requests')).status, 204)
  assert.deepEqual(await paths(), [])
  await one.send('GET /notes/10')
  assert.deepEqual(await paths(), ['/notes/10'])
})

test('a replica that answers while Redis is away tells of it later', { skip: NO_REDIS }, async () => {
  const state = `{ redis: "${server.url}", prefix: away }`
  const [one, two] = (await Promise.all([1, 2].map(() => replicas.serve(state, TEXT)))) as [Replica, Replica]
  await server.kill()
  await until(async () => (await two.send('GET /notes/3')).status === 503)
  await server.start()
  for (const replica of [one, two]) await until(async () => (await replica.send('GET root:/readyz')).status === 200)
  await two.send('GET /notes/4')
  await two.kill()
  const { body } = await one.send('GET control:/requests?limit=1000')
  const found = (body.requests as { path: string; status: number }[]).map(({ path, status }) => `${status} ${path}`)
  assert.ok(found.includes('503 /notes/3'), found.join())
  assert.equal(found.filter(text => text === '404 /notes/4').length, 1)
})

test('a world goes back to before a request that another replica answered', { skip: NO_REDIS }, async () => {
  const state = `{ redis: "${server.url}", prefix: rewound }`
  const [one, two] = (await Promise.all([1, 2].map(() => replicas.serve(state, TEXT)))) as [Replica, Replica]
  await one.send('POST /notes', { text: 'kept' })
  await two.send('POST /notes', { text: 'undone' })
  const { body } = await one.send('GET control:/requests?operation=create')
  const { id } = (body.requests as Recorded[]).at(-1) as Recorded
  await two.kill()
  const { status } = await one.send('POST control:/worlds/default/rewind', { to: { request: id } })
  assert.equal(status, 200)
  const { body: notes } = await one.send('GET /notes')
  assert.deepEqual(
    (notes as { text: string }[]).map(({ text }) => text),
    ['seed', 'kept'],
  )
})

test('a worker that is killed leaves the requests that it answered to the primary', { skip: NO_REDIS }, async () => {
  const state = `{ redis: "${server.url}", prefix: workers }`
  const program = await replicas.serve(state, TEXT, ['--workers', '3', '--log-level', 'info'])
  const workers = () => [...program.output().matchAll(/"worker":(\d+)[^\n]*a worker serves/g)].map(([, pid]) => pid)
  await until(() => workers().length === 3)
  const { answered, broken, more, end } = load([program], 1000)
  for (let round = 0; round < 3; round++) {
    await more(30 + Math.floor(Math.random() * 60))
    process.kill(Number(workers()[round]), 'SIGKILL')
    await until(() => workers().length === 4 + round)
  }
  await more(20)
  await end()
  await assertKnown(program, answered, broken())
  assert.equal((await program.send('POST control:/reset')).status, 204)
  assert.equal((await program.send('GET control:/requests')).body.total, 0)
})
