// Metrics as data, to which each source of them contributes: written as the page for Prometheus, and added up over processes.

import { breatheWhenDue } from '../../world/clock.ts'

export type Labels = Readonly<Record<string, string | number>>

/** A metric without its series. */
export interface MetricDescription {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly labelNames: readonly string[]
}

/** A metric with all its series. */
export interface MetricFamily extends Omit<MetricDescription, 'labelNames'> {
  /** How the values of several processes become one: `sum` (default), `min`, `max`, `first`, `average` or `omit`. */
  readonly aggregator?: string
  readonly values: readonly MetricValue[]
}

export interface MetricValue {
  /** The name of a series of a histogram: `…_bucket`. Default: that of the family. */
  readonly metricName?: string
  /** The label of a bucket. */
  readonly le?: number | string
  readonly labels: Labels
  readonly value: number
}

/** Lines that are written before other work has its turn, if it is due: a client may cause 38,000 of them. */
const LINES = 1000

/** Writes families in the exposition format. */
export async function writePage(families: readonly MetricFamily[]): Promise<string> {
  const breathe = breatheWhenDue()
  const parts: string[] = []
  for (const { name, help, type, values } of families) {
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
    let text = ''
    let written: Labels | undefined
    for (const { metricName = name, le, labels, value } of values) {
      // The lines of a histogram have the same labels: quoting them takes longer than all else.
      if (labels !== written) text = writeLabels(labels)
      written = labels
      const all = le === undefined ? text : `le="${le}"${text === '' ? '' : ','}${text}`
      lines.push(`${metricName}${all === '' ? '' : `{${all}}`} ${value}`)
      if (lines.length % LINES === 0) await breathe()
    }
    parts.push(lines.join('\n'))
    await breathe()
  }
  return `${parts.join('\n\n')}\n`
}

const writeLabels = (labels: Labels): string =>
  Object.entries(labels)
    .map(
      ([label, value]) => `${label}="${`${value}`.replace(/[\\"\n]/g, sign => (sign === '\n' ? '\\n' : `\\${sign}`))}"`,
    )
    .join()

const AGGREGATORS: Readonly<Record<string, (values: readonly number[]) => number>> = {
  sum: values => values.reduce((sum, value) => sum + value, 0),
  min: values => Math.min(...values),
  max: values => Math.max(...values),
  first: ([value = 0]) => value,
  average: values => values.reduce((sum, value) => sum + value, 0) / values.length,
}

/** Returns the families of several processes as one; those of `omit` say nothing about more than one. */
export function mergeFamilies(processes: readonly (readonly MetricFamily[])[]): MetricFamily[] {
  const merged = new Map<string, { family: MetricFamily; series: Map<string, { one: MetricValue; all: number[] }> }>()
  for (const family of processes.flat()) {
    if (family.aggregator === 'omit') continue
    const known = merged.get(family.name) ?? { family, series: new Map() }
    merged.set(family.name, known)
    for (const one of family.values) {
      const key = JSON.stringify([one.metricName, one.le, one.labels])
      const series = known.series.get(key) ?? { one, all: [] }
      known.series.set(key, series)
      series.all.push(one.value)
    }
  }
  return [...merged.values()].map(({ family, series }) => {
    const { [family.aggregator ?? 'sum']: aggregate = AGGREGATORS.sum as (values: readonly number[]) => number } =
      AGGREGATORS
    return { ...family, values: [...series.values()].map(({ one, all }) => ({ ...one, value: aggregate(all) })) }
  })
}
