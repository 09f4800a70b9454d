import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDuration, parseRate, parseSize } from '../../src/kernel/units.ts'

for (const [text, milliseconds] of [
  ['250ms', 250],
  ['1.5s', 1500],
  ['5 m', 300_000],
  ['2h', 7_200_000],
  ['30d', 2_592_000_000],
  ['36500d', 3_153_600_000_000],
  ['36501d', undefined],
  ['99999999999999999999d', undefined],
  ['250', undefined],
  ['ms', undefined],
  ['-1s', undefined],
  ['1 s ', undefined],
  ['1w', undefined],
  ['1S', undefined],
  ['1constructor', undefined],
  ['', undefined],
] as const) {
  test(`${JSON.stringify(text)} is ${milliseconds === undefined ? 'not a duration' : `${milliseconds} milliseconds`}`, () => {
    assert.equal(parseDuration(text), milliseconds)
  })
}

for (const [text, bytes] of [
  ['512B', 512],
  ['64kB', 64_000],
  ['1.5MB', 1_500_000],
  ['2GB', 2_000_000_000],
  ['1KiB', 1024],
  ['1MiB', 1_048_576],
  ['1.5B', 1],
  ['1', undefined],
  ['1mb', undefined],
  ['1toString', undefined],
] as const) {
  test(`${JSON.stringify(text)} is ${bytes === undefined ? 'not a size' : `${bytes} bytes`}`, () => {
    assert.equal(parseSize(text), bytes)
  })
}

test('the window of a rate is at most a hundred years', () => {
  assert.deepEqual(parseRate('5/36500d'), { count: 5, window: 3_153_600_000_000 })
  assert.equal(parseRate('5/36501d'), undefined)
})
