import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDecodable, PathTable } from '../../src/contract/paths.ts'

const table = new PathTable<string>()
const TEMPLATES = [
  '/pets',
  '/pets/{id}',
  '/pets/mine',
  '/pets/{id}/toys/{toy}',
  '/files/{name}.{format}',
  '/from-{a}-to-{b}',
  '/jobs:run',
  '/jobs/{id}:cancel',
  '/star/*',
  '/caf%C3%A9',
  '/a b',
]
for (const template of TEMPLATES) assert.equal(table.add('GET', template, template), 'added')

for (const [path, template, segments] of [
  ['/pets', '/pets', []],
  ['/pets/1', '/pets/{id}', ['1']],
  ['/pets/mine', '/pets/mine', []],
  ['/pets/min', '/pets/{id}', ['min']],
  ['/pets/a%2Fb', '/pets/{id}', ['a/b']],
  ['/pets/%7Bid%7D', '/pets/{id}', ['{id}']],
  ['/pets/a%20b/toys/%C3%A9', '/pets/{id}/toys/{toy}', ['a b', 'é']],
  ['/files/a.pdf', '/files/{name}.{format}', ['a', 'pdf']],
  ['/files/a.tar.gz', '/files/{name}.{format}', ['a', 'tar.gz']],
  ['/from-x-to-y', '/from-{a}-to-{b}', ['x', 'y']],
  ['/jobs:run', '/jobs:run', []],
  ['/jobs/7:cancel', '/jobs/{id}:cancel', ['7']],
  ['/star/*', '/star/*', []],
  ['/caf%C3%A9', '/caf%C3%A9', []],
  ['/a%20b', '/a b', []],
  ['/pets/', undefined, []],
  ['/pets/1/', undefined, []],
  ['//pets', undefined, []],
  ['/Pets', undefined, []],
  ['/files/a', undefined, []],
  ['/files/.pdf', undefined, []],
  ['/jobs/:cancel', undefined, []],
  ['/star/x', undefined, []],
  ['/jobsXrun', undefined, []],
  ['', undefined, []],
  ['*', undefined, []],
] as const) {
  test(`${path || 'an empty path'} is ${template ?? 'not a path'}${segments.length > 0 ? ` with ${segments.join(' and ')}` : ''}`, () => {
    const found = table.find('GET', path)
    assert.equal(found?.target, template)
    assert.deepEqual(found?.segments ?? [], segments)
  })
}

test('a broken percent-encoding matches its path and is marked as broken', () => {
  const found = table.find('GET', '/pets/%zz')
  assert.equal(found?.target, '/pets/{id}')
  assert.equal(found?.broken, true)
  assert.equal(isDecodable('/pets/%zz'), false)
  assert.equal(isDecodable('/pets/%ff'), false)
  assert.equal(isDecodable('/pets/%41'), true)
})

test('an equal template is not added twice for a method', () => {
  assert.equal(table.add('GET', '/pets/{other}', 'x'), 'taken')
  assert.equal(table.add('POST', '/pets/{other}', 'x'), 'added')
  assert.deepEqual(table.methodsOf('/pets/1'), ['GET', 'POST'])
  assert.deepEqual(table.methodsOf('/nowhere'), [])
})

test('a path without expressions has the methods of its template alone', () => {
  const concrete = new PathTable<string>()
  for (const [method, template] of [
    ['GET', '/a/feed'],
    ['GET', '/a/{slug}'],
    ['DELETE', '/a/{slug}'],
    ['PATCH', '/a/{slug}.json'],
    ['DELETE', '/a/{slug}/parts'],
  ] as const)
    assert.equal(concrete.add(method, template, template), 'added')
  assert.deepEqual(concrete.methodsOf('/a/feed'), ['GET'])
  assert.equal(concrete.find('DELETE', '/a/feed'), undefined)
  assert.equal(concrete.find('DELETE', '/a/fe%65d'), undefined)
  assert.deepEqual(concrete.methodsOf('/a/other'), ['GET', 'DELETE'])
  assert.deepEqual(concrete.methodsOf('/a/feed.json'), ['GET', 'DELETE', 'PATCH'])
  assert.deepEqual(concrete.methodsOf('/a/feed/parts'), ['DELETE'])
  // A template that is added later overreaches too.
  assert.equal(concrete.add('PUT', '/a/{slug}', 'late'), 'added')
  assert.equal(concrete.find('PUT', '/a/feed'), undefined)
  assert.equal(concrete.find('PUT', '/a/other')?.target, 'late')
})
