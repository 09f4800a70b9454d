// A gateway without sockets whose state is in a file: writing, compacting and reading it.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { FileLog } from '../../../src/wings/state-file/file-log.ts'
import { surroundings } from '../../state/engines/surroundings.ts'
import { GATEWAY, type Replica, replica } from '../../state/replicas.ts'
import { size } from '../../support/cases.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-own-log-'))
after(() => rmSync(folder, { recursive: true }))
let files = 0
const newFile = () => join(folder, `${++files}.state`)

const onFile = (file: string, clock?: Replica['clock'], gateway = GATEWAY) =>
  replica(
    new FileLog({ file, sync: 3_600_000, recover: false }, surroundings()),
    {},
    { 'gateway.yaml': gateway },
    clock,
  )

/** Writes the first book repeatedly, as requests do. */
async function write({ gateway, state }: Replica, times: number): Promise<void> {
  const books = gateway.worlds.default.collection('books')
  for (let i = 0; i < times; i++) {
    await state.run(async () => books.replace(1, { id: 1, title: `${i}` }), { text: 'PUT /books/1' })
  }
}

const WRITES = size(5000, 40_000)
const ENTRIES = size(3000, 12_000)

test('many thousand writes to one record compact to one', async () => {
  const file = newFile()
  const one = await onFile(file)
  await write(one, WRITES)
  await one.state.close()
  const text = readFileSync(file, 'utf8')
  assert.equal(text.split(`${WRITES - 1}`).length, 2)
  assert.ok(text.length < 3000, `${text.length} characters`)
  const again = await onFile(file)
  assert.deepEqual((await again.send('GET /books/1')).body, { id: 1, title: `${WRITES - 1}` })
  assert.equal(((await again.send('POST /books', { title: 'next' })).body as { id: number }).id, 3)
  await again.state.close()
})

test('requests during the writing of a snapshot are in the log after it', async () => {
  const file = newFile()
  const one = await onFile(file, undefined, GATEWAY.replace('maxRecords: 50', 'maxRecords: 100000'))
  const books = one.gateway.worlds.default.collection('books')
  await one.state.run(
    async () => {
      for (let i = 0; i < 5000; i++) await books.create({ title: `${i}` })
    },
    { text: 'many' },
  )
  let compacted = false
  const compaction = one.state.compact().then(() => {
    compacted = true
  })
  let during = 0
  for (let i = 0; !compacted || i < 20; i++) {
    await one.send('PUT /books/1', { title: `${i}` })
    if (!compacted) during += 1
    await new Promise(resolve => setImmediate(resolve))
  }
  await compaction
  assert.ok(during > 0, 'requests are answered meanwhile')
  const last = (await one.send('GET /books/1')).body
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  assert.ok(lines.filter(line => / s /.test(line.slice(8, 11))).length > 5, 'the snapshot is in slices')
  assert.ok(lines.filter(line => / e /.test(line.slice(8, 11))).length > 0, 'entries follow it')
  await one.state.close()
  const again = await onFile(file, undefined, GATEWAY.replace('maxRecords: 50', 'maxRecords: 100000'))
  assert.deepEqual((await again.send('GET /books/1')).body, last)
  assert.equal(((await again.send('GET /books')).body as unknown[]).length, 5002)
  await again.state.close()
})

test('a log of many entries is read as it was written', async () => {
  const file = newFile()
  const gateway = GATEWAY.replace('maxRecords: 50', 'maxRecords: 100000')
  const engine = new FileLog({ file, sync: 3_600_000, recover: false }, surroundings())
  const one = await replica(engine, {}, { 'gateway.yaml': gateway })
  const books = one.gateway.worlds.default.collection('books')
  const write = (text: string, work: () => Promise<unknown>) => one.state.run(work, { text })
  for (let i = 0; i < ENTRIES; i++) {
    const status = i % 2 === 0 ? 'ordered' : 'shipped'
    await write('POST /books', () => books.create({ title: `book ${i}`, status }))
    if (i % 10 === 0) await write('DELETE /books', () => books.remove(i - 20))
    if (i % 100 === 0) await write('PUT /books', () => books.replace(i, { id: i, title: 'replaced', status }))
  }
  assert.equal((await one.send('GET /limited')).status, 200)
  const written = await books.dump()
  // Without the snapshot that is written when a gateway ends.
  await engine.close()
  const again = await onFile(file, undefined, gateway)
  const found = again.gateway.worlds.default.collection('books')
  assert.deepEqual(await found.dump(), written)
  assert.deepEqual(again.messages, ['the state is available'])
  assert.equal(((await again.send('POST /books', { title: 'next' })).body as { id: number }).id, ENTRIES + 3)
  const entries = again.state.history.of('default')
  assert.ok(entries.length > (ENTRIES * 3) / 4, `${entries.length} entries are remembered`)
  await again.state.close()
})

test('a world with more changes than are remembered rewinds to one of the last', async () => {
  const one = await onFile(newFile())
  await write(one, 16_000)
  const { history } = one.state
  const end = one.state.position
  assert.ok(end - history.reach >= 10_000 && end - history.reach <= 15_000, `${end} from ${history.reach}`)
  assert.equal(history.of('default').length, end - history.reach)
  const rewind = (to: number) => one.state.run(async () => one.state.rewind('default', to), { text: 'rewind' })
  assert.equal(await rewind(end - 7), 7)
  assert.deepEqual((await one.send('GET /books/1')).body, { id: 1, title: '15992' })
  assert.equal(await rewind(end), 1)
  assert.deepEqual((await one.send('GET /books/1')).body, { id: 1, title: '15999' })
  assert.equal(await rewind(history.reach - 1), undefined)
  const times = history.of('default').map(({ position }) => position)
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  )
  await one.state.close()
})

test('a file whose state was dropped is reported in words for files, and not again after `recover`', async () => {
  const file = newFile()
  const one = await onFile(file)
  await write(one, 3)
  await one.state.close()
  const [header = '', snapshot = ''] = readFileSync(file, 'utf8').split('\n')
  const open = async (text: string, recover: boolean) => {
    writeFileSync(file, text)
    const settings = { file, sync: 3_600_000, recover } as const
    const around = surroundings()
    const again = await replica(new FileLog(settings, around))
    assert.equal(around.warnings.length, 1)
    assert.deepEqual((await again.send('GET /books/1')).body, { id: 1, title: 'one', status: 'ordered' })
    await again.state.close()
    return again.messages
  }
  assert.deepEqual(await open(`${header}\n${snapshot.replace('version', 'damaged')}\n`, true), [
    'the state is available',
  ])
  assert.deepEqual(await open(`${header}\n${snapshot.slice(0, 20)}`, false), [
    `file ${file} holds no state any more; every world begins with its seeds`,
    'the state is available',
  ])
})
