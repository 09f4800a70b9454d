import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { SecurityScheme } from '../../src/contract/contract.ts'
import { carryCredentials, placeOf } from '../../src/contract/credential-place.ts'

const schemes: readonly (readonly [SecurityScheme | undefined, string])[] = [
  [{ type: 'http', scheme: 'basic' }, 'ann:secret'],
  [{ type: 'apiKey', in: 'cookie', name: 'session' }, 'a;b'],
  [{ type: 'apiKey', in: 'cookie', name: 'csrf' }, 'c'],
  [{ type: 'apiKey', in: 'query', name: 'key' }, 'd e'],
  [{ type: 'apiKey', in: 'header', name: 'x-key' }, 'f'],
  [{ type: 'mutualTLS' }, 'CN=ann'],
  [{ type: 'other' }, 'g'],
  [undefined, 'h'],
]

test('each scheme has its credential in its own place, and two cookies share a field', () => {
  deepEqual(carryCredentials(schemes.map(([scheme, key]) => [placeOf(scheme), key])), {
    headers: { authorization: 'Basic YW5uOnNlY3JldA==', 'x-key': 'f', cookie: 'session=a%3Bb; csrf=c' },
    query: [['key', 'd e']],
    subject: 'CN=ann',
  })
})

test('OAuth and OpenID Connect are Bearer, and other schemes keep their word', () => {
  const words = (['oauth2', 'openIdConnect'] as const).map(type => placeOf({ type }))
  deepEqual(words, [
    { in: 'authorization', word: 'Bearer' },
    { in: 'authorization', word: 'Bearer' },
  ])
  deepEqual(placeOf({ type: 'http', scheme: 'digest' }), { in: 'authorization', word: 'Digest' })
})
