// Recordings of browsers and of clients with caches: conditional requests, forms, and the permission to send credentials.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RECORDING } from '../../../src/wings/project/recording.ts'
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

test('a HAR of Firefox names no kinds of requests; the calls of the API are used', async () => {
  const note = { id: 1, text: 'first' }
  const entry = (
    path: string,
    use: string,
    type: string,
    text: string,
    more: { status?: number; method?: string } = {},
  ) => {
    const { status = 200, method = 'GET' } = more
    const headers = [
      { name: 'Host', value: 'notes.test' },
      { name: 'Sec-Fetch-Dest', value: use },
    ]
    const common = { httpVersion: 'HTTP/2', cookies: [], headersSize: 300 }
    const postData =
      method === 'GET'
        ? {}
        : {
            postData: {
              mimeType: 'application/x-www-form-urlencoded',
              params: [{ name: 'text', value: 'new' }],
              text: 'text=new',
            },
          }
    return {
      startedDateTime: `2026-05-01T10:00:0${status === 304 ? 1 : 0}.000+02:00`,
      request: {
        bodySize: 0,
        method,
        url: `https://notes.test${path}`,
        ...common,
        headers,
        queryString: [],
        ...postData,
      },
      response: {
        ...{ status, statusText: '', ...common, headers: [{ name: 'content-type', value: `${type}; charset=utf-8` }] },
        ...{ content: { mimeType: type, size: text.length, text }, redirectURL: '', bodySize: 0 },
      },
      ...{ cache: {}, timings: { blocked: 0, dns: 0, connect: 0, ssl: 0, send: 0, wait: 3, receive: 0 }, time: 3 },
      ...{ _securityState: 'secure', serverIPAddress: '192.0.2.1', connection: '443', pageref: 'page_1' },
    }
  }
  const json = 'application/json'
  const entries = [
    entry('/', 'document', 'text/html', '<p>'),
    entry('/site.webmanifest', 'manifest', 'application/manifest+json', '{}'),
    entry('/font.woff', 'font', 'application/font-woff', 'wOFF'),
    entry('/app.wasm', 'empty', 'application/wasm', '', { status: 0 }),
    entry('/notes', 'empty', json, JSON.stringify([note])),
    // Charles has no path without a query.
    entry('/notes/1?=', 'empty', json, JSON.stringify(note)),
    entry('/notes/1', 'empty', json, JSON.stringify(note), { status: 304 }),
    entry('/notes', 'empty', json, JSON.stringify({ id: 2, text: 'new' }), { status: 201, method: 'POST' }),
    entry('/notes', 'document', json, JSON.stringify([note, { id: 2, text: 'new' }])),
  ]
  const creator = { name: 'Firefox', version: '126.0' }
  const made = await recordInto(
    JSON.stringify({ log: { version: '1.2', creator, browser: creator, pages: [], entries } }),
  )
  assert.deepEqual([proofOf(made), made.different], ['5 of 5', []])
  assert.deepEqual(made.said, [
    'warning left-out-exchanges: left out, because they are for pages, scripts, preflights or other origins: 3',
    'warning left-out-entry: entry 4 has no status',
  ])
})
