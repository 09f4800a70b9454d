// `understudy coverage`.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CONTROL, type Command, isUrl, mustBe, oneOf } from '../../cli/command.ts'
import { readRunning } from '../../http/control-client.ts'
import { isObject } from '../../kernel/json.ts'
import { attempted } from '../../kernel/memo.ts'
import { COVERAGE_FORMATS, type CoverageFormat, type CoverageReport, formatCoverage, mergeReports } from './report.ts'

export const coverage: Command = {
  about: 'print the parts of the contract that requests have touched; exit 1 below --min',
  options: {
    from: {
      takes: 'URL',
      about: `control plane of a running gateway (default: ${CONTROL}; none with --merge)`,
      fault: mustBe('a URL', isUrl),
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
  async run({ file, values, lists }, program) {
    const { home, print, complain } = program
    // A shell gives `--merge run-*.json` several files.
    const files = [...(lists.merge ?? []), ...(file === '' ? [] : [file])]
    const origin = values.from ?? (files.length === 0 ? CONTROL : undefined)
    const readFile = (name: string) =>
      attempted(() => readFileSync(resolve(home, name), 'utf8')) ??
      void complain(`understudy: ${name} cannot be read\n`)
    const told = origin === undefined ? undefined : await readRunning(origin, '/coverage', program)
    const sources = [...(origin === undefined ? [] : [origin]), ...files]
    const reports = sources.flatMap(name => {
      const text = name === origin ? told : readFile(name)
      const value: unknown = text === undefined ? undefined : attempted(() => JSON.parse(text))
      if (isReport(value)) return [value]
      if (text !== undefined)
        complain(`understudy: ${name} is not a coverage report; write one with \`understudy coverage --format json\`\n`)
      return []
    })
    if (reports.length < sources.length) return 1
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
