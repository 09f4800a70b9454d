// A gateway file over another contract than its own serves the settings that fit, and reports the others once as warnings.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Gateway } from '../../src/gateway/gateway.ts'
import { silentLog } from '../../src/gateway/log.ts'
import { realClock } from '../../src/world/clock.ts'
import { sendTo } from '../support/in-process.ts'
import { loadPlan } from '../support/load.ts'
import { answers, documentOf, naming, object, ref, string, takes } from '../support/small-document.ts'

const book = object({ id: string, title: string, shelf: string }, { required: ['title'] })
const now = documentOf(
  {
    '/books': {
      get: { operationId: 'listBooks', tags: ['books'], ...answers(200, { type: 'array', items: ref('Book') }) },
      post: { operationId: 'createBook', ...takes(ref('Book')), ...answers(201, ref('Book')) },
    },
    '/books/{id}': { get: { operationId: 'getBook', ...naming('id'), ...answers(200, ref('Book')) } },
    '/shelves': { get: { operationId: 'listShelves', ...answers(200, { type: 'array', items: ref('Shelf') }) } },
  },
  { Book: book, Shelf: object({ id: string }) },
)
const next = documentOf(
  {
    '/books': {
      get: { operationId: 'listBooks', ...answers(200, { type: 'array', items: ref('Book') }) },
      post: { operationId: 'createBook', ...takes(ref('Book')), ...answers(201, ref('Book')) },
    },
    '/books/{id}': { get: { operationId: 'readBook', ...naming('id'), ...answers(200, ref('Book')) } },
  },
  { Book: object({ id: string, title: string, pages: { type: 'integer' } }, { required: ['title', 'pages'] }) },
)

const FILE = `contract: ./openapi.json
consumers: { ann: { key: secret-of-ann } }
tags: { books: { latency: { fixed: 1ms } } }
resources:
  books: { schema: Book, seed: [{ id: a, title: Emma, shelf: x }] }
  shelves: { schema: Shelf, seed: [{ id: x }] }
operations:
  listBooks:
    respond: { list: books }
    rules: [{ when: 'request.query.gone == "1"', latency: { fixed: 1ms } }, { times: 1, respond: { status: 503 } }]
  createBook: { respond: { create: books } }
  getBook: { respond: { read: books } }
  listShelves: { respond: { list: shelves } }
`

function loadOver(contract: unknown, file = FILE, strict = false) {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  after(() => rmSync(home, { recursive: true }))
  const security = {
    components: { ...now.components, securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'k' } } },
  }
  writeFileSync(join(home, 'gateway.yaml'), file)
  writeFileSync(join(home, 'openapi.json'), JSON.stringify({ ...now, ...security }))
  if (contract !== undefined)
    writeFileSync(join(home, 'next.json'), typeof contract === 'string' ? contract : JSON.stringify(contract))
  return loadPlan('gateway.yaml', home, {}, { contract: 'next.json', strict })
}

const told = ({ report }: ReturnType<typeof loadOver>) =>
  report.list.map(({ severity, code, message, place }) => `${place.file}:${place.line} ${severity} ${code}: ${message}`)

test('settings that do not fit the other contract are warnings, told once, and the rest is served', async () => {
  const loaded = loadOver(next)
  assert.deepEqual(told(loaded), [
    'gateway.yaml:2 warning no-credential: ann has no credential',
    'gateway.yaml:2 warning unknown-security-scheme: the contract has no security scheme "key"',
    'gateway.yaml:3 warning unknown-tag: no operation has the tag "books"',
    'gateway.yaml:5 warning invalid-seed: this record of books breaks its schema: /pages is required',
    'gateway.yaml:6 warning unknown-schema: the contract has no schema "Shelf"',
    'gateway.yaml:10 warning unknown-field: request.query has no "gone"',
    'gateway.yaml:12 warning unknown-operation: the contract has no operation "getBook"',
    'gateway.yaml:13 warning unknown-operation: the contract has no operation "listShelves"',
  ])
  const send = sendTo(new Gateway(loaded.plan!, realClock, silentLog, '1'))
  assert.equal((await send('GET /books')).status, 503)
  assert.deepEqual((await send('GET /books')).body, [])
  assert.equal((await send('POST /books', { title: 'Emma', pages: 400 })).status, 201)
})

test('a strict load does not refuse what does not fit', () => {
  assert.ok(loadOver(next, FILE, true).plan)
})

test('the mistakes of a broken next contract are errors at their places', () => {
  const broken = loadOver('openapi: 3.1.0\ninfo: { title: x, version: "1" \npaths: {}\n')
  assert.equal(broken.plan, undefined)
  assert.deepEqual(told(broken), ['next.json:2 error syntax: this { is never closed'])
  const absent = loadOver(undefined)
  assert.equal(absent.plan, undefined)
  assert.match(String(told(absent)), /^next\.json:1 error [\w-]+: .*next\.json/)
})

test('a world on another contract has its own clock, weather and seeds, from the start and after a reset', async () => {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  after(() => rmSync(home, { recursive: true }))
  writeFileSync(join(home, 'openapi.json'), JSON.stringify(now))
  writeFileSync(join(home, 'next.json'), JSON.stringify(next))
  const load = (settings: string) => {
    const worlds = `worlds: { named: { next: { contract: ./next.json, ${settings} } } }\n`
    const rest = FILE.replace(/^(?:consumers| {4}rules).*\n/gm, '')
    writeFileSync(
      join(home, 'gateway.yaml'),
      `${worlds}weather: { storm: { defaults: { fault: { kind: status, probability: 1, status: 503 } } } }\n${rest}`,
    )
    return loadPlan('gateway.yaml', home, {})
  }
  const seeds = '{ books: [{ id: z, title: Ulysses, pages: 730 }] }'
  const { plan } = load(`clock: { now: 2040-01-01, freeze: true }, seeds: ${seeds}`)
  assert.ok(plan)
  const gateway = new Gateway(plan, realClock, silentLog, '0')
  const send = sendTo(gateway)
  const idsIn = async (world: string) =>
    ((await send('GET /books', undefined, { 'understudy-world': world })).body as { id: string }[]).map(({ id }) => id)
  const inNext = { 'understudy-world': 'next' }
  const dateOf = async () => (await send('GET /books', undefined, inNext)).headers.date
  assert.deepEqual([await idsIn('next'), await idsIn('default')], [['z'], ['a']])
  assert.equal(await dateOf(), 'Sun, 01 Jan 2040 00:00:00 GMT')
  gateway.worlds.get('next')?.clock.restore()
  gateway.reset('next')
  assert.equal(await dateOf(), 'Sun, 01 Jan 2040 00:00:00 GMT')

  const stormy = load('weather: storm').plan
  assert.ok(stormy)
  gateway.adopt(stormy)
  const statusOf = async (headers: Record<string, string>) => (await send('GET /books', undefined, headers)).status
  assert.deepEqual(
    [await statusOf(inNext), await statusOf({}), await statusOf({ ...inNext, 'understudy-weather': 'clear' })],
    [503, 200, 200],
  )
  const { report } = load('weather: strom, clock: { freeze: true, rate: 2 }, seeds: { bokos: [] }')
  assert.deepEqual(
    report.list.filter(({ severity }) => severity === 'error').map(({ code, message }) => [code, message]),
    [
      ['unknown-weather', 'there is no weather "strom"'],
      ['invalid-value', '"freeze" and "rate" exclude each other'],
      ['unknown-resource', 'there is no resource "bokos"'],
    ],
  )
})
