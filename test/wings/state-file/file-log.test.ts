import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { StateRefused, Unavailable } from '../../../src/state/errors.ts'
import { FileInUse, FileLog } from '../../../src/wings/state-file/file-log.ts'
import { DamagedLog } from '../../../src/wings/state-file/log-file.ts'
import { surroundings } from '../../state/engines/surroundings.ts'
import { until } from '../../support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-log-'))
/** Logs of a simulated dead process. They are closed at the end: Node 26 fails if the garbage collector closes a file. */
const died: FileLog[] = []
after(async () => {
  for (const log of died) await log.close()
  rmSync(folder, { recursive: true })
})
let files = 0
const newFile = () => join(folder, `${++files}.state`)
const settings = (file: string, more: { sync?: number; recover?: boolean } = {}) =>
  ({ file, sync: 0, recover: false, ...more }) as const

/** A file with these entries, closed. */
async function fileWith(...entries: string[]): Promise<string> {
  const file = newFile()
  const log = new FileLog(settings(file), surroundings())
  const { position } = await log.open()
  let at = position
  for (const entry of entries) {
    const result = await log.append(at, [entry])
    if ('appended' in result) at = result.appended
  }
  await log.close()
  return file
}

async function read(file: string, around = surroundings(), recover = false) {
  const log = new FileLog(settings(file, { recover }), around)
  const news = await log.open()
  await log.close()
  return news
}

test('appended entries are read at the next start', async () => {
  const file = await fileWith('{"a":1}', '{"b":"ü"}')
  const { entries, position, anew } = await read(file)
  assert.deepEqual([...entries], ['{"a":1}', '{"b":"ü"}'])
  assert.equal(position.at, 2)
  assert.deepEqual(anew, { snapshot: undefined })
})

test('an append of nothing is durable at once', async () => {
  const file = new FileLog(settings(newFile()), surroundings())
  const { position } = await file.open()
  assert.deepEqual(await file.append(position, []), { appended: position })
  await file.close()
})

test('a process that dies before closing loses no acknowledged entry', async () => {
  const file = newFile()
  const log = new FileLog(settings(file), surroundings(7))
  died.push(log)
  const { position } = await log.open()
  await log.append(position, ['1'])
  // The lock remains although the process has ended.
  const around = surroundings(8, () => false)
  assert.deepEqual([...(await read(file, around)).entries], ['1'])
  assert.match(around.warnings.join(), /removed the lock of a process that has ended/)
})

test('a second process is refused with the id of the first', async () => {
  const file = newFile()
  const log = new FileLog(settings(file), surroundings(7))
  await log.open()
  await assert.rejects(new FileLog(settings(file), surroundings(8)).open(), (error: Error) => {
    assert.ok(error instanceof FileInUse)
    assert.match(error.message, /is used by process 7 on here, which runs since 2026-01-01T00:00:00Z/)
    return true
  })
  await log.close()
  await read(file, surroundings(8))
})

test('a file that cannot be written is refused with the reason and what to do', async () => {
  const file = await fileWith('1')
  const directory = newFile()
  mkdirSync(directory)
  for (const [path, told] of [
    [join(folder, 'missing', 'a.state'), `there is no folder ${join(folder, 'missing')}; create it`],
    [join(file, 'a.state'), `${file} is not a folder; name a file in one`],
    [directory, 'this is a folder; name a file'],
  ] as const) {
    await assert.rejects(new FileLog(settings(path), surroundings()).open(), (error: Error) => {
      assert.ok(error instanceof StateRefused)
      assert.equal(error.message, `the state file ${path} cannot be written: ${told}`)
      return true
    })
    assert.ok(!existsSync(`${path}.lock`))
  }
})

test('a torn last line is cut off with a warning, and writing continues after the last intact one', async () => {
  const file = await fileWith('1', '2')
  appendFileSync(file, '0badc0de e {"torn')
  const around = surroundings()
  const log = new FileLog(settings(file), around)
  const { entries, position } = await log.open()
  assert.deepEqual([...entries], ['1', '2'])
  assert.match(around.warnings.join(), /:4: the last line was incomplete and was removed/)
  await log.append(position, ['3'])
  await log.close()
  assert.deepEqual([...(await read(file)).entries], ['1', '2', '3'])
})

test('a damaged line in the middle stops the start with its place, and --recover drops it and the rest', async () => {
  const file = await fileWith('"one"', '"two"', '"three"')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"two"', '"tow"'))
  await assert.rejects(read(file), (error: Error) => {
    assert.ok(error instanceof DamagedLog)
    assert.match(
      error.message,
      /\.state:3: the line is damaged; start with --recover to drop this line and the 1 after it/,
    )
    return true
  })
  const around = surroundings()
  assert.deepEqual([...(await read(file, around, true)).entries], ['"one"'])
  assert.match(around.warnings.join(), /\.state:3: .*were dropped, and the file as it was is .*\.damaged/)
  assert.match(readFileSync(`${file}.damaged`, 'utf8'), /"tow"/)
  assert.deepEqual([...(await read(file)).entries], ['"one"'])
})

test('entries that are written together are one line', async () => {
  const file = newFile()
  const log = new FileLog(settings(file), surroundings())
  const { position } = await log.open()
  const many = Array.from({ length: 1000 }, (_, i) => `["entry ${i}", "ä"]`)
  await log.append(position, ['"first"'])
  await log.append({ ...position, at: 1 }, many)
  await log.close()
  const lines = readFileSync(file, 'utf8').split('\n')
  assert.ok(lines.length > 4 && lines.length < 20, `${lines.length} lines`)
  const again = await read(file)
  assert.deepEqual([...again.entries], ['"first"', ...many])
  assert.equal(again.position.at, 1001)
})

test('a missing line is found', async () => {
  const file = await fileWith('1', '2', '3')
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, lines.toSpliced(2, 1).join('\n'))
  await assert.rejects(read(file), /:3: the line is damaged/)
})

test('a file of another kind is refused and left unchanged', async () => {
  const file = newFile()
  writeFileSync(file, 'port: 4010\n'.repeat(100))
  await assert.rejects(read(file), /:1: this is not a state file/)
  assert.equal(readFileSync(file, 'utf8').length, 1100)
})

test('compaction leaves the snapshot and the entries after it', async () => {
  const file = newFile()
  const log = new FileLog(settings(file), surroundings())
  let { position } = await log.open()
  for (let i = 0; i < 20; i++) {
    const result = await log.append(position, [`{"n":${i},"text":"${'x'.repeat(900_000)}"}`])
    if ('appended' in result) position = result.appended
  }
  assert.ok(log.worthCompacting)
  const tail: string[] = []
  const compacted = log.compact(position, '{"n":19}', tail)
  const later = log.append(position, ['"later"'])
  tail.push('"later"')
  await compacted
  await later
  assert.ok(!log.worthCompacting)
  await log.append(position, ['"last"'])
  await log.close()
  assert.ok(readFileSync(file).length < 300)
  const news = await read(file)
  assert.deepEqual(news.anew, { snapshot: '{"n":19}' })
  assert.deepEqual([...news.entries], ['"later"', '"last"'])
  assert.equal(news.position.at, 22)
})

test('with an interval appends do not wait, and are written after it or on close', async () => {
  const file = newFile()
  const around = surroundings()
  const log = new FileLog(settings(file, { sync: 1000 }), around)
  const { position } = await log.open()
  await log.append(position, ['1'])
  assert.ok(!readFileSync(file, 'utf8').includes('e 1'))
  await log.close()
  assert.deepEqual([...(await read(file)).entries], ['1'])
})

test('a file that was removed while in use is written anew with everything', async () => {
  for (const sync of [0, 1000]) {
    const file = newFile()
    const around = surroundings()
    const log = new FileLog(settings(file, { sync }), around)
    let { position } = await log.open()
    const append = async (text: string) => {
      const result = await log.append(position, [text])
      if ('appended' in result) position = result.appended
    }
    await append('1')
    rmSync(file)
    await append('2')
    // With an interval nothing is written before it.
    around.tick()
    await until(() => existsSync(file))
    rmSync(file)
    around.tick()
    await until(() => existsSync(file))
    await append('3')
    await log.close()
    assert.match(around.warnings.join('\n'), /\.state was removed while in use, and was written anew/)
    assert.deepEqual([...(await read(file)).entries], ['1', '2', '3'])
  }
})

test('entries are refused while another file is in the place of the own one, and it is left as it is', async () => {
  const file = newFile()
  const log = new FileLog(settings(file), surroundings())
  const said: (string | undefined)[] = []
  log.onAvailability(reason => said.push(reason))
  const { position } = await log.open()
  await log.append(position, ['1'])
  writeFileSync(`${file}.other`, 'another')
  renameSync(`${file}.other`, file)
  const at = { ...position, at: position.at + 1 }
  await assert.rejects(async () => log.append(at, ['2']), /another file was put in its place; restart to read that one/)
  await log.compact({ ...position, at: position.at + 2 }, '{}', [])
  assert.equal(readFileSync(file, 'utf8'), 'another')
  await assert.rejects(async () => log.append(at, ['3']), Unavailable)
  assert.match(String(said.at(-1)), /another file/)
  await log.close()
  assert.equal(readFileSync(file, 'utf8'), 'another')
})

test('a file that another program has written to is left as it is', async () => {
  for (const other of ['', 'x'.repeat(10_000)]) {
    const file = newFile()
    const log = new FileLog(settings(file), surroundings())
    const { position } = await log.open()
    await log.append(position, ['"a longer entry"'])
    writeFileSync(file, other)
    const at = { ...position, at: position.at + 1 }
    await assert.rejects(
      async () => log.append(at, ['2']),
      /another program has written to it; restart to read what it holds now/,
    )
    assert.equal(readFileSync(file, 'utf8'), other)
    await log.close()
  }
})
