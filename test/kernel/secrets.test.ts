import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSecretName } from '../../src/kernel/secrets.ts'

test('names of credentials are told from names that tell about them, by their place', () => {
  const secret =
    'password x-api-key ssn bearer cookie mfaCode connectionString salt accessToken client_secret sessionId'
  for (const name of secret.split(' ')) assert.ok(isSecretName(name), name)
  const open = 'id key code auth session sid author max_tokens token_type tokenUrl expires_in secretary hash publicKey'
  for (const name of open.split(' ')) assert.ok(!isSecretName(name), name)
  const headers = 'authentication authentication-info ocp-apim-subscription-key dpop x-pin x-functions-key'
  for (const name of headers.split(' ')) assert.ok(isSecretName(name, 'header'), name)
  const plain = 'idempotency-key surrogate-key www-authenticate etag x-request-id access-control-allow-credentials'
  for (const name of plain.split(' ')) assert.ok(!isSecretName(name, 'header'), name)
  for (const name of ['auth', 'session', 'sid']) assert.ok(isSecretName(name, 'query'), name)
})
