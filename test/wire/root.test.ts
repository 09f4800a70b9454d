// The root of the API's port.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { ask } from './ask.ts'

const contract = (paths: object) => ({
  contract: { openapi: '3.1.0', info: { title: '<b>Books</b>', version: '1' }, servers: [{ url: '/v1' }], paths },
})
const hello = { get: { operationId: 'hello', responses: { 200: { description: 'Hello' } } } }
let gateway: RunningGateway
let root: string
before(async () => {
  gateway = await startGateway({ config: contract({ '/hello': hello }) })
  root = new URL('/', gateway.url).href
})
after(() => gateway.close())

test('the root names the addresses of the API and the console', async () => {
  const { status, body, headers } = await ask(root)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    ...{ name: 'understudy', standsInFor: '<b>Books</b> 1', api: [`${root}v1`], operations: 1 },
    ...{ console: `${gateway.control}/`, controlPlane: `${gateway.control}/openapi.json` },
  })
  assert.match(String(headers.vary), /Accept/)
})

test('a browser gets a page with the texts of the contract escaped', async () => {
  const { headers, text } = await ask(root, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.match(String(headers['content-security-policy']), /default-src 'none'/)
  assert.match(text, /&#60;b&#62;Books/)
  assert.ok(text.includes(`href="${gateway.control}/"`))
  assert.ok(!text.includes('<b>'))
})

test('the root allows GET and HEAD only', async () => {
  assert.equal((await ask(root, { method: 'HEAD' })).status, 200)
  const { status, headers } = await ask(root, { method: 'DELETE' })
  assert.deepEqual([status, headers.allow], [405, 'GET, HEAD, OPTIONS'])
})

test('an operation of the contract at the root has precedence', async () => {
  const own = await startGateway({ config: { contract: { ...contract({ '/': hello }).contract, servers: [] } } })
  try {
    const { status, text } = await ask(new URL('/', own.url).href)
    assert.deepEqual([status, text], [200, ''])
  } finally {
    await own.close()
  }
})
