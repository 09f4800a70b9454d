// The state of one process in a file: real processes, killed at random times.

import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pause, until, untilSaid } from '../../../support/until.ts'
import { programsWithFile } from '../../../wire/serve-with-file.ts'

const { folder, project, serve, start } = programsWithFile()

test('every acknowledged write survives kill -9', async () => {
  const { config } = project()
  const first = await serve(config)
  await first.send('POST /notes', { text: 'mine' })
  await first.send('POST /~alice/notes', { text: 'hers' }, { 'idempotency-key': 'k1' })
  await first.send('PUT control:/worlds/default/clock', { now: '2030-01-01', freeze: true })
  await first.send('PUT control:/weather', { defaults: { latency: { fixed: '1ms' } } })
  assert.equal((await first.send('GET /hit')).status, 503)
  await first.send('GET /limited')
  await first.kill()

  const second = await serve(config)
  const { body, headers } = await second.send('GET /notes/2')
  assert.deepEqual(body, { id: 2, text: 'mine' })
  assert.equal(headers.get('date'), 'Tue, 01 Jan 2030 00:00:00 GMT')
  const again = await second.send('POST /~alice/notes', { text: 'hers' }, { 'idempotency-key': 'k1' })
  assert.deepEqual([again.body.id, again.headers.get('idempotent-replayed')], [2, 'true'])
  assert.equal((await second.send('GET /~alice/notes/2')).body.text, 'hers')
  assert.equal((await second.send('GET /hit')).status, 200)
  assert.deepEqual([(await second.send('GET /limited')).status, (await second.send('GET /limited')).status], [200, 429])
  assert.equal((await second.send('GET control:/weather')).body.name, 'custom')
  // The state of a record changes by the clock: the seed was a draft in 2026.
  assert.equal((await second.send('GET /notes/1')).body.status, 'sent')
  assert.equal((await second.send('POST /notes', { text: 'next' })).body.id, 3)
  await second.send('POST control:/reset')
  await second.kill()

  const third = await serve(config)
  assert.equal((await third.send('GET /notes')).body.length, 1)
  await third.kill()
})

test('kill -9 at random times under load loses no acknowledged write and repeats no id', async () => {
  const { config } = project()
  const acknowledged = new Map<number, string>()
  for (let round = 0; round < 4; round++) {
    const { send, kill } = await serve(config)
    let ended = false
    const clients = Array.from({ length: 6 }, async (_, client) => {
      for (let i = 0; i < 1000 && !ended; i++) {
        const text = `${round}.${client}.${i}`
        try {
          const { status, body } = await send('POST /notes', { text })
          assert.equal(status, 201)
          assert.ok(!acknowledged.has(body.id), `${body.id} was given twice`)
          acknowledged.set(body.id, text)
        } catch (error) {
          if (!ended) throw error
        }
      }
    })
    const before = acknowledged.size
    await until(() => acknowledged.size > before + 5)
    await pause(Math.random() * 300)
    ended = true
    await kill()
    await Promise.all(clients)
  }
  const { send, kill } = await serve(config)
  const found = new Map(
    (await send('GET /notes')).body.map((note: { id: number; text: string }) => [note.id, note.text]),
  )
  for (const [id, text] of acknowledged) assert.equal(found.get(id), text)
  assert.ok(acknowledged.size > 20)
  await kill()
})

test('a standing answer survives kill -9 and is given `times` times', async () => {
  const { config } = project()
  const first = await serve(config)
  const order = { operation: 'list', respond: { status: 503 }, times: 3 }
  assert.equal((await first.send('POST control:/answers', order)).status, 201)
  assert.equal((await first.send('GET /notes')).status, 503)
  await first.kill()
  const second = await serve(config)
  const { answers } = (await second.send('GET control:/answers')).body
  assert.deepEqual([answers[0].left, answers[0].given], [2, 1])
  const statuses: number[] = []
  for (let i = 0; i < 3; i++) statuses.push((await second.send('GET /notes')).status)
  assert.deepEqual(statuses, [503, 503, 200])
  await second.kill()
  const third = await serve(config)
  assert.deepEqual((await third.send('GET control:/answers')).body.answers, [])
  await third.kill()
})

test('with a sync interval a regular stop loses nothing', async () => {
  const { config } = project('{ file: ./state, sync: 10m }')
  const { send, child, ended } = await serve(config)
  await send('POST /notes', { text: 'mine' })
  child.kill('SIGTERM')
  await ended
  const again = await serve(config)
  assert.equal((await again.send('GET /notes/2')).status, 200)
  await again.kill()
})

test('a second process on the file does not start and names the first', async () => {
  const { config, state } = project()
  const first = await serve(config)
  const second = start(config)
  const [code] = await second.ended
  assert.equal(code, 1)
  assert.match(second.output(), new RegExp(`understudy: ${state} is used by process ${first.child.pid} on `))
  assert.equal((await first.send('GET /notes')).status, 200)
  await first.kill()
  assert.ok(existsSync(`${state}.lock`))
  const third = await serve(config)
  await third.kill()
})

test('a torn last line is cut off, a damaged line stops the start, and --recover drops it', async () => {
  const { config, state } = project()
  const first = await serve(config)
  for (const text of ['two', 'three', 'four']) await first.send('POST /notes', { text })
  await first.kill()
  appendFileSync(state, '12345678 e [17, "PO')
  const second = await serve(config)
  await untilSaid(second, /the last line was incomplete and was removed/)
  assert.equal((await second.send('GET /notes')).body.length, 4)
  await second.kill()

  writeFileSync(state, readFileSync(state, 'utf8').replace('three', 'thr3e'))
  const damaged = start(config)
  assert.equal((await damaged.ended)[0], 1)
  assert.match(
    damaged.output(),
    /understudy: .*\.state:\d+: the line is damaged; start with --recover to drop this line and the \d+ after it/,
  )
  const recovered = await serve(config, '--recover')
  await untilSaid(recovered, /were dropped/)
  assert.deepEqual(
    (await recovered.send('GET /notes')).body.map(({ text }: { text: string }) => text),
    ['seed', 'two'],
  )
  await recovered.kill()
})

test('changed seeds are kept at a restart with a warning that names their file', async () => {
  const { config } = project()
  const first = await serve(config)
  await first.send('POST /notes', { text: 'mine' })
  await first.kill()
  writeFileSync(join(folder, 'notes.yaml'), '[{ id: 1, text: other }]')
  const second = await serve(config)
  await untilSaid(second, /\.\/notes\.yaml has changed, but the existing records of notes are kept/)
  assert.equal((await second.send('GET /notes')).body.length, 2)
  await second.kill()
})
