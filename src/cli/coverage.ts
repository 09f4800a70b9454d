// `understudy coverage`.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  COVERAGE_FORMATS,
  type CoverageFormat,
  type CoverageReport,
  formatCoverage,
  mergeReports,
} from '../gateway/coverage/report.ts'
import { readControlPlane } from '../http/control-client.ts'
import { isObject } from '../kernel/json.ts'
import { attempted } from '../kernel/memo.ts'
import { type Command, mustBe, oneOf } from './command.ts'

const DEFAULT_ORIGIN = 'http://127.0.0.1:4011'

export const coverage: Command = {
  about: 'print the parts of the contract that requests have touched; exit 1 below --min',
  options: {
    from: {
      takes: 'URL',
      about: `control plane of a running gateway (default: ${DEFAULT_ORIGIN}; none with --merge)`,
      fault: mustBe('a URL', text => /^https?:/.test(text) && URL.canParse(text)),
    },
    merge: { takes: 'FILE', many: true, about: 'a report of another run, as --format json writes it; may be repeated' },
    min: {
      takes: 'PERCENT',
      variable: 'UNDERSTUDY_COVERAGE_MIN',
      about: 'the percentage to reach',
      fault: mustBe('a number from 0 to 100', text => /^\d+(?:\.\d+)?$/.test(text) && Number(text) <= 100),
    },
    format: {
      takes: 'FORMAT',
      variable: 'UNDERSTUDY_COVERAGE_FORMAT',
      about: 'text, json, lcov or markdown (default: text)',
      fault: oneOf(COVERAGE_FORMATS),
    },
  },
  async run({ file, values, lists }, { home, environment, print, complain }) {
    // A shell gives `--merge run-*.json` several files.
    const files = [...(lists.merge ?? []), ...(file === '' ? [] : [file])]
    const origin = values.from ?? (files.length === 0 ? DEFAULT_ORIGIN : undefined)
    const token = environment.UNDERSTUDY_CONTROL_TOKEN || undefined
    const answer = origin === undefined ? [] : [[origin, await readControlPlane(origin, '/coverage', token)] as const]
    const texts = files.map(name => {
      const text = attempted(() => readFileSync(resolve(home, name), 'utf8'))
      return [name, text === undefined ? { fault: `${name} cannot be read` } : { text }] as const
    })
    const reports: CoverageReport[] = []
    let isWhole = true
    for (const [name, read] of [...answer, ...texts]) {
      const value = 'fault' in read ? undefined : (attempted(() => JSON.parse(read.text)) as unknown)
      if (isReport(value)) reports.push(value)
      else {
        isWhole = false
        const wrong = `${name} is not a coverage report; write one with \`understudy coverage --format json\``
        complain(`understudy: ${'fault' in read ? read.fault : wrong}\n`)
      }
    }
    if (!isWhole) return 1
    const report = mergeReports(reports)
    print(formatCoverage(report, (values.format ?? 'text') as CoverageFormat))
    const { min = '0' } = values
    if (report.total === 0 || (report.seen / report.total) * 100 >= Number(min)) return 0
    const missed = report.total - report.seen
    complain(`understudy: ${report.percent} % is below ${min} %; ${missed} parts were never touched\n`)
    return 1
  },
}

const isReport = (value: unknown): value is CoverageReport & Record<string, unknown> =>
  isObject(value) &&
  Array.isArray(value.operations) &&
  value.operations.every(one => isObject(one) && Array.isArray(one.items) && one.items.every(isObject))
