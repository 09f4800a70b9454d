import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePlace, writePlace } from '../../src/console/model/place.ts'

test('a place in the console is written into the URL and read back', () => {
  const place = { view: 'live', parameters: { world: 'checkout', status: '5xx,0', path: '/v1/pets?a=b&c' } }
  const url = writePlace(place)
  assert.equal(url, '#/live?path=%2Fv1%2Fpets%3Fa%3Db%26c&status=5xx%2C0&world=checkout')
  assert.deepEqual(parsePlace(url), place)
})

test('the same place has one URL: parameters are sorted, and empty ones are left out', () => {
  assert.equal(writePlace({ view: 'live', parameters: { b: '2', a: '1', c: '', d: undefined } }), '#/live?a=1&b=2')
  assert.equal(writePlace({ view: 'operations', parameters: {} }), '#/operations')
})

test('a URL without a view or with invalid parameters is parsed, too', () => {
  assert.deepEqual(parsePlace(''), { view: '', parameters: {} })
  assert.deepEqual(parsePlace('#/'), { view: '', parameters: {} })
  assert.deepEqual(parsePlace('#live/more?%zz'), { view: 'live', parameters: { '%zz': '' } })
})
