// The parts of the worlds view that need no page: times, names, columns and pages of records.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SchemaPart } from '../../src/console/editor/schema-path.ts'
import { momentTyped, writeDistance, writeMoment } from '../../src/console/model/wording.ts'
import { blankAt, cellText, columnsOf, idIn, PAGE, recordPages } from '../../src/console/worlds/record-table.ts'
import { snapshotName, unusedName } from '../../src/console/worlds/snapshot-file.ts'

test('a time is read in common notations, in UTC', () => {
  assert.equal(momentTyped('2030-12-06'), '2030-12-06')
  assert.equal(momentTyped(' 2030-12-06 09:30 '), '2030-12-06T09:30Z')
  assert.equal(momentTyped('2030-12-06T09:30:15+01:00'), '2030-12-06T09:30:15+01:00')
  assert.equal(momentTyped('+ 30d'), '+30d')
  assert.equal(momentTyped('soon'), 'soon', 'the control plane refuses it')
})

test('times and durations are written in words', () => {
  assert.equal(writeMoment(Date.parse('2030-12-05')), '5 Dec 2030')
  assert.equal(writeMoment(Date.parse('2030-12-05T09:05:07Z')), '5 Dec 2030, 09:05:07')
  assert.equal(writeDistance(0), 'now')
  assert.equal(writeDistance(1000), 'in 1 second')
  assert.equal(writeDistance(90 * 60_000), 'in 90 minutes')
  assert.equal(writeDistance(-3 * 86_400_000), '3 days ago')
  assert.equal(writeDistance(4.01 * 365.25 * 86_400_000), 'in 4 years')
})

test('a new world gets an unused name, and a snapshot the name of its world', () => {
  assert.equal(unusedName('checkout', ['default']), 'checkout')
  assert.equal(unusedName('checkout', ['checkout', 'checkout-2']), 'checkout-3')
  assert.equal(unusedName('checkout-2', ['checkout', 'checkout-2']), 'checkout-3')
  assert.equal(snapshotName('a b/c', Date.parse('2026-11-22')), 'a_b_c-2026-11-22.snapshot.json')
})

test('the column of the id is first, and texts are before lists', () => {
  const properties = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(name => [name, { type: 'array', items: { type: 'string' } }]),
  )
  const schema = { required: ['id'], properties: { ...properties, name: { type: 'string' }, id: { type: 'integer' } } }
  const columns = columnsOf(schema, 'id')
  assert.equal(columns.length, 8)
  assert.equal(columns[0]?.name, 'id')
  assert.ok(columns.some(({ name }) => name === 'name'))
  assert.deepEqual(
    columnsOf({}, 'id', { id: 1, free: 'x' }).map(({ name }) => name),
    ['id', 'free'],
    'an open schema has the fields of its records',
  )
})

const ORDER = {
  allOf: [{ $ref: '#/$defs/new' }, { required: ['id'], properties: { id: { type: 'integer', readOnly: true } } }],
  $defs: {
    new: {
      type: 'object',
      required: ['name', 'price', 'size', 'either'],
      properties: {
        name: { type: 'string' },
        price: { $ref: '#/$defs/money' },
        size: { type: 'integer' },
        colour: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        note: { type: 'string' },
        either: { oneOf: [{ type: 'boolean' }, { type: 'string' }] },
      },
    },
    money: { type: 'object', required: ['amount', 'currency'], properties: { currency: { enum: ['EUR', 'USD'] } } },
  },
}

test('a new record begins with the defaults and the required fields, except its id', () => {
  assert.deepEqual(blankAt(ORDER, [], 'id'), {
    ...{ name: '', price: { currency: 'EUR' }, size: null, colour: 'red', either: false },
  })
  assert.deepEqual(blankAt({ required: ['id'], properties: { id: { type: 'string' } } }), { id: '' })
  const tree: SchemaPart = { required: ['child'], properties: { child: { $ref: '#' } } }
  assert.equal(JSON.stringify(blankAt(tree)).match(/child/g)?.length, 5, 'a recursive schema ends')
})

test('the text of a cell is one line', () => {
  assert.equal(cellText({ amount: 1, currency: 'EUR' }), '1 EUR')
  assert.equal(cellText(['a', 'b']), 'a, b')
  assert.equal(cellText([{ a: 1 }, { a: 2 }]), '2 items')
  assert.equal(cellText(null), 'null')
  assert.equal(idIn({ metadata: { name: 'x' } }, 'metadata.name'), 'x')
})

test('only visible pages are loaded, and a refresh shows the old rows until the new ones arrive', async () => {
  const asked: number[] = []
  let version = 1
  const answers: (() => void)[] = []
  let changes = 0
  const pages = recordPages<string>(
    offset =>
      new Promise(resolve => {
        asked.push(offset)
        const rows = Array.from({ length: PAGE }, (_, i) => `${offset + i} v${version}`)
        answers.push(() => resolve({ rows, total: 100_000 }))
      }),
    () => {
      changes += 1
    },
  )
  const settle = async (): Promise<void> => {
    for (const answer of answers.splice(0)) answer()
    await new Promise(resolve => setImmediate(resolve))
  }
  pages.show(0, 30)
  await settle()
  assert.equal(pages.total, 100_000)
  assert.equal(pages.at(7), '7 v1')
  pages.show(49_990, 50_020)
  assert.equal(pages.at(50_000), undefined)
  await settle()
  assert.deepEqual(asked, [0, 49_900, 50_000])
  version = 2
  pages.refresh()
  assert.equal(pages.at(50_000), '50000 v1')
  await settle()
  assert.equal(pages.at(50_000), '50000 v2')
  assert.ok(changes >= 5)
})

test('a page that is no longer visible is dropped, and a failed page is kept', async () => {
  const pages = recordPages<string>(
    async offset => {
      if (offset > 0) throw new Error('refused')
      return { rows: ['x'], total: 1 }
    },
    () => undefined,
  )
  pages.show(0, 10)
  pages.show(500, 510)
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(pages.at(0), undefined)
  assert.equal(pages.error?.message, 'refused')
})
