import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { CONTRACT, OPERATIONS } from '../simulate.ts'
import { fileOf } from '../support/in-process.ts'
import { ask } from './ask.ts'

const running: RunningGateway[] = []
after(() => Promise.all(running.map(gateway => gateway.close())))
const serve = async (yaml: string): Promise<string> => {
  const gateway = await startGateway({ config: fileOf(`${CONTRACT}\n${yaml}\noperations: ${OPERATIONS}`) })
  running.push(gateway)
  return gateway.url
}

test('a list is revalidated: 304 without a body until it changes', async () => {
  const url = await serve('defaults: { conditional: {} }')
  const first = await ask(`${url}/things`)
  const { etag = '' } = first.headers as { etag?: string }
  assert.match(etag, /^"[\w-]{22}"$/)
  assert.equal(first.headers['cache-control'], 'no-cache')
  const again = () => ask(`${url}/things`, { headers: { 'if-none-match': etag } })
  const same = await again()
  assert.deepEqual([same.status, same.text, same.headers.etag], [304, '', etag])
  assert.equal(same.headers['content-type'], undefined)
  const head = await ask(`${url}/things`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.etag], [200, etag])
  const body = '{"name":"three"}'
  await ask(`${url}/things`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  assert.equal((await again()).status, 200)
  assert.equal((await ask(`${url}/things`, { headers: { 'if-match': etag } })).status, 412)
})

test('a gateway without `conditional` ignores conditions', async () => {
  const url = await serve('')
  const { status, headers } = await ask(`${url}/things`, { headers: { 'if-none-match': '*' } })
  assert.deepEqual([status, headers.etag], [200, undefined])
})

test('a rate limit has the same numbers in every header', async () => {
  const url = await serve('defaults: { rateLimit: { limit: 100/m, burst: 20, legacyHeaders: true } }')
  const { headers } = await ask(`${url}/things`)
  assert.equal(headers['ratelimit-policy'], '"defaults";q=100;w=60')
  assert.equal(headers.ratelimit, '"defaults";r=19;t=1')
  assert.deepEqual([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']], ['100', '19'])
})
