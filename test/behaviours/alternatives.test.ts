import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countAlternatives } from '../../src/behaviours/validate/readings.ts'
import { size } from '../support/cases.ts'
import { inProcess } from '../support/in-process.ts'

const closed = (i: number) => ({
  type: 'object',
  properties: { [`k${i}`]: { type: 'string' } },
  required: [`k${i}`],
  additionalProperties: false,
})
const union = (n: number) => ({ anyOf: Array.from({ length: n }, (_, i) => closed(i)) })
const operation = (schema: object) => ({
  requestBody: { required: true, content: { 'application/json': { schema } } },
  responses: { 204: { description: 'Taken' } },
})
const CONTRACT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Unions', version: '1' },
  paths: {
    '/one': { post: operation(union(60)) },
    '/many': { post: operation({ type: 'array', items: union(60) }) },
    '/patterns': {
      post: operation({
        type: 'object',
        patternProperties: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`^p${i}`, { type: 'string' }])),
        additionalProperties: false,
      }),
    },
    '/few': { post: operation({ type: 'array', items: union(3) }) },
  },
})
const { send } = inProcess({ 'unions.json': CONTRACT })

/** More than the bound takes. */
const LARGE = size(10_000, 45_000)
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 1]))
const items = (count: number) => Array.from({ length: count }, () => ({ k1: 'a' }))

for (const [path, body, reason] of [
  ['/one', keys(LARGE), 'has more than 8333 values, which is too much to compare with 60 alternatives'],
  ['/many', items(LARGE), 'has more than 8333 values, which is too much to compare with 60 alternatives'],
  ['/patterns', keys(LARGE), 'has more than 8333 values, which is too much to compare with 60 alternatives'],
  ['/one', keys(size(3000, 5000)), 'must match one of 60 alternatives; the closest is alternative 1'],
  ['/many', items(size(2500, 4000)), undefined],
  ['/few', items(LARGE), undefined],
] as const) {
  const count = Array.isArray(body) ? body.length : Object.keys(body).length
  test(`${count} values at ${path}: ${reason ?? 'valid'}`, async () => {
    const reply = await send(`POST ${path}`, body)
    assert.equal(reply.status, reason === undefined ? 204 : 400)
    if (reason !== undefined) assert.ok(JSON.stringify(reply.body).includes(reason), JSON.stringify(reply.body))
  })
}

test('alternatives within alternatives multiply, and a cycle counts once', () => {
  const both = { a: { anyOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] }, b: union(10) }
  assert.equal(countAlternatives('a', both), 20)
  assert.equal(countAlternatives('a', { a: { oneOf: [{ $ref: '#/$defs/a' }, { type: 'string' }] } }), 2)
  assert.equal(countAlternatives('a', { a: { properties: { x: { items: { $ref: '#/$defs/b' } } } }, b: union(7) }), 7)
  assert.equal(countAlternatives('a', { a: { type: 'string' } }), 1)
  assert.equal(countAlternatives('a', { a: true }), 1)
})
