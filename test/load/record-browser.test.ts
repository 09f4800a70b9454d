// Recordings of browsers and of clients with caches: conditional requests, forms, and the permission to send credentials.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RECORDING } from '../../src/load/record/recording.ts'
import { get, proofOf, recordInto, scripted, serve } from './record-into.ts'
import { type Api, recorded, type Sent } from './recorded-api.ts'

/** Notes with entity tags, as an API has them that evaluates conditions; its reply to the create has none. */
function taggedNotes(): Api {
  const notes = new Map([
    [1, { id: 1, text: 'first' }],
    [2, { id: 2, text: 'second' }],
  ])
  return ({ method, path, body, headers = {} }) => {
    const id = Number(path.split('/')[2])
    const note = notes.get(id)
    if (note === undefined) return { status: 200, body: [...notes.values()] }
    const etag = (one: object) => `"${JSON.stringify(one).length}-${id}"`
    const isSame = headers['if-none-match'] === etag(note)
    if (method === 'GET')
      return { status: isSame ? 304 : 200, headers: { etag: etag(note) }, ...(isSame ? {} : { body: note }) }
    if ('if-match' in headers && headers['if-match'] !== etag(note)) return { status: 412, body: { error: 'changed' } }
    const changed = { id, ...(body as { text: string }) }
    notes.set(id, changed)
    return { status: 200, body: changed, headers: { etag: etag(changed) } }
  }
}

test('a recorded 304 and 412 are given again, each by the tags of the stand-in, or are listed with the reason', async () => {
  const change = (path: string, text: string, tag: string): Sent => ({
    ...{ method: 'PUT', path, body: { text }, headers: { 'if-match': tag } },
  })
  const made = await recordInto(
    await recorded(taggedNotes(), [
      get('/notes'),
      { ...get('/notes/2'), headers: { 'if-none-match': '"24-2"' } },
      get('/notes/1'),
      { ...get('/notes/1'), headers: { 'if-none-match': '"23-1"' } },
      change('/notes/1', 'changed', '"23-1"'),
      change('/notes/1', 'again', '"23-1"'),
      change('/notes/1', 'third time', '"25-1"'),
      change('/notes/2', 'of a version from before', '"24-2"'),
      { ...get('/notes/1'), headers: { 'if-none-match': '"25-1"' } },
    ]),
  )
  const reason = 'getNote: 304 ≠ 200 (the condition is by date, or about an earlier version) (1)'
  assert.deepEqual([proofOf(made), made.different, made.said], ['8 of 9', [reason], []])
  const send = serve(made)
  assert.equal((await send('PUT /notes/1', { text: 'late' }, { 'if-match': '"25-1"' }))[0], 412)
})

test('a reply that the cache of a browser confirmed is that of its tag', async () => {
  const har = JSON.parse(await recorded(taggedNotes(), [get('/notes'), get('/notes/1'), get('/notes/1')]))
  har.log.entries[2].request.headers.push({ name: 'If-None-Match', value: '"23-1"' })
  assert.equal(proofOf(await recordInto(JSON.stringify(har))), '3 of 3')
})

test('forms are told apart by their fields', async () => {
  const search = (q: string): Sent => ({
    ...{ method: 'POST', path: '/search', body: `q=${q}` },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  const api = scripted([200, { hits: 1 }], [200, { hits: 7 }])
  const made = await recordInto(await recorded(api, [search('dragon'), search('train')]))
  assert.deepEqual([proofOf(made), made.different], ['2 of 2', []])
})

test('the permission to send credentials is none, and blanks nothing', async () => {
  const api: Api = () => ({
    ...{ status: 200, body: { done: 'true' } },
    headers: { 'access-control-allow-credentials': 'true' },
  })
  const made = await recordInto(await recorded(api, [{ ...get('/tasks'), query: 'done=true' }]))
  assert.match(made.read(RECORDING), /tasks\?done=true/)
})
