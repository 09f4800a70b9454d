import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Effect } from '../../../src/gateway/state/changes.ts'
import { NetInverse } from '../../../src/gateway/state/net-inverse.ts'

/** The effects that lead back, of inverses in the order of their changes. */
function netOf(inverses: readonly Effect[], permanent = true): readonly Effect[] {
  const net = new NetInverse(permanent)
  for (const inverse of inverses) net.add(inverse)
  return [...net.effects()]
}

const row = (id: number, text: string | null, revision: number): Effect => [
  'in',
  'pets',
  ['row', id, text, 0, revision, [revision, 1, 0]],
]
const hits = (count: number): Effect => ['kept', 'hits', 'rule', '', count]

test('the oldest inverse of each thing decides', () => {
  const net = netOf([
    row(1, 'a', 1),
    hits(0),
    ['clock', null],
    row(1, 'b', 2),
    row(2, null, 3),
    hits(1),
    ['clock', [0, 0, 1]],
    ['in', 'pets', ['timer', 1, null]],
    ['in', 'pets', ['timer', 1, ['open', 1, null, null]]],
    ['ordinal', 'listPets', -2],
    ['ordinal', 'addPet', -1],
    ['ordinal', 'addPet', 1],
    ['weather', null, null],
    ['weather', 'storm', null],
    ['answer', 'a1', null],
    ['answer', 'a1', ['reply', 1, 0, 0, null]],
  ])
  assert.deepEqual(net, [
    [
      'in',
      'pets',
      [
        'rows',
        [
          ['row', 1, 'a', 0, 1],
          ['row', 2, null, 0, 3, [1, 1, 0]],
        ],
      ],
    ],
    ['in', 'pets', ['timer', 1, null]],
    hits(0),
    ['clock', null],
    ['weather', null, null],
    ['answer', 'a1', null],
    ['ordinal', 'listPets', -2],
  ])
})

test('a replaced collection or world needs no newer inverse, and older ones follow it', () => {
  const all: Effect = ['in', 'pets', ['all', () => ({ whole: true, rows: [], gone: [], counters: [0, 1, 0] })]]
  assert.deepEqual(netOf([row(1, 'a', 1), all, row(2, 'b', 2), all]), [
    all,
    ['in', 'pets', ['rows', [['row', 1, 'a', 0, 1, [1, 1, 0]]]]],
  ])
  const put: Effect = ['put', () => assert.fail()]
  assert.deepEqual(netOf([row(1, 'a', 1), put, hits(1), ['deleted'], put]), [
    put,
    ['in', 'pets', ['rows', [['row', 1, 'a', 0, 1, [1, 1, 0]]]]],
  ])
})

test('only a world that can be deleted is deleted', () => {
  assert.deepEqual(netOf([hits(0), ['deleted'], hits(1)], false), [['deleted'], hits(0)])
  assert.deepEqual(netOf([['deleted'], hits(1)], true), [hits(1)])
})
