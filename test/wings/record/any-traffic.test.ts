import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { addToRecording, exchangesOf, RECORDING } from '../../../src/wings/project/recording.ts'
import { projectOfExchanges } from '../../../src/wings/record/record.ts'
import { WINGS } from '../../../src/wings.ts'
import { cases } from '../../support/cases.ts'
import { recorded } from './recorded-api.ts'
import '../../support/property-runs.ts'

const segment = fc.oneof(
  fc.constantFrom(...['pets', 'me', '', 'b%20c', '7', 'x{y}', "q'w", '%7Bid%7D', 'a.b', '$ref', '__proto__']),
  fc.string({ maxLength: 5 }).map(encodeURIComponent),
)
const value = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.string({ maxLength: 6 }),
  fc.constantFrom('pets', 'me', '${x}', "q'w", null, true, 1.5, '2026-01-02T00:00:00Z'),
)
const name = fc.constantFrom('id', 'a b', 'x/y', '$ref', '__proto__', 'items', 'token', '{id}', '<<', 'constructor')
const object = fc.dictionary(name, value, { maxKeys: 5 })
const list = fc.array(object, { maxLength: 3 })
const body = fc.oneof(
  object,
  list,
  fc.dictionary(name, fc.oneof(object, list), { maxKeys: 3 }),
  value,
  fc.constant(undefined),
)
const exchange = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
  path: fc.array(segment, { maxLength: 4 }).map(all => `/${all.join('/')}`),
  query: fc.constantFrom('', 'a=1', 'limit=2&id=7', 'x%5By%5D=1', 'a=%', '&&', 'a b=c'),
  token: fc.constantFrom('Bearer abcdefgh', 'x', 'Basic YTpi', 'We/ird y'),
  status: fc.constantFrom(200, 201, 204, 301, 400, 401, 404, 422, 503),
  ...{ body, reply: body },
})

test('any traffic becomes a project that can be served', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(exchange, { minLength: 1, maxLength: 12 }), async all => {
      const home = mkdtempSync(join(tmpdir(), 'understudy-any-'))
      try {
        const left = [...all]
        const api = () => {
          const { status, reply } = left.shift() as (typeof all)[0]
          return { status, ...(status === 204 || reply === undefined ? {} : { body: reply }) }
        }
        writeFileSync(join(home, 'a.har'), await recorded(api, all))
        const report = new Diagnostics()
        const path = join(home, 'out', RECORDING)
        const options = { source: 'a.har', personal: [], contract: undefined, version: '1' }
        const found = await addToRecording(path, exchangesOf(join(home, 'a.har'), 'a.har', report), options, report)
        const place = { folder: join(home, 'out'), home, wings: WINGS }
        return found.all === 0 || (await projectOfExchanges(exchangesOf(path), place, report)) !== undefined
      } finally {
        rmSync(home, { recursive: true })
      }
    }),
    { numRuns: cases(100) },
  )
})
