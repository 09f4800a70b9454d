import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, loadFiles } from '../../support/in-process.ts'
import { CONSUMERS, CONTRACT } from './login.ts'

const reported = (more: string) =>
  load(CONTRACT + more).report.list.map(({ code, message, place }) => `${code} ${place.line - LINES}: ${message}`)
const LINES = CONTRACT.split('\n').length - 1

for (const [what, yaml, mistake] of [
  [
    'two issuers at one path',
    'issuers: { a: { path: /login }, b: { path: /login } }',
    'duplicate-path 1: the issuer a is at /login, too',
  ],
  [
    'a second issuer without a path',
    'issuers: { a: { path: /oauth }, b: {} }',
    'duplicate-path 1: the issuer a is at /oauth, too',
  ],
  [
    'a scope that no scheme has',
    'issuers: { a: {} }\nconsumers: { x: { client: { id: x, scopes: ["pets:reed"] } } }',
    'unknown-scope 2: no security scheme has the scope "pets:reed"',
  ],
  [
    'two clients of one id',
    'issuers: { a: {} }\nconsumers:\n  x: { client: { id: x } }\n  y: { client: { id: x } }',
    'duplicate-client 4: x has this client id, too',
  ],
  [
    'a client without issuers',
    'consumers: { x: { client: { id: x } } }',
    'idle-key 1: "client" has no effect without issuers',
  ],
  [
    'an odd lifetime of refresh tokens',
    'issuers: { a: { refresh: never } }',
    'invalid-unit 1: "refresh" must be a duration, or off',
  ],
  [
    'a missing file of keys',
    'issuers: { a: { url: "http://x", jwks: ./no.json } }',
    'unreadable-file 1: ./no.json cannot be read',
  ],
  ['a key of a wrong kind', 'issuers: { a: { key: ./no.pem } }', 'unreadable-file 1: ./no.pem cannot be read'],
] as const) {
  test(`${what} is reported at its place`, () => {
    assert.deepEqual(reported(yaml), [mistake])
  })
}

test('a file that holds no key is an error', () => {
  const yaml = `${CONTRACT}issuers: { a: { key: ./key.pem }, b: { path: /b, url: "http://b", jwks: ./key.pem } }`
  const { report } = loadFiles({ 'gateway.yaml': yaml, 'key.pem': 'nothing' })
  assert.deepEqual(
    report.list.map(({ message }) => message),
    ['./key.pem holds no private key of the curve P-256', './key.pem is not a JWK set'],
  )
})

test('a security scheme may be called client', () => {
  const contract = CONTRACT.replace('bearer: { type', 'client: { type').replace('bearer: []', 'client: []')
  const { report } = load(`${contract}issuers: { a: {} }\nconsumers: { x: { client: text } }`)
  assert.deepEqual(report.list, [])
})

test('a secret whose variable is not set is an error', () => {
  const { report } = load(
    `${CONTRACT}issuers: { a: {} }\n${CONSUMERS.replace('secret: shop-secret', 'secret: "${SHOP_SECRET}"')}`,
  )
  assert.deepEqual(
    report.list.map(({ code }) => code),
    ['missing-variable'],
  )
})
