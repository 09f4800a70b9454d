import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { placeOfFile } from '../../src/kernel/file/source.ts'
import { bytesOfRecords, countSeeds } from '../../src/load/seed/seed-records.ts'

const records = Array.from({ length: 10_000 }, (_, i) => ({ id: i, text: 'x'.repeat(500), tags: [{ name: 'a' }] }))

for (const [limit, admitted, code] of [
  [200e6, true, undefined],
  [40e6, true, 'large-seed'],
  [20e6, false, 'seed-too-large'],
] as const) {
  test(`10,000 records in the gateway file and ${limit / 1e6} MB of memory report ${code ?? 'nothing'}`, () => {
    const report = new Diagnostics()
    const admits = countSeeds(report, limit)
    assert.equal(admits(bytesOfRecords(records), 'those of notes', placeOfFile('gateway.yaml')), admitted)
    assert.equal(report.list[0]?.code, code)
    if (code === undefined) return
    assert.match(report.list[0]?.message ?? '', /^the seeds up to those of notes take about 27 MB/)
    assert.match(report.list[0]?.hint ?? '', /--max-old-space-size=\d+/)
  })
}

test('the records of several resources are added up', () => {
  const report = new Diagnostics()
  const admits = countSeeds(report, 60e6)
  for (const name of ['a', 'b', 'c', 'd']) admits(bytesOfRecords(records), name, placeOfFile('gateway.yaml'))
  assert.deepEqual(
    report.list.map(({ code, message }) => `${code} ${/up to (\w)/.exec(message)?.[1]}`),
    ['large-seed b', 'seed-too-large c', 'seed-too-large d'],
  )
})
