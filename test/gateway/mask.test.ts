import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selectRequests } from '../../src/gateway/journal/filter.ts'
import { Mask } from '../../src/gateway/mask.ts'
import { OPERATIONS, simulate } from '../simulate.ts'
import { load } from '../support/in-process.ts'

const CONFIG = `
contract:
  openapi: 3.1.0
  info: { title: T, version: "1" }
  paths: {}
  components:
    securitySchemes:
      bearer: { type: http, scheme: bearer }
      basic: { type: http, scheme: basic }
      query: { type: apiKey, in: query, name: api_key }
consumers:
  ann: { bearer: ann-key, query: 'a "quoted" key' }
  bob: { basic: "bob:pass:word" }
`
const maskOf = (config: string) => {
  const { plan } = load(config)
  assert.ok(plan)
  return new Mask(plan)
}
const mask = maskOf(`${CONFIG}  short: { bearer: xyz }\n`)

test('credentials in a query are masked, known or not', () => {
  for (const [sent, shown] of [
    ['', ''],
    ['limit=3&status=sold', 'limit=3&status=sold'],
    ['api_key=whatever', 'api_key=***'],
    ['limit=3&api_key=&x', 'limit=3&api_key=***&x'],
    ['api%5Fkey=whatever', 'api%5Fkey=***'],
    ['api_key=a=b', 'api_key=***'],
    ['note=ann-key', 'note=***'],
    ['note=the+key+is+ann-key', 'note=***'],
    ['note=ann%2Dkey', 'note=***'],
    ['ann-key', '***'],
    ['ann-key=1', '***=1'],
    ['note=xyz', 'note=***'],
    ['note=xyzzy', 'note=xyzzy'],
    ['%zz=1', '%zz=1'],
  ] as const) {
    assert.equal(mask.query(sent), shown)
  }
})

test('a credential in a header is masked, and its scheme stays', () => {
  for (const [name, sent, shown] of [
    ['authorization', 'Bearer ann-key', 'Bearer ***'],
    ['authorization', 'basic Ym9iOnBhc3M=', 'basic ***'],
    ['proxy-authorization', 'Digest username="ann"', 'Digest ***'],
    ['authorization', 'Bearer', '***'],
    ['authorization', 'some-key of-ann', '***'],
    ['x-api-key', 'Bearer ann-key', '***'],
    ['x-note', 'ann-key', '***'],
  ] as const) {
    assert.equal(mask.header(name, sent), shown)
  }
})

test('known credentials in a path are masked', () => {
  for (const [sent, shown] of [
    ['/v1/pets/7', '/v1/pets/7'],
    ['/v1/ann-key/7', '/v1/***/7'],
    ['/v1/ann%2dkey', '/v1/***'],
    ['/v1/Bearer ann-key', '/v1/***'],
    ['/v1/xyz/', '/v1/***/'],
  ] as const) {
    assert.equal(mask.path(sent), shown)
  }
})

test('credentials are masked where none is short', () => {
  const mask = maskOf(CONFIG)
  for (const [sent, shown] of [
    ['limit=3&status=sold', 'limit=3&status=sold'],
    ['api_key=whatever', 'api_key=***'],
    ['limit=3&api_key=&x', 'limit=3&api_key=***&x'],
    ['api%5Fkey=whatever', 'api%5Fkey=***'],
    ['other_api_key=whatever', 'other_api_key=whatever'],
    ['note=ann-key', 'note=***'],
    ['note=the+key+is+ann-key', 'note=***'],
    ['note=ann%2Dkey', 'note=***'],
    ['ann-key=1', '***=1'],
    ['note=xyz', 'note=xyz'],
  ] as const) {
    assert.equal(mask.query(sent), shown)
  }
  for (const [sent, shown] of [
    ['/v1/pets/7', '/v1/pets/7'],
    ['/v1/ann-key/7', '/v1/***/7'],
    ['/v1/ann%2dkey', '/v1/***'],
  ] as const) {
    assert.equal(mask.path(sent), shown)
  }
})

test('credentials in other texts are masked', () => {
  for (const [text, shown] of [
    ['{"key":"ann-key"}', '{"key":"***"}'],
    [JSON.stringify({ key: 'a "quoted" key' }), '{"key":"***"}'],
    ['Basic Ym9iOnBhc3M6d29yZA==', 'Basic ***'],
    ['bob:pass:word', '***'],
    ['pass:word', '***'],
    ['nothing', 'nothing'],
  ] as const) {
    assert.equal(mask.text(text), shown)
  }
})

test('credentials with reserved characters are masked, as they are and encoded', () => {
  const mask = maskOf(CONFIG.replace('ann-key', 'an/a+key=&b c'))
  const base64 = Buffer.from('an/a+key=&b c').toString('base64')
  assert.match(base64, /=$/)
  for (const [sent, shown] of [
    ['/v1/an/a+key=&b c/7', '/v1/***/7'],
    ['/v1/an%2Fa%2Bkey%3D%26b%20c/7', '/v1/***/7'],
    ['/v1/an/a%2bkey=&b%20c/7', '/***'],
    [`/v1/${base64}/7`, '/v1/***/7'],
    ['/v1/an/other%20path', '/v1/an/other%20path'],
  ] as const) {
    assert.equal(mask.path(sent), shown)
  }
  for (const [sent, shown] of [
    ['note=an%2Fa%2Bkey%3D%26b+c&x=1', 'note=***&x=1'],
    ['an/a+key=&b c', '***'],
    [`${base64}=1&x=2`, '***&x=2'],
    [base64, '***'],
  ] as const) {
    assert.ok(!mask.query(sent).includes('key'), mask.query(sent))
    assert.equal(mask.query(sent), shown)
  }
  for (const [text, shown] of [
    ['key=an%2Fa%2Bkey%3D%26b+c&x=1', 'key=***&x=1'],
    ['https://page/?key=an%2fa%2bkey%3d%26b%20c', 'https://page/?key=***'],
  ] as const) {
    assert.equal(mask.text(text), shown)
  }
})

test('a truncated credential is masked', async () => {
  const { gateway, ask } = simulate(`
journal: { bodies: 14B }
operations: ${OPERATIONS}`)
  await ask('POST /things', { body: { name: 'my ann-key' } })
  const [request] = selectRequests(gateway.journal, [], 1)
  assert.equal(request?.requestBody?.text, '{"name":"my **')
})

test('every field of an entry is masked', async () => {
  const { gateway, ask } = simulate(`operations: ${OPERATIONS}`)
  await ask('GET /ann-key?x=ann-key', { headers: { 'x-key': 'ann-key', 'understudy-explain': '1' } })
  await ask('GET /things/ann-key', { headers: { 'x-key': 'ann-key', 'understudy-explain': '1' } })
  const text = JSON.stringify(selectRequests(gateway.journal, [], 10))
  assert.ok(!text.includes('ann-key'), text)
})
