// A reply may have thousands of fields that its contract lacks. The work grows with their number, not with its square.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Contract } from '../../../src/contract/contract.ts'
import type { Plan, PlannedOperation } from '../../../src/plan/plan.ts'
import { differencesOf, FoundDifferences, type ReplyDifference } from '../../../src/wings/project/differences.ts'
import { loadFiles } from '../../support/in-process.ts'

const { plan } = loadFiles({
  'gateway.yaml': `
contract:
  openapi: 3.1.0
  info: { title: Books, version: '1' }
  paths:
    /books:
      get:
        operationId: listBooks
        responses:
          '200':
            description: All
            content:
              application/json:
                schema:
                  type: object
                  properties:
                    title: { type: string }
                    note: { type: string, writeOnly: true }
                    books: { type: array, items: { type: object, properties: { title: { type: string } } } }
                    labels: { type: object, properties: { a: {} }, additionalProperties: false }
`,
}) as { plan: Plan }
const { operation } = plan.operations[0] as PlannedOperation
const REQUEST = { method: 'GET', path: '/books', query: '' }
const HEADERS = { 'content-type': 'application/json' }

const compare = (value: object, contract: Contract = plan.contract): ReplyDifference[] =>
  differencesOf(operation, REQUEST, { status: 200, headers: HEADERS, body: JSON.stringify(value) }, contract)

/** Returns an object with this number of fields. */
const fieldsOf = (count: number, prefix = 'field'): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, i]))

test('each place of a difference is read once, however many there are', () => {
  let reads = 0
  const found = new FoundDifferences()
  for (let i = 0; i < 2000; i++) {
    found.add({
      kind: 'undocumented-field',
      node: operation.node,
      get where() {
        reads += 1
        return `/field${i % 1000}`
      },
      contract: 'no such field',
      upstream: 'number',
    })
  }
  assert.equal(found.list.length, 1000)
  assert.equal(reads, 2000)
})

test('fields that all items of a list have are looked up in the contract once', () => {
  let lookups = 0
  const counted = new Proxy(plan.contract, {
    get(target, name: keyof Contract) {
      if (name === 'resolve' || name === 'shapeOf') lookups += 1
      return target[name]
    },
  })
  const differences = compare({ books: Array.from({ length: 100 }, () => fieldsOf(200)) }, counted)
  assert.equal(differences.length, 200)
  assert.ok(lookups < 300, `${lookups} lookups`)
})

test('the first 2,000 further fields of a reply are reported', () => {
  const differences = compare({ books: [fieldsOf(1500, 'x'), fieldsOf(1500, 'y')], ...fieldsOf(5000) })
  assert.equal(differences.length, 2000)
  assert.deepEqual([differences[0]?.where, differences.at(-1)?.where], ['/books/*/x0', '/books/*/y499'])
})

test('a further field is reported at its place, with its kind, and once', () => {
  const value = { note: 'a', other: null, 'a/b': [1], books: [{ x: 1 }, { x: 'a', y: {} }], labels: { b: 1 } }
  const differences = compare(value).map(({ kind, where, below = [], upstream }) => [kind, where, below, upstream])
  assert.deepEqual(differences, [
    ['forbidden-field', '/labels/b', ['b'], 'number'],
    ['forbidden-field', '/note', [], 'string'],
    ['undocumented-field', '/other', ['other'], 'null'],
    ['undocumented-field', '/a~1b', ['a/b'], 'array'],
    ['undocumented-field', '/books/*/x', ['x'], 'number'],
    ['undocumented-field', '/books/*/y', ['y'], 'object'],
  ])
})
