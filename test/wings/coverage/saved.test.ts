import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type CoverageReport, mergeReports, reportOf } from '../../../src/wings/coverage/report.ts'
import { saveReport } from '../../../src/wings/coverage/saved.ts'

const reportWith = (seen: string): CoverageReport =>
  reportOf('Things', [
    {
      operation: 'listThings',
      method: 'GET',
      path: '/things',
      requests: 1,
      items: ['200', '404'].map(name => ({ kind: 'status', name, file: 'a.yaml', line: 1, seen: name === seen })),
    },
  ])

test('the reports of several processes are saved as one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  const file = join(folder, 'results/coverage.json')
  const reports = [reportWith('200'), reportWith('404'), reportWith('404')]
  for (const [i, report] of reports.entries()) {
    saveReport(report, file)
    const { operations, ...totals } = JSON.parse(readFileSync(file, 'utf8')) as CoverageReport
    const merged = mergeReports(reports.slice(0, i + 1))
    assert.deepEqual([totals.seen, operations[0]?.requests], [merged.seen, i + 1])
  }
  rmSync(folder, { recursive: true })
})
