// The differences of an operation that its callers may notice although their requests stay valid.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ContractChanges } from '../../../src/wings/next/changes.ts'
import { loadFiles } from '../../support/in-process.ts'

const document = (more: object, components: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'Pets.', ...more } } } } },
  components: {
    schemas: { Cat: CAT, Dog: { type: 'object', properties: { bark: { type: 'string' } } }, ...components },
  },
})
const CAT = { type: 'object', properties: { purr: { type: 'string' }, friend: { $ref: '#/components/schemas/Cat' } } }
const body = (schema: object, type = 'application/json') => ({ content: { [type]: { schema } } })
const cat = { $ref: '#/components/schemas/Cat' }
const dog = { $ref: '#/components/schemas/Dog' }

const contractOf = (from: object) => {
  const { plan } = loadFiles({ 'openapi.json': JSON.stringify(from) })
  assert.ok(plan)
  return plan.contract
}

function changesOf(now: object, next: object): string[] {
  const [before, after] = [contractOf(now), contractOf(next)]
  const [from, into] = [before.operations[0], after.operations[0]]
  assert.ok(from && into)
  return new ContractChanges(before, after).compare(from, into).map(({ part, reason }) => `${part}: ${reason}`)
}

const JSON_REPLY = '200 application/json'

test('a new alternative of a reply may be received, and one that is gone is not', () => {
  const [one, both] = [{ oneOf: [cat] }, { oneOf: [cat, dog] }].map(schema => document(body(schema)))
  assert.deepEqual(changesOf(one as object, both as object), [`${JSON_REPLY}: the reply 200 may be Dog`])
  assert.deepEqual(changesOf(both as object, one as object), [])
  assert.deepEqual(changesOf(document(body(cat)), both as object), [`${JSON_REPLY}: the reply 200 may be Dog`])
  assert.deepEqual(changesOf(document(body(cat)), document(body({ anyOf: [cat, { type: 'null' }] }))), [
    `${JSON_REPLY}: the reply 200 may be null`,
  ])
})

test('an alternative is compared with the one of its name', () => {
  const union = body({ type: 'array', items: { anyOf: [cat, dog] } })
  const after = document(union, { Dog: { type: 'object', properties: { bark: { type: 'integer' } } } })
  assert.deepEqual(changesOf(document(union), after), [
    `${JSON_REPLY}: /*/bark of the reply 200 changes its type to integer`,
  ])
})

test('a schema that contains itself is compared once', () => {
  const after = document(body(cat), { Cat: { type: 'object', properties: { friend: cat } } })
  assert.deepEqual(changesOf(document(body(cat)), after), [`${JSON_REPLY}: /purr of the reply 200 is gone`])
})

test('media types and headers of a reply are parts of it', () => {
  const headers = { ETag: { required: true, schema: { type: 'string' } }, 'X-Total': { schema: { type: 'integer' } } }
  const now = document({ headers, content: { 'application/json': {}, 'text/csv': {} } })
  const next = document({ headers: { etag: { schema: { type: 'integer' } } }, content: { 'application/json': {} } })
  assert.deepEqual(changesOf(now, next), [
    '200 text/csv: the reply 200 is never text/csv',
    '200 header etag: the header ETag of the reply 200 may be absent',
    '200 header etag: the header ETag of the reply 200 changes its type to integer',
    '200 header x-total: the header X-Total of the reply 200 is gone',
  ])
  assert.deepEqual(changesOf(now, document({ headers, content: { '*/*': {} } })), [])
})
