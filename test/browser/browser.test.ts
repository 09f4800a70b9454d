// Pages in a real browser: its cache and its CORS checks cannot be simulated.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { launch, servePage, withoutBrowser } from './chromium.ts'

const skip = withoutBrowser
const json = { description: 'ok', content: { 'application/json': { schema: { type: 'object' } } } }
const CONTRACT = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  components: {
    schemas: { Note: { type: 'object', properties: { id: { type: 'integer' }, text: { type: 'string' } } } },
    securitySchemes: { login: { type: 'apiKey', in: 'cookie', name: 'session' } },
  },
  paths: {
    '/old': { get: { operationId: 'getOld', responses: { 200: json, 410: { description: 'gone' } } } },
    '/mine': { get: { operationId: 'getMine', security: [{ login: [] }], responses: { 200: json } } },
    '/notes': { post: { operationId: 'createNote', requestBody: { content: json.content }, responses: { 201: json } } },
    '/notes/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { operationId: 'getNote', responses: { 200: json } },
    },
  },
}
const CONFIG = {
  contract: CONTRACT,
  resources: { notes: { schema: 'Note', seed: [{ id: 1, text: 'first' }] } },
  operations: {
    getOld: { deprecation: { since: '2020-01-01', sunset: '2100-01-01' } },
    createNote: { respond: { create: 'notes' } },
    getNote: { respond: { read: 'notes' }, conditional: {} },
  },
}

let browser: Browser
let context: BrowserContext
let page: Page
const site = skip === false ? await servePage() : undefined
const HOME = `http://localhost:${site?.port}`
const FOREIGN = `http://127.0.0.1:${site?.port}`

before(async () => {
  if (skip !== false) return
  browser = await launch()
  context = await browser.newContext()
  page = await context.newPage()
})
after(async () => {
  await browser?.close()
  await site?.close()
})

/** Starts a gateway with the settings for CORS, runs `use`, and stops it. */
async function withGateway(cors: unknown, use: (gateway: RunningGateway) => Promise<void>): Promise<void> {
  const gateway = await startGateway({ config: { ...CONFIG, listen: { cors } }, host: '127.0.0.1' })
  try {
    await use(gateway)
  } finally {
    await gateway.close()
  }
}

interface Seen {
  readonly status: number
  readonly text: string
  /** The headers that the page may read. */
  readonly headers: Record<string, string>
}

/** Returns the reply that a page of `origin` gets from `fetch`, or the error's name if the browser withholds it. */
async function fetchFrom(origin: string, url: string, init: object = {}, tab = page): Promise<Seen | string> {
  if (!tab.url().startsWith(origin)) await tab.goto(`${origin}/`)
  return tab.evaluate(
    async ([url, init]) => {
      try {
        const reply = await fetch(url as string, init as RequestInit)
        return { status: reply.status, text: await reply.text(), headers: Object.fromEntries(reply.headers) }
      } catch (error) {
        return (error as Error).name
      }
    },
    [url, init] as const,
  )
}

const statusOf = (seen: Seen | string): number | string => (typeof seen === 'string' ? seen : seen.status)

test('the browser does not cache a 410: the clock set back gives a 200', { skip }, () =>
  withGateway({}, async gateway => {
    const url = `${gateway.url}/old`
    gateway.world().travel('2101-01-01')
    assert.equal(statusOf(await fetchFrom(HOME, url)), 410)
    gateway.world().returnToRealTime()
    assert.equal(statusOf(await fetchFrom(HOME, url)), 200)
    await page.reload()
    assert.equal(statusOf(await fetchFrom(HOME, url)), 200)
    const tab = await context.newPage()
    assert.equal(statusOf(await fetchFrom(HOME, url, {}, tab)), 200)
    await tab.close()
  }),
)

test('the browser does not cache a 410 of a navigation', { skip }, () =>
  withGateway({}, async gateway => {
    const tab = await context.newPage()
    gateway.world().travel('2101-01-01')
    assert.equal((await tab.goto(`${gateway.url}/old`))?.status(), 410)
    gateway.world().returnToRealTime()
    assert.equal((await tab.goto(`${gateway.url}/old`))?.status(), 200)
    await tab.close()
  }),
)

test('a record with an entity tag is revalidated by the browser, and the page gets the record', { skip }, () =>
  withGateway({}, async gateway => {
    const url = `${gateway.url}/notes/1`
    const seen = [await fetchFrom(HOME, url), await fetchFrom(HOME, url)] as Seen[]
    assert.deepEqual(
      seen.map(({ status, text }) => [status, JSON.parse(text).text]),
      [
        [200, 'first'],
        [200, 'first'],
      ],
    )
    // The second reply had no body on the wire: the browser filled it in.
    assert.deepEqual(
      gateway
        .world()
        .requests()
        .map(({ status }) => status),
      [200, 304],
    )
  }),
)

test('a page reads every header that the reply has', { skip }, () =>
  withGateway({}, async gateway => {
    const headers = { 'content-type': 'application/json' }
    const created = (await fetchFrom(HOME, `${gateway.url}/notes`, {
      method: 'POST',
      headers,
      body: '{"text":"new"}',
    })) as Seen
    assert.equal(created.status, 201)
    assert.equal(created.headers.location, '/notes/2')
    const old = (await fetchFrom(HOME, `${gateway.url}/old`)) as Seen
    for (const name of ['deprecation', 'sunset', 'date', 'vary']) assert.ok(old.headers[name], name)
    const note = (await fetchFrom(HOME, `${gateway.url}/notes/1`)) as Seen
    assert.ok(note.headers.etag)
  }),
)

test('with CORS off no page of another origin reads a reply', { skip }, () =>
  withGateway('off', async gateway => {
    assert.equal(await fetchFrom(HOME, `${gateway.url}/old`), 'TypeError')
    const headers = { 'content-type': 'application/json' }
    assert.equal(await fetchFrom(HOME, `${gateway.url}/notes`, { method: 'POST', headers, body: '{}' }), 'TypeError')
    // The preflight was refused, so no record was created.
    assert.equal((await gateway.world().records('notes')).length, 1)
  }),
)

test('only the origins that are listed get a reply', { skip }, () =>
  withGateway({ origins: [HOME] }, async gateway => {
    assert.equal(statusOf(await fetchFrom(HOME, `${gateway.url}/old`)), 200)
    assert.equal(await fetchFrom(FOREIGN, `${gateway.url}/old`), 'TypeError')
  }),
)

test('a page may send credentials, unless the configuration says otherwise', { skip }, async () => {
  const include = { credentials: 'include' }
  await withGateway({ origins: [HOME] }, async gateway => {
    const url = gateway.url.replace('127.0.0.1', 'localhost')
    await context.addCookies([{ name: 'session', value: 'any', url }])
    assert.equal(statusOf(await fetchFrom(HOME, `${url}/mine`, include)), 200)
    assert.equal(statusOf(await fetchFrom(HOME, `${url}/mine`)), 401)
  })
  await withGateway({ origins: [HOME], credentials: false }, async gateway => {
    const url = gateway.url.replace('127.0.0.1', 'localhost')
    assert.equal(await fetchFrom(HOME, `${url}/mine`, include), 'TypeError')
    assert.equal(statusOf(await fetchFrom(HOME, `${url}/mine`)), 401)
  })
})
