// The choices of the shipped configuration for questions that the interface document leaves open: each is as
// docs/recipes/petstore.md lists it, and has a setting that changes it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Answer, inProcess } from './support/in-process.ts'
import { FixedClock } from './virtual-clock.ts'

const shipped = {
  'gateway.yaml': readFileSync('config/gateway.yaml', 'utf8').replace('../fixtures/', './'),
  'openapi.yaml': readFileSync('config/openapi.yaml', 'utf8'),
  'pets.yaml': readFileSync('fixtures/pets.yaml', 'utf8'),
}

interface Choice {
  readonly silentAbout: string
  /** The setting in gateway.yaml, and its alternatives. */
  readonly written: string
  readonly instead: string
  readonly ask: string
  readonly body?: unknown
  readonly key?: string
  readonly at?: string
  readonly look: (answer: Answer) => unknown
  readonly chosen: unknown
  readonly changed: unknown
}

const status = (answer: Answer) => answer.status
const field = (name: string) => (answer: Answer) => (answer.body as Record<string, unknown>)[name]
const header = (name: string) => (answer: Answer) => answer.headers[name]
const rex = { name: 'Rex', categoryId: 1 }

const CHOICES: readonly Choice[] = [
  {
    silentAbout: 'values of code',
    written: 'code: "${problem.code}"',
    instead: 'code: "E${problem.status}"',
    ...{ ask: 'GET /v1/pets', key: 'wrong', look: field('code'), chosen: 'unauthorized', changed: 'E401' },
  },
  {
    silentAbout: 'limit out of range',
    written: 'invalidQuery: refuse',
    instead: 'invalidQuery: ignore',
    ...{ ask: 'GET /v1/pets?limit=0', look: status, chosen: 400, changed: 200 },
  },
  {
    silentAbout: 'undocumented parameters',
    written: 'undocumentedQuery: ignore',
    instead: 'undocumentedQuery: refuse',
    ...{ ask: 'GET /v1/pets?page=2', look: status, chosen: 200, changed: 400 },
  },
  {
    silentAbout: 'undocumented fields',
    written: 'unknownFields: drop',
    instead: 'unknownFields: refuse',
    ...{ ask: 'POST /v1/pets', body: { ...rex, colour: 'red' }, look: status, chosen: 201, changed: 400 },
  },
  {
    silentAbout: 'an omitted status on create',
    written: 'defaults: { status: available }',
    instead: 'defaults: { status: pending }',
    ...{ ask: 'POST /v1/pets', body: rex, look: field('status'), chosen: 'available', changed: 'pending' },
  },
  {
    silentAbout: 'the deprecation date of getPet',
    written: 'since: 2025-12-05',
    instead: 'since: 2025-12-06',
    ...{ ask: 'GET /v1/pets/7', look: header('deprecation'), chosen: '@1764892800', changed: '@1764979200' },
  },
  {
    silentAbout: 'requests after the sunset',
    written: 'afterSunset: gone',
    instead: 'afterSunset: serve',
    ...{ ask: 'GET /v1/pets/7', at: '2030-12-05T00:00:00Z', look: status, chosen: 410, changed: 200 },
  },
  {
    silentAbout: 'store orders',
    written: 'listOrders: { respond: { status: 501 } }',
    instead: 'listOrders: { respond: { status: 200, body: [] } }',
    ...{ ask: 'GET /v1/store/orders', look: status, chosen: 501, changed: 200 },
  },
  {
    silentAbout: 'lifetime of keys',
    written: 'expires: 2026-01-01',
    instead: 'expires: 2027-01-01',
    ...{ ask: 'GET /v1/pets', key: 'retired-key', look: status, chosen: 401, changed: 200 },
  },
  {
    silentAbout: 'an undocumented body',
    written: 'undocumentedBody: refuse',
    instead: 'undocumentedBody: ignore',
    ...{ ask: 'GET /v1/pets', body: {}, look: status, chosen: 415, changed: 200 },
  },
]

const asShipped = inProcess(shipped)

for (const { silentAbout, written, instead, ask, body, key = 'demo-key', at, look, chosen, changed } of CHOICES) {
  test(`${silentAbout}: ${chosen}, or ${changed} with ${instead}`, async () => {
    const text = shipped['gateway.yaml']
    assert.ok(text.includes(written), `the shipped configuration does not say ${written}`)
    const clock = new FixedClock(at)
    const changedFiles = { ...shipped, 'gateway.yaml': text.replace(written, instead) }
    for (const [{ send }, expected] of [
      [at === undefined ? asShipped : inProcess(shipped, clock), chosen],
      [inProcess(changedFiles, clock), changed],
    ] as const) {
      const answer = await send(ask, body, { authorization: `Bearer ${key}`, 'content-type': 'application/json' })
      assert.equal(look(answer), expected)
    }
  })
}
