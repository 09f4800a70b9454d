// Random requests to the shipped gateways, without a socket. None throws or causes an internal error, refusals have the shape of
// the API, and the next ordinary request is served.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Gateway } from '../../src/gateway/gateway.ts'
import { type Log, silentLog } from '../../src/gateway/log.ts'
import type { Reply, Request } from '../../src/kernel/http.ts'
import { formatDiagnostics } from '../../src/kernel/report.ts'
import { anyText } from '../support/any-text.ts'
import { fuzz } from '../support/fuzz.ts'
import { loadPlan } from '../support/load.ts'
import { FixedClock } from '../virtual-clock.ts'

const HOME = `${import.meta.dirname}/../..`

interface Subject {
  readonly gateway: Gateway
  /** The logged errors since the list was last emptied. */
  readonly failures: unknown[]
  readonly ordinary: Request
  readonly paths: readonly string[]
}

function subjectOf(file: string, ordinary: Partial<Request>, paths: readonly string[]): Subject {
  const { plan, report } = loadPlan(file, HOME, {})
  assert.ok(plan !== undefined, formatDiagnostics(report.list))
  const failures: unknown[] = []
  const log: Log = { ...silentLog, requests: true, error: fields => void failures.push(fields) }
  const gateway = new Gateway(plan, new FixedClock(), log, '0.0.0')
  return { gateway, failures, ordinary: { ...NOTHING, ...ordinary }, paths }
}

const NOTHING: Request = {
  method: 'GET',
  path: '/',
  query: '',
  headers: {},
  hasBody: false,
  readBody: async () => ({ bytes: new Uint8Array() }),
  address: '127.0.0.1',
}

const SUBJECTS = [
  subjectOf(
    'config/gateway.yaml',
    { path: '/v1/pets', query: 'limit=1', headers: { authorization: 'Bearer demo-key' } },
    ['/v1/pets', '/v1/pets/1', '/v1/store/orders', '/v1', '/v1/pets/9223372036854775807'],
  ),
  subjectOf('config/shop.yaml', { path: '/v1/orders' }, [
    '/v1/orders',
    '/v1/orders/1',
    '/v1/orders/1/pay',
    '/v1/orders/1/cancel',
  ]),
]

/** Mostly the usual value, so that the other parts of a request are reached, too. */
const mostly = <Value>(sound: fc.Arbitrary<Value>, hostile: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 4, arbitrary: sound }, { weight: 1, arbitrary: hostile })

const noise = fc.oneof(
  anyText(12),
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    '',
    '\0',
    '\x7f',
    '\xff\xfe',
    '%',
    '%00',
    '%ff',
    '%c3%28',
    '..',
    '~',
    '~qa',
    '__proto__',
    'constructor',
  ),
  fc.constantFrom('-1', '1e400', '9223372036854775808', '0x1', 'NaN', 'true', 'null', 'a'.repeat(20_000)),
)
const method = mostly(
  fc.constantFrom('GET', 'POST'),
  fc.oneof(fc.constantFrom('PUT', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'), noise),
)
const path = fc
  .tuple(
    fc.nat(),
    mostly(fc.constantFrom('', '/~qa'), fc.constantFrom('/~', '/~..', '/~__proto__', '/v1/~qa')),
    fc.array(noise, { maxLength: 2 }),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([which, world, more, kind]) => (paths: readonly string[]): string => {
    const known = paths[which % paths.length] as string
    if (kind === 0) return `/${more.join('/')}`
    if (kind === 1) return [known, ...more].join('/')
    return world + known
  })
const NAMES = ['limit', 'status', 'offset', '__code', '__example', '__dynamic', '__seed', '__delay', '__weather', '__x']
const name = fc.oneof(fc.constantFrom(...NAMES), noise)
const query = mostly(
  fc.constantFrom('', 'limit=1', 'status=sold', '__code=404', '__dynamic=true&__seed=7', '__delay=5s'),
  fc.oneof(
    fc
      .array(fc.tuple(name, fc.oneof(noise, fc.constantFrom('1', 'sold', '404', '500', 'friday-evening'))), {
        maxLength: 5,
      })
      .map(pairs => pairs.map(pair => pair.join('=')).join('&')),
    fc.tuple(name, fc.constantFrom(2, 1000, 5000)).map(([one, times]) => `${one}=1&`.repeat(times).slice(0, 100_000)),
    noise,
  ),
)
const CONTROLS = ['world', 'time', 'ordinal', 'delay', 'weather', 'explain', 'x'].map(one => `understudy-${one}`)
const FIELDS = [
  'prefer',
  'authorization',
  'content-type',
  'accept',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'cookie',
]
const WORDS = [
  'Bearer demo-key',
  'code=404',
  'code=500, dynamic=true',
  'example=x; seed=1',
  'true',
  '1',
  '*',
  '"a", W/"b"',
]
const MEDIA = [
  'application/json',
  'application/xml',
  'text/plain;charset=x',
  '*/*;q=0',
  'a/b;c="',
  'application/json, */*',
]
const TIMES = ['+5y', '2031-01-01', '+99999999999999y', '-1d', 'friday-evening', 'qa', '5s', '1e9']
const headers = fc
  .tuple(
    mostly(fc.constant(true), fc.constant(false)),
    fc.array(
      fc.tuple(fc.constantFrom(...CONTROLS, ...FIELDS), mostly(fc.constantFrom(...WORDS, ...MEDIA, ...TIMES), noise)),
      { maxLength: 2 },
    ),
    mostly(fc.constant<[string, string][]>([]), fc.array(fc.tuple(noise, noise), { maxLength: 3 })),
  )
  .map(([known, pairs, more]): Record<string, string> => {
    const own: Record<string, string> = known ? { authorization: 'Bearer demo-key' } : {}
    return {
      ...own,
      'content-type': 'application/json',
      ...Object.fromEntries([...pairs, ...more].map(([n, v]) => [n.toLowerCase(), v])),
    }
  })
const nearlyRight = fc.record(
  {
    name: fc.oneof(fc.constant('Rex'), fc.jsonValue()),
    categoryId: fc.oneof(fc.constant(1), fc.jsonValue()),
    item: fc.oneof(fc.constantFrom('Crash', 'Pen'), fc.jsonValue()),
    quantity: fc.oneof(fc.integer(), fc.jsonValue()),
    status: fc.oneof(fc.constantFrom('sold', 'paid'), fc.jsonValue()),
    ['__proto__']: fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const body = mostly(
  fc
    .constantFrom('', '{"name":"Rex","categoryId":1}', '{"item":"Pen","quantity":101}')
    .map(text => Buffer.from(text) as Uint8Array),
  fc.oneof<fc.Arbitrary<Uint8Array>[]>(
    fc.constant(new Uint8Array()),
    fc.uint8Array({ maxLength: 60 }),
    fc.jsonValue().map(value => Buffer.from(JSON.stringify(value))),
    nearlyRight.map(value => Buffer.from(JSON.stringify(value))),
    fc.tuple(nearlyRight, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 3 })).map(([value, at, bytes]) => {
      const text = Buffer.from(JSON.stringify(value))
      return Buffer.concat([text.subarray(0, at % text.length), bytes, text.subarray(at % text.length)])
    }),
    fc
      .constantFrom(
        '['.repeat(5000),
        '{"name":1,'.repeat(3000),
        '{"a":'.repeat(300),
        '1e999',
        '-',
        '"\\ud800"',
        '\ufeff{}',
      )
      .map(text => Buffer.from(text)),
  ),
)

const isRefusal = (reply: Reply): boolean => {
  const { code, message } = JSON.parse(String(reply.body)) as { code?: unknown; message?: unknown }
  return typeof code === 'string' && typeof message === 'string'
}

const sent = fc.record({ which: fc.constantFrom(...SUBJECTS.keys()), method, path, query, headers, body })

fuzz(
  'a random request is answered, and so is the next',
  sent,
  async ({ which, method, path, query, headers, body }) => {
    const { gateway, failures, ordinary, paths } = SUBJECTS[which] as Subject
    failures.length = 0
    const hasBody = body.length > 0
    const readBody = async () => ({ bytes: body })
    const reply = await gateway.handle({ ...NOTHING, method, path: path(paths), query, headers, hasBody, readBody })
    assert.deepEqual(failures, [])
    assert.ok(reply.status >= 200 && reply.status <= 599, `${reply.status}`)
    assert.doesNotMatch(String(reply.body), /\bat .*\.[jt]s:\d|incident/)
    const type = reply.headers['content-type'] ?? ''
    if (reply.status >= 400 && /[/+]json/.test(type) && reply.body !== undefined) {
      assert.ok(isRefusal(reply), `${reply.status} ${reply.body}`)
    }
    const next = await gateway.handle(ordinary)
    assert.equal(next.status, 200)
    assert.ok(Array.isArray(JSON.parse(String(next.body))))
  },
)
