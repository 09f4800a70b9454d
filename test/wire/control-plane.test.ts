import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { silentLog } from '../../src/gateway/log.ts'
import { type Started, start } from '../../src/start.ts'
import { realClock } from '../../src/world/clock.ts'
import { loadPlan } from '../support/load.ts'
import { type AskOptions, ask } from './ask.ts'

const TOKEN = 'a-secret-of-the-test'

async function startOn(controlHost: string, controlToken: string | undefined): Promise<Started> {
  const load = () => loadPlan('config/gateway.yaml', '.', {})
  const loaded = load()
  assert.ok(loaded.plan)
  return start(loaded.plan, loaded, load, {
    clock: realClock,
    log: silentLog,
    watch: false,
    listen: { host: '127.0.0.1', port: 0, controlHost, controlPort: 0, controlToken },
  })
}

describe('the control plane on loopback', () => {
  let started: Started
  before(async () => {
    started = await startOn('127.0.0.1', undefined)
  })
  after(() => started.serving.close({ grace: 0 }))

  const port = () => new URL(started.serving.controlOrigin).port
  const table: [why: string, path: string, options: () => AskOptions, status: number, code?: string][] = [
    ['a client without an Origin is served', '/plan', () => ({}), 200],
    ['the Host localhost is served', '/plan', () => ({ headers: { host: `localhost:${port()}` } }), 200],
    ['the Host ::1 is served', '/plan', () => ({ headers: { host: `[::1]:${port()}` } }), 200],
    [
      'a foreign Host bound to loopback is refused',
      '/plan',
      () => ({ headers: { host: 'evil.example' } }),
      403,
      'foreign_host',
    ],
    [
      'a foreign Host that begins with localhost is refused',
      '/plan',
      () => ({ headers: { host: 'localhost.evil.example' } }),
      403,
      'foreign_host',
    ],
    [
      'a page of the same origin is served',
      '/plan',
      () => ({ headers: { origin: `http://127.0.0.1:${port()}` } }),
      200,
    ],
    [
      'a page of another port is refused',
      '/plan',
      () => ({ headers: { origin: 'http://127.0.0.1:1' } }),
      403,
      'foreign_origin',
    ],
    [
      'a page of another site cannot change anything',
      '/reset',
      () => ({ method: 'POST', headers: { origin: 'https://evil.example' } }),
      403,
      'foreign_origin',
    ],
    ['a page without an origin is refused', '/plan', () => ({ headers: { origin: 'null' } }), 403, 'foreign_origin'],
    [
      'a picture on a page of another site is not fetched',
      '/plan',
      () => ({ headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' } }),
      403,
      'foreign_origin',
    ],
    [
      'a link on a page of another site may be followed',
      '/plan',
      () => ({ headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' } }),
      200,
    ],
    ['an unknown path is a problem', '/pets', () => ({}), 404, 'not_found'],
    ['a path in other letters is unknown', '/PLAN', () => ({}), 404, 'not_found'],
    ['a path with more after it is unknown', '/plan/', () => ({}), 404, 'not_found'],
    ['a wrong method is a problem', '/reset', () => ({ method: 'DELETE' }), 405, 'method_not_allowed'],
    ['an unknown parameter is refused', '/plan?att=2030-12-06', () => ({}), 400, 'invalid_request'],
    ['a path of broken encoding is unknown', '/%zz', () => ({}), 404, 'not_found'],
  ]
  for (const [why, path, options, status, code] of table) {
    test(why, async () => {
      const reply = await ask(started.serving.controlOrigin + path, options())
      assert.equal(reply.status, status, reply.text)
      if (code === undefined) return
      assert.equal(reply.headers['content-type'], 'application/problem+json')
      const problem = reply.body as Record<string, unknown>
      assert.deepEqual([problem.status, problem.code], [status, code])
      assert.equal(typeof problem.detail, 'string')
    })
  }

  test('a wrong method gets 405 with Allow', async () => {
    const { headers } = await ask(`${started.serving.controlOrigin}/reset`)
    assert.equal(headers.allow, 'POST')
  })
})

describe('the control plane with a token', () => {
  let started: Started
  before(async () => {
    started = await startOn('0.0.0.0', TOKEN)
  })
  after(() => started.serving.close({ grace: 0 }))

  const table: [why: string, path: string, headers: Record<string, string>, status: number, challenge?: string][] = [
    ['a request without the token is refused', '/plan', {}, 401, 'Bearer realm="control plane"'],
    [
      'a wrong token is refused',
      '/plan',
      { authorization: `Bearer ${TOKEN}x` },
      401,
      'Bearer realm="control plane", error="invalid_token"',
    ],
    ['an unknown path without the token is refused, too', '/no-such-path', {}, 401, 'Bearer realm="control plane"'],
    ['the token is accepted', '/plan', { authorization: `Bearer ${TOKEN}` }, 200],
    ['the scheme is taken in any case', '/plan', { authorization: `bEARER ${TOKEN}` }, 200],
    ['any Host is served with the token', '/plan', { authorization: `Bearer ${TOKEN}`, host: 'gateway.example' }, 200],
    [
      'a page of another origin is refused even with the token',
      '/plan',
      { authorization: `Bearer ${TOKEN}`, origin: 'https://evil.example' },
      403,
    ],
    ['a liveness probe needs no token', '/healthz', {}, 200],
    ['a readiness probe needs no token', '/readyz', {}, 200],
    ['metrics need the token', '/metrics', {}, 401, 'Bearer realm="control plane"'],
  ]
  for (const [why, path, headers, status, challenge] of table) {
    test(why, async () => {
      const reply = await ask(started.serving.controlOrigin + path, { headers })
      assert.equal(reply.status, status, reply.text)
      assert.equal(reply.headers['www-authenticate'], challenge)
      assert.ok(!reply.text.includes(TOKEN))
    })
  }
})

test('a token that no header can carry is refused at start', async () => {
  for (const token of ['a b', ' a', 'a\t', 'schlüssel']) {
    await assert.rejects(startOn('127.0.0.1', token), /UNDERSTUDY_CONTROL_TOKEN contains a character/)
  }
})

test('beyond loopback the program does not start without a token', async () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'gateway.example']) {
    await assert.rejects(startOn(host, undefined), /set UNDERSTUDY_CONTROL_TOKEN/)
  }
})
