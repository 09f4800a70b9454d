import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sampler } from '../../src/sample/sample.ts'

const time = { type: 'string', format: 'date-time' }
const number = { type: 'integer', minimum: 0, maximum: 1000 }

/** Objects with these properties, from a hundred seeds. */
function objectsWith(properties: Readonly<Record<string, object>>): Record<string, never>[] {
  const sampler = new Sampler({ it: { type: 'object', required: Object.keys(properties), properties } } as never)
  return Array.from({ length: 100 }, (_, seed) => sampler.sample('it', { seed }).value as Record<string, never>)
}

const pairs: readonly (readonly [low: string, high: string, schema: object])[] = [
  ['departure_time', 'arrival_time', time],
  ['issuedAt', 'dueAt', time],
  ['startDate', 'endDate', { type: 'string', format: 'date' }],
  ['created_at', 'updated_at', time],
  ['validFrom', 'validUntil', time],
  ['check-in', 'check-out', { type: 'string', format: 'date' }],
  ['priceMin', 'priceMax', number],
  ['from', 'to', number],
]
for (const [low, high, schema] of pairs) {
  test(`${low} is never after ${high}`, () => {
    const objects = objectsWith({ [high]: schema, [low]: schema })
    assert.ok(objects.every(one => one[low]! <= one[high]!))
    assert.ok(objects.some(one => one[low] !== one[high]))
  })
}

test('a time of a pair is on the day of the other, and a date in the month', () => {
  const date = { type: 'string', format: 'date' }
  const objects = objectsWith({ departs: time, arrives: time, startDate: date, endDate: date })
  const near = objects.filter(one => String(one.departs).slice(0, 10) === String(one.arrives).slice(0, 10))
  assert.equal(near.length, objects.length)
  const close = objects.filter(one => String(one.startDate).slice(0, 7) === String(one.endDate).slice(0, 7))
  assert.ok(close.length > 80)
})

test('a pair keeps the bounds and the examples of its schemas', () => {
  for (const one of objectsWith({ min: { ...number, minimum: 500 }, max: { ...number, maximum: 400 } })) {
    assert.ok(one.min! >= 500 && one.max! <= 400)
  }
  for (const one of objectsWith({ start: { ...time, examples: ['2024-01-01T00:00:00Z'] }, end: time })) {
    assert.equal(one.start, '2024-01-01T00:00:00Z')
    assert.ok(one.end! >= one.start)
  }
})

test('a time that is not an example is moved, though its property has one', () => {
  const shown = { ...time, example: '2025-01-01T00:00:00Z' }
  for (const one of objectsWith({ createdAt: shown, expiresAt: shown }))
    assert.ok(String(one.createdAt) <= String(one.expiresAt), JSON.stringify(one))
})

for (const names of [
  ['opened_at', 'closed_at', 'created_at'],
  ['shipped_at', 'delivered_at', 'ordered_at'],
  ['delivered_at', 'shipped_at', 'ordered_at'],
]) {
  test(`three times are in order: ${names.join(', ')}`, () => {
    for (const made of objectsWith(Object.fromEntries(names.map(name => [name, time])))) {
      const { opened_at, closed_at, created_at, ordered_at, shipped_at, delivered_at } = made as Record<string, string>
      const inOrder: (readonly [string | undefined, string | undefined])[] = [
        [created_at, closed_at],
        [opened_at, closed_at],
        [ordered_at, shipped_at],
        [shipped_at, delivered_at],
      ]
      for (const [low = '', high = ''] of inOrder) assert.ok(low <= high, JSON.stringify(made))
    }
  })
}
