// The six numbers of README.md, taken from the report in docs/benchmarks.md.

import { readCases, report } from './benchmarks.ts'
import { table } from './table.ts'

export function describeNumbers(): string {
  const ours = (name: string) =>
    readCases()
      .find(one => one.name.startsWith(name))
      ?.subjects.find(subject => subject.name === 'understudy')
  const curve = (of: string, points: string) => {
    const row =
      report
        .slice(report.indexOf(of))
        .split('\n')
        .find(line => line.startsWith(`  ${points} `)) ?? ''
    return `${/(\d\.\d+) \[/.exec(row)?.[1]} ×`
  }
  const figure = (name: string) => new RegExp(`^${name}.* (\\d+) (?:ms|MB) `, 'm').exec(report)?.[1]
  const perSecond = Math.floor((ours('getPet')?.perSecond ?? 0) / 1000) * 1000
  return table(
    ['', ''],
    [
      [
        'processor time of a list of 20 records, over a bare `node:http` server that writes the same bytes',
        `${ours('listPets, 20 of 50')?.ratio.toFixed(2)} ×`,
      ],
      ['the same with 10,000 operations in the contract, over 4', curve('by operations of the contract', '10,000')],
      ['the same with 1,000,000 records, over 100', curve('that are sold, by records', '1,000,000')],
      ['`getPet`, one process on one core', `${perSecond.toLocaleString('en')} requests a second`],
      ['from the command until it is ready', `${figure('ready')} ms`],
      [
        'memory at rest, and with 1,000,000 records',
        `${figure('resident at rest')} MB, ${figure('resident with 1,000,000 records')} MB`,
      ],
    ],
  )
}
