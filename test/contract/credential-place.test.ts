import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { carryCredentials } from '../../src/contract/security.ts'
import { loadFiles } from '../support/in-process.ts'

const { plan } = loadFiles({
  'openapi.yaml': `
openapi: 3.1.0
info: { title: T, version: "1" }
paths: {}
components:
  securitySchemes:
    basic: { type: http, scheme: basic }
    digest: { type: http, scheme: DIGEST }
    oauth: { type: oauth2, flows: {} }
    connect: { type: openIdConnect, openIdConnectUrl: https://example.com }
    session: { type: apiKey, in: cookie, name: session }
    csrf: { type: apiKey, in: cookie, name: csrf }
    query: { type: apiKey, in: query, name: key }
    header: { type: apiKey, in: header, name: X-Key }
    unknown: { type: magic }
`,
})
const schemeOf = (name: string) => plan?.contract.securitySchemes.get(name) ?? { in: 'nowhere' as const }

test('each scheme has its credential in its own place, and two cookies share a field', () => {
  const given = [
    ...([
      ['basic', 'ann:secret'],
      ['session', 'a;b'],
      ['csrf', 'c'],
      ['query', 'd e'],
      ['header', 'f'],
    ] as const),
    ...([
      ['unknown', 'g'],
      ['missing', 'h'],
    ] as const),
  ].map(([name, key]) => [schemeOf(name), key] as const)
  deepEqual(carryCredentials([...given, [{ in: 'certificate' }, 'CN=ann']]), {
    headers: { authorization: 'Basic YW5uOnNlY3JldA==', 'x-key': 'f', cookie: 'session=a%3Bb; csrf=c' },
    query: [['key', 'd e']],
    subject: 'CN=ann',
  })
})

test('OAuth and OpenID Connect are Bearer with scopes, and other schemes keep their word', () => {
  deepEqual(['oauth', 'connect', 'digest'].map(schemeOf), [
    { in: 'authorization', word: 'Bearer', scoped: true },
    { in: 'authorization', word: 'Bearer', scoped: true },
    { in: 'authorization', word: 'Digest', scoped: false },
  ])
})
