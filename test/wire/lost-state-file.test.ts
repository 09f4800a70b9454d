// A state file that other programs remove or replace while it is in use.

import assert from 'node:assert/strict'
import { readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { until, untilSaid } from '../support/until.ts'
import { programsWithFile } from './serve-with-file.ts'

const { project, serve } = programsWithFile()

test('a state file that is removed while in use is written anew, and another one in its place is not overwritten', async () => {
  const { config, state } = project()
  const first = await serve(config)
  assert.equal((await first.send('POST /notes', { text: 'one' })).status, 201)
  rmSync(state)
  assert.equal((await first.send('POST /notes', { text: 'two' })).status, 201)
  await untilSaid(first, /was removed while in use, and was written anew/)
  await first.kill()

  const second = await serve(config)
  assert.equal((await second.send('GET /notes/2')).body.text, 'one')
  assert.equal((await second.send('GET /notes/3')).body.text, 'two')
  writeFileSync(`${state}.other`, 'mine')
  renameSync(`${state}.other`, state)
  const refused = await second.send('POST /notes', { text: 'three' })
  assert.deepEqual([refused.status, readFileSync(state, 'utf8')], [503, 'mine'])
  const reason = /another file was put in its place; restart to read that one, or move it away/
  await untilSaid(second, reason)
  rmSync(state)
  await until(async () => (await second.send('POST /notes', { text: 'four' })).status === 201)
  await second.kill()
  const third = await serve(config)
  assert.ok((await third.send('GET /notes')).body.some(({ text }: { text: string }) => text === 'four'))
  await third.kill()
})

test('a state file that was cut to nothing begins anew, with a warning', async () => {
  const { config, state } = project()
  const first = await serve(config)
  await first.send('POST /notes', { text: 'one' })
  await first.kill()
  truncateSync(state, 0)
  const second = await serve(config)
  await untilSaid(second, /is empty; a new state begins \(was it cut\?\)/)
  assert.equal((await second.send('GET /notes/2')).status, 404)
  await second.kill()
})
