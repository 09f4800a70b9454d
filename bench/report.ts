// The report of the measurements, as text and as JSON.

import { cpus } from 'node:os'
import type { Curve } from './curves.ts'
import type { Figure } from './figures.ts'
import type { Measured } from './ratios.ts'
import { type Spread, spreadOf } from './spread.ts'

export interface Report {
  /** Whether the run was quick: few and short samples. */
  readonly quick: boolean
  readonly node: string
  readonly processor: string
  readonly rows: readonly ReportedRow[]
  readonly curves: readonly Curve[]
  readonly figures: readonly Figure[]
}

interface ReportedRow {
  readonly name: string
  readonly target: number
  readonly subjects: Readonly<Record<string, ReportedSubject>>
}

interface ReportedSubject {
  readonly rate: Spread
  readonly p50: Spread
  readonly p99: Spread
  readonly cpu: Spread
  /** The ratio to the bare server in the same round. */
  readonly ratio: Spread
  /** Bytes. */
  readonly peak: number
}

export function reportOf(
  quick: boolean,
  measured: readonly Measured[],
  curves: readonly Curve[],
  figures: readonly Figure[],
): Report {
  const [processor] = cpus()
  return {
    quick,
    node: process.version,
    processor: `${cpus().length} × ${processor?.model ?? 'unknown'}`,
    rows: measured.map(({ row, samples }) => ({
      name: row.name,
      target: row.target,
      subjects: Object.fromEntries(
        Object.entries(samples).map(([name, list]) => [
          name,
          {
            rate: spreadOf(list.map(({ rate }) => rate)),
            p50: spreadOf(list.map(({ p50 }) => p50)),
            p99: spreadOf(list.map(({ p99 }) => p99)),
            cpu: spreadOf(list.map(({ cpu }) => cpu)),
            ratio: spreadOf(list.map(({ cpu }, round) => cpu / (samples['bare-http']?.[round]?.cpu ?? Number.NaN))),
            peak: Math.max(...list.map(({ peak }) => peak)),
          },
        ]),
      ),
    })),
    curves,
    figures,
  }
}

/** Returns the report as text: a line for each subject, and whether its target is met. */
export function describeReport({ quick, node, processor, rows, curves, figures }: Report): string {
  const lines = [`Node ${node}, ${processor}. Medians; [least–most] where rounds differ.`]
  if (quick) lines.push('Few and short samples: what is near its target may fall on either side of it.')
  lines.push('')
  const cells = (...texts: string[]) =>
    lines.push(
      texts
        .map((text, i) => (i === 0 ? text.padEnd(42) : text.padStart(WIDTHS[i] as number)))
        .join(' ')
        .trimEnd(),
    )
  if (rows.length > 0) {
    cells('', 'req/s', 'p50 ms', 'p99 ms', 'µs cpu/req', 'ratio to bare node:http', 'peak MB', 'target')
    for (const { name, target, subjects } of rows) {
      lines.push(name)
      for (const [subject, { rate, p50, p99, cpu, ratio, peak }] of Object.entries(subjects)) {
        const verdict = subject === 'understudy' ? `${target.toFixed(1)} ${holds(ratio.median, target)}` : ''
        cells(
          `  ${subject}`,
          rate.median.toFixed(0),
          p50.median.toFixed(2),
          p99.median.toFixed(2),
          cpu.median.toFixed(1),
          show(ratio),
          (peak / 1e6).toFixed(0),
          verdict,
        )
      }
    }
    lines.push('')
  }
  for (const { name, over, target, points } of curves) {
    lines.push(`${name}, by ${over}`)
    for (const { at, cpu, ratio } of points) {
      const verdict = at === points[0]?.at ? '' : `${target.toFixed(2)} ${holds(ratio.median, target)}`
      cells(`  ${at.toLocaleString('en')}`, '', '', '', cpu.median.toFixed(1), show(ratio), '', verdict)
    }
    lines.push('')
  }
  for (const { name, value, unit, target, half } of figures) {
    const range = half === undefined ? '' : ` [${half.map(end => end.toFixed(0)).join('–')}]`
    cells(
      name,
      '',
      '',
      '',
      '',
      `${value.toFixed(unit === '%' ? 1 : 0)} ${unit}${range}`,
      '',
      `${target} ${holds(value, target)}`,
    )
  }
  return `${lines.join('\n').trimEnd()}\n`
}

const WIDTHS = [0, 8, 7, 7, 11, 24, 8, 10]
const show = ({ median, min, max }: Spread): string => `${median.toFixed(2)} [${min.toFixed(2)}–${max.toFixed(2)}]`
const holds = (value: number, target: number): string => (value <= target ? 'holds' : 'MISSED')
