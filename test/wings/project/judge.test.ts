// The one judge of replies, seen where it judges fixed replies and where it compares those of a real API.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { mistakesOf } from '../../../src/contract/judge.ts'
import { differencesOf } from '../../../src/wings/project/differences.ts'
import { inProcess } from '../../support/in-process.ts'
import { documentOf, object, string } from '../../support/small-document.ts'

const schema = object({ name: string, pin: { ...string, writeOnly: true } }, { required: ['name'] })
const headers = { 'X-Trace': { required: true, schema: string } }
const responses = { 200: { description: 'Fine', headers, content: { 'application/json': { schema } } } }
const { gateway } = inProcess({
  'openapi.yaml': stringify(documentOf({ '/me': { get: { operationId: 'me', responses } } }, {})),
})
const [operation] = gateway.plan.contract.operations
const JSON_AND_TRACE = { 'content-type': 'application/json', 'x-trace': 'a' }

for (const [what, status, fields, body, ...codes] of [
  ['a reply in contract', 200, JSON_AND_TRACE, '{"name":"Ada"}'],
  ['another status', 201, JSON_AND_TRACE, '{"name":"Ada"}', 'undocumented-status'],
  ['no header and no body', 200, {}, undefined, 'missing-header', 'missing-body'],
  ['an empty body', 200, JSON_AND_TRACE, '', 'missing-body'],
  ['another media type', 200, { ...JSON_AND_TRACE, 'content-type': 'text/html' }, 'Ada', 'undocumented-type'],
  [
    'another charset',
    200,
    { ...JSON_AND_TRACE, 'content-type': 'application/json; charset=latin1' },
    '{"name":"Ada"}',
    'wrong-encoding',
  ],
  ['half a body', 200, JSON_AND_TRACE, '{"name":', 'unreadable-body'],
  ['a body without a field', 200, JSON_AND_TRACE, '{}', 'missing-field'],
  ['a writeOnly field', 200, JSON_AND_TRACE, '{"name":"Ada","pin":"1"}', 'forbidden-field'],
] as const) {
  test(`${what} has the same mistakes for the gateway and for a real API`, () => {
    assert.ok(operation)
    const reply = { status, headers: fields as Record<string, string>, body }
    const asked = { method: 'GET', path: '/me', query: '', headers: {} }
    const found = differencesOf(operation, asked as never, reply, gateway.plan.contract).map(({ kind }) => kind)
    assert.deepEqual(found, codes)
    const finer = [...mistakesOf(operation, reply)].map(({ code }) =>
      code === 'invalid-body' ? 'missing-field' : code,
    )
    assert.deepEqual(finer, codes)
  })
}
