import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { fault } from '../../src/behaviours/fault/index.ts'
import { STREAM_KINDS } from '../../src/behaviours/fault/stream-faults.ts'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { fileOf } from '../support/in-process.ts'

const BODY = { text: 'all of this, and not a word less' }
const LENGTH = JSON.stringify(BODY).length

/** One path for each fault, and one without a fault. */
const FAULTS: Record<string, object | null> = {
  none: null,
  status: { kind: 'status', status: 503, retryAfter: '2s' },
  reset: { kind: 'reset' },
  close: { kind: 'close' },
  truncate: { kind: 'truncate', keep: '10B' },
  half: { kind: 'truncate' },
  garbage: { kind: 'garbage' },
  drip: { kind: 'drip', rate: '400B/s' },
  hang: { kind: 'hang', for: '20ms' },
  third: { kind: 'reset', every: 3 },
}

test('each kind of fault has a test in this file', () => {
  const { properties } = fault.schema as {
    readonly properties: { readonly kind: { readonly enum: readonly string[] } }
  }
  const tried = new Set(Object.values(FAULTS).map(one => (one as { readonly kind?: string } | null)?.kind))
  // Those of a stream have theirs in the tests of streams.
  const untried = properties.kind.enum.filter(
    kind => !tried.has(kind) && !(STREAM_KINDS as readonly string[]).includes(kind),
  )
  assert.deepEqual(untried, [], 'add the kind to FAULTS, and a test of what a client sees')
})

const names = Object.keys(FAULTS)
const content = { 'application/json': { schema: { type: 'object' } } }
const config = {
  contract: {
    openapi: '3.1.0',
    info: { title: 'Faults', version: '1' },
    paths: Object.fromEntries(
      names.map(name => [
        `/${name}`,
        { get: { operationId: name, responses: { 200: { description: 'Fine', content } } } },
      ]),
    ),
  },
  errors: { body: { code: '${problem.code}', status: '${problem.status}' } },
  operations: Object.fromEntries(
    names.map(name => [name, { fault: FAULTS[name], respond: { status: 200, body: BODY } }]),
  ),
}

let gateway: RunningGateway
before(async () => {
  gateway = await startGateway({ config: fileOf(JSON.stringify(config)) })
})
after(() => gateway.close())

/** Returns the reply that an application gets, or the code of its error. */
interface Seen {
  readonly status?: number
  readonly body?: string
  readonly retryAfter?: string | undefined
  readonly error?: string | undefined
}

/** Returns the code of an error. Versions of Node name an invalid reply differently. */
const codeOf = (error: NodeJS.ErrnoException | undefined): string | undefined =>
  error?.name === 'HTTPParserError' || error?.code?.startsWith('HPE_') ? 'HPE' : error?.code

async function viaFetch(name: string): Promise<Seen> {
  let status: number | undefined
  try {
    const response = await fetch(`${gateway.url}/${name}`)
    status = response.status
    return { status, body: await response.text(), retryAfter: response.headers.get('retry-after') ?? undefined }
  } catch (error) {
    const { cause } = error as { cause?: NodeJS.ErrnoException }
    return { ...(status === undefined ? {} : { status }), error: codeOf(cause) }
  }
}

const viaHttp = (name: string): Promise<Seen> =>
  new Promise(resolve => {
    const request = get(`${gateway.url}/${name}`, { agent: false }, (response: IncomingMessage) => {
      const status = response.statusCode as number
      let body = ''
      response.setEncoding('utf8')
      response.on('data', text => {
        body += text
      })
      response.on('error', (error: NodeJS.ErrnoException) => resolve({ status, body, error: error.code }))
      response.on('end', () => resolve({ status, body, retryAfter: response.headers['retry-after'] }))
    })
    request.on('error', (error: NodeJS.ErrnoException) => resolve({ error: codeOf(error) }))
  })

const whole = { status: 200, body: JSON.stringify(BODY), retryAfter: undefined }
const refused = { status: 503, body: '{"code":"unavailable","status":503}', retryAfter: '2' }
const cut = (kept: number) => ({ status: 200, body: JSON.stringify(BODY).slice(0, kept), error: 'ECONNRESET' })

const cases: [name: string, sees: string, http: Seen, fetch: Seen][] = [
  ['none', 'the reply', whole, whole],
  ['status', 'the Error of this API with Retry-After', refused, refused],
  ['reset', 'a reset', { error: 'ECONNRESET' }, { error: 'ECONNRESET' }],
  ['close', 'the end of the connection', { error: 'ECONNRESET' }, { error: 'UND_ERR_SOCKET' }],
  ['truncate', 'as much as was kept', cut(10), { status: 200, error: 'UND_ERR_SOCKET' }],
  ['half', 'half of the reply', cut(Math.floor(LENGTH / 2)), { status: 200, error: 'UND_ERR_SOCKET' }],
  ['garbage', 'bytes that are not HTTP', { error: 'HPE' }, { error: 'HPE' }],
  ['drip', 'the whole reply, slowly', whole, whole],
  ['hang', 'nothing for a while, then the end', { error: 'ECONNRESET' }, { error: 'UND_ERR_SOCKET' }],
]

for (const [name, sees, http, fetched] of cases) {
  test(`the fault ${name} shows a client ${sees}`, async () => {
    assert.deepEqual(await viaHttp(name), http, 'node:http')
    assert.deepEqual(await viaFetch(name), fetched, 'fetch')
  })
}

test('a drip sends many pieces, fewer bytes than announced', async () => {
  const response = await fetch(`${gateway.url}/drip`)
  assert.equal(response.headers.get('content-length'), `${LENGTH}`)
  let pieces = 0
  for await (const _ of response.body as unknown as AsyncIterable<Uint8Array>) pieces += 1
  assert.ok(pieces > 1, `${pieces} pieces`)
})

test('`every: 3` strikes every third request', async () => {
  const seen: boolean[] = []
  for (let i = 0; i < 6; i++) seen.push((await viaFetch('third')).status === 200)
  assert.deepEqual(seen, [true, true, false, true, true, false])
})

test('faults are counted by operation and kind, and one without a reply has no status', async () => {
  const page = await (await fetch(`${gateway.control}/metrics`)).text()
  assert.match(page, /^understudy_faults_total\{operation="third",kind="reset"\} 2$/m)
  assert.match(page, /^understudy_faults_total\{operation="status",kind="status"\} 2$/m)
  assert.match(page, /_count\{[^}]*http_response_status_code="",operation="third"\} 2$/m)
})
