import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptied, presetsOf } from '../../src/console/answers/answer-presets.ts'

const reply = (status: string, sample?: object) => ({
  status,
  description: '',
  content: [{ type: 'application/json', examples: [], ...(sample === undefined ? {} : { sample: sample as never }) }],
})
const titles = (...responses: ReturnType<typeof reply>[]): string[] =>
  presetsOf({ responses }).map(({ title }) => title)

test('an operation that returns a list has a preset for an empty list', () => {
  assert.deepEqual(titles(reply('200', [{ id: 1 }])), [
    'An empty list',
    'A server error',
    'A slow reply',
    'No connection',
  ])
  assert.equal(titles(reply('200', { id: 1 }), reply('404', ['x'])).includes('An empty list'), false)
  assert.equal(presetsOf(undefined).length, 3)
})

test('an empty page has empty lists, zero counts and no next page', () => {
  const page = { object: 'list', data: [{ id: 1 }], total_count: 9, has_more: true, url: '/v1/things' }
  assert.deepEqual(emptied(page), { object: 'list', data: [], total_count: 0, has_more: false, url: '/v1/things' })
  assert.deepEqual(emptied([1, 2]), [])
  assert.equal(emptied({ id: 1 }), undefined)
  assert.equal(emptied('text'), undefined)
})
