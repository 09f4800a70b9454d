import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { answers, documentOf, object } from '../../../support/small-document.ts'
import { until } from '../../../support/until.ts'
import { FREE_PORTS, originOf, understudy } from '../../../wire/start-program.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))

const documentWith = (...paths: readonly string[]) =>
  JSON.stringify(documentOf(Object.fromEntries(paths.map(path => [path, { get: answers(200, object({})) }])), {}))

test('a contract of --world is watched, and served by each of several processes', async () => {
  const [now, next] = [join(home, 'now.json'), join(home, 'next.json')]
  writeFileSync(now, documentWith('/books'))
  writeFileSync(next, documentWith('/authors'))
  const child = understudy(now, '--world', `next=${next}`, '--workers', '2', ...FREE_PORTS)
  after(() => child.kill('SIGKILL'))
  const origin = await until(() => originOf(child))
  const headers = { 'understudy-world': 'next', connection: 'close' }
  const statusesOf = async (path: string) => {
    const replies = await Promise.all([1, 2, 3, 4].map(() => fetch(origin + path, { headers })))
    return [...new Set(replies.map(({ status }) => status))]
  }
  assert.deepEqual([await statusesOf('/authors'), await statusesOf('/books')], [[200], [404]])
  writeFileSync(next, documentWith('/authors', '/poems'))
  await until(async () => (await statusesOf('/poems')).join() === '200')
})
