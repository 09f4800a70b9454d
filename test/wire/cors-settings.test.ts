// `listen.cors`: which pages may read the replies, seen from the headers on the wire.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { ask } from './ask.ts'
import { say } from './raw.ts'

const HOME = 'http://localhost:5173'
const FOREIGN = 'https://elsewhere.example'
const CONTRACT = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  paths: { '/notes': { get: { operationId: 'listNotes', responses: { 200: { description: 'ok' } } } } },
}

const running: RunningGateway[] = []
after(async () => {
  for (const gateway of running) await gateway.close()
})

async function startWith(cors: unknown): Promise<RunningGateway> {
  const gateway = await startGateway({ config: { contract: CONTRACT, listen: { cors } } })
  running.push(gateway)
  return gateway
}

async function corsHeaders(gateway: RunningGateway, origin: string, method = 'GET'): Promise<Record<string, unknown>> {
  const wants: Record<string, string> = method === 'OPTIONS' ? { 'access-control-request-method': 'GET' } : {}
  const { headers } = await ask(`${gateway.url}/notes`, { method, headers: { origin, ...wants } })
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-allow-')))
}

const NEXT = 'GET /notes HTTP/1.1\r\nHost: x\r\n\r\n'
const CREDENTIALS = { 'access-control-allow-credentials': 'true' }

for (const [name, cors, origin, allowed] of [
  ['every origin by default, with credentials', {}, FOREIGN, CREDENTIALS],
  ['every origin by "*"', { origins: ['*'] }, FOREIGN, CREDENTIALS],
  ['an origin that is listed', { origins: [HOME] }, HOME, CREDENTIALS],
  ['an origin that is listed, without credentials', { origins: [HOME], credentials: false }, HOME, {}],
  ['no origin that is not listed', { origins: [HOME] }, FOREIGN, undefined],
  ['no origin where it is off', 'off', HOME, undefined],
] as const) {
  test(`CORS admits ${name}`, async () => {
    const gateway = await startWith(cors)
    const own = allowed && { 'access-control-allow-origin': origin, ...allowed }
    assert.deepEqual(await corsHeaders(gateway, origin), own ?? {})
    const preflight = await corsHeaders(gateway, origin, 'OPTIONS')
    assert.equal(preflight['access-control-allow-origin'], own && origin)
    assert.equal('access-control-allow-methods' in preflight, own !== undefined)
    // Only pages are refused: other clients get their reply.
    assert.equal((await ask(`${gateway.url}/notes`, { headers: { origin } })).status, 200)
  })
}

test('Vary names the origin unless CORS is off', async () => {
  const vary = async (cors: unknown) => (await ask(`${(await startWith(cors)).url}/notes`)).headers.vary
  assert.match(String(await vary({ origins: [HOME] })), /\bOrigin\b/)
  assert.doesNotMatch(String(await vary('off')), /\bOrigin\b/)
})

test('a page can read the refusal of an unreadable request only if every origin is admitted', async () => {
  const broken = 'GET /notes HTTP/1.1\r\nHost: x\r\nX-A : 1\r\n\r\n'
  const opened = async (cors: unknown) =>
    (await say((await startWith(cors)).url, broken, NEXT)).reply.headers['access-control-allow-origin']
  assert.equal(await opened({}), '*')
  assert.equal(await opened({ origins: [HOME] }), undefined)
  assert.equal(await opened('off'), undefined)
})

test('a reload changes the admitted origins', async () => {
  const gateway = await startWith('off')
  assert.deepEqual(await corsHeaders(gateway, HOME), {})
  const body = JSON.stringify({ contract: CONTRACT, listen: { cors: { origins: [HOME] } } })
  const headers = { 'content-type': 'application/json' }
  assert.equal((await ask(`${gateway.control}/config`, { method: 'PUT', headers, body })).status, 200)
  assert.equal((await corsHeaders(gateway, HOME))['access-control-allow-origin'], HOME)
})
