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
import { isObject, parseJson } from '../kernel/json.ts'
import { attempted } from '../kernel/memo.ts'
import { type Command, type CommandLine, mustBe, oneOf, type Program } from './command.ts'

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
  async run(line, program) {
    const read = await readReports(line, program)
    const faults = read.flatMap(one => (typeof one === 'string' ? [one] : []))
    for (const fault of faults) program.complain(`understudy: ${fault}\n`)
    if (faults.length > 0) return 1
    const report = mergeReports(read.filter(one => typeof one !== 'string'))
    program.print(formatCoverage(report, (line.values.format ?? 'text') as CoverageFormat))
    const { min = '0' } = line.values
    if (report.total === 0 || (report.seen / report.total) * 100 >= Number(min)) return 0
    const missed = report.total - report.seen
    program.complain(`understudy: ${report.percent} % is below ${min} %; ${missed} parts were never touched\n`)
    return 1
  },
}

/** Returns each report, or the reason why it cannot be read. */
async function readReports({ file, values, lists }: CommandLine, { home, environment }: Program) {
  // A shell gives `--merge run-*.json` several files.
  const files = [...(lists.merge ?? []), ...(file === '' ? [] : [file])]
  const origin = values.from ?? (files.length === 0 ? DEFAULT_ORIGIN : undefined)
  const merged = files.map(name => {
    const text = attempted(() => readFileSync(resolve(home, name), 'utf8'))
    return text === undefined ? `${name} cannot be read` : readReport(text, name)
  })
  if (origin === undefined) return merged
  const read = await readControlPlane(origin, '/coverage', environment.UNDERSTUDY_CONTROL_TOKEN || undefined)
  return ['fault' in read ? read.fault : readReport(read.text, origin), ...merged]
}

function readReport(text: string, name: string): CoverageReport | string {
  const parsed = parseJson(text)
  const value: unknown = 'value' in parsed ? parsed.value : undefined
  const isReport =
    isObject(value) &&
    Array.isArray(value.operations) &&
    value.operations.every(one => isObject(one) && Array.isArray(one.items) && one.items.every(isObject))
  return isReport
    ? (value as unknown as CoverageReport)
    : `${name} is not a coverage report; write one with \`understudy coverage --format json\``
}
