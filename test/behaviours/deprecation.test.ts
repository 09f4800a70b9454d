import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulate } from '../simulate.ts'
import { VirtualClock } from '../virtual-clock.ts'

const SINCE = '2025-12-05'
const gatewayOf = (deprecation: string, clock: VirtualClock) =>
  simulate(
    `operations: { getThing: { respond: { read: things }, deprecation: { since: ${SINCE}, ${deprecation} } } }`,
    clock,
  )

const BROWNOUTS = 'brownouts: { starts: 30d before sunset, every: 6h, for: 10m, growing: true }'
const all = `sunset: 2030-12-05, successor: /things, policy: "https://example.com/why", ${BROWNOUTS}`
const HEADERS = {
  deprecation: '@1764892800',
  sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  link: '</things>; rel="successor-version", <https://example.com/why>; rel="deprecation", <https://example.com/why>; rel="sunset"',
}

/** Returns the status, `Retry-After` and the presence of the deprecation headers for a request at a time. */
const table: [at: string, config: string, expected: string][] = [
  ['2025-12-04T23:59:59.999Z', all, '200'],
  ['2025-12-05T00:00:00Z', all, '200 deprecated'],
  ['2030-11-04T23:59:59.999Z', all, '200 deprecated'],
  ['2030-11-05T00:00:00Z', all, '503 deprecated, retry after 600'],
  ['2030-11-05T00:09:59.001Z', all, '503 deprecated, retry after 1'],
  ['2030-11-05T00:10:00Z', all, '200 deprecated'],
  ['2030-11-05T06:00:00Z', all, '503 deprecated, retry after 618'],
  ['2030-11-20T00:00:00Z', all, '503 deprecated, retry after 3600'],
  ['2030-12-04T18:00:00Z', all, '503 deprecated, retry after 20965'],
  ['2030-12-04T23:59:59Z', all, '200 deprecated'],
  ['2030-12-05T00:00:00Z', all, '410 deprecated'],
  ['2099-01-01T00:00:00Z', all, '410 deprecated'],
  [
    '2099-01-01T00:00:00Z',
    `sunset: 2030-12-05, successor: /things, policy: "https://example.com/why"`,
    '410 deprecated',
  ],
  ['2099-01-01T00:00:00Z', `afterSunset: serve, ${all}`, '200 deprecated'],
  ['2099-01-01T00:00:00Z', `afterSunset: not-found, ${all}`, '404 deprecated'],
  ['2030-11-05T00:09:59.001Z', all.replace('growing', 'answer: 410, growing'), '410 deprecated, retry after 1'],
  ['2030-11-20T00:00:00Z', all.replace(', growing: true', ''), '503 deprecated, retry after 600'],
]
for (const [at, config, expected] of table) {
  test(`at ${at} a request gets ${expected}: ${config}`, async () => {
    const { ask } = gatewayOf(config, new VirtualClock(Date.parse(at)))
    const { status, headers } = await ask('GET /things/1')
    const decorated = Object.entries(HEADERS).filter(([name, value]) => headers[name] === value).length
    const wait = headers['retry-after']
    const words = [`${status}`, ...(decorated === 3 ? [' deprecated'] : decorated === 0 ? [] : [' half decorated'])]
    assert.equal([...words, ...(wait === undefined ? [] : [`, retry after ${wait}`])].join(''), expected)
  })
}

test('a brown-out has the code brown_out and names its end and the successor', async () => {
  const { ask } = gatewayOf(all, new VirtualClock(Date.parse('2030-11-05T00:05:00Z')))
  const { body } = await ask('GET /things/1')
  const { code, detail } = JSON.parse(body as string)
  assert.equal(code, 'brown_out')
  assert.equal(
    detail,
    'GET /things/{id} is deprecated and in a brown-out until Tue, 05 Nov 2030 00:10:00 GMT; it is removed on Thu, 05 Dec 2030 00:00:00 GMT; use /things instead',
  )
})

test('a request with Understudy-Time meets the brown-outs of that time', async () => {
  const { ask } = gatewayOf(all, new VirtualClock())
  const at = async (time: string) => (await ask('GET /things/1', { headers: { 'understudy-time': time } })).status
  assert.deepEqual([await at('2030-11-05'), await at('2030-11-05T00:10:00Z'), await at('2030-12-05')], [503, 200, 410])
})
