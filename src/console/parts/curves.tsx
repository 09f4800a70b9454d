// Curves over time: as small as a word for a row of a table, and with axes and a legend for a detail.

import type { Tone } from '../model/wording.ts'

/** The units of the drawings, which are stretched to their place. */
const WIDTH = 300
const HEIGHT = 100

interface SparklineProps {
  readonly label: string
  readonly values: readonly number[]
  /** Drawn as bars over the first, in the colour of failures. */
  readonly failures: readonly number[]
}

export function Sparkline({ label, values, failures }: SparklineProps) {
  const most = Math.max(1, ...values)
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <path class="area tone-accent" d={areaUnder(values, most)} />
      <path class={`line tone-${values.some(value => value > 0) ? 'accent' : 'plain'}`} d={lineThrough(values, most)} />
      <path class="line tone-bad" d={barsOf(failures, most)} />
    </svg>
  )
}

/** The title, the tone, and one value for each time; null leaves a gap. */
export type CurveSeries = readonly [title: string, tone: Tone, values: readonly (number | null)[]]

interface CurveProps {
  /** Describes the drawing for screen readers. */
  readonly label: string
  /** Seconds since the epoch: of the first and of the last value. */
  readonly from: number
  readonly to: number
  readonly series: readonly CurveSeries[]
  /** How a value is written at the axis. */
  readonly write: (value: number) => string
}

export function Curve({ label, from, to, series, write }: CurveProps) {
  const most = roundAbove(Math.max(0, ...series.flatMap(([, , values]) => values.map(value => value ?? 0))))
  return (
    <figure class="curve">
      <figcaption class="row">
        {series.map(([title, tone]) => (
          <span key={title} class={`tone-${tone}`}>
            ● {title}
          </span>
        ))}
      </figcaption>
      <div class="curve-axis row between muted">
        {[most, most / 2, 0].map(value => (
          <span key={value}>{write(value)}</span>
        ))}
      </div>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <path class="grid" d={`M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
        {series.map(([title, tone, values], i) => (
          <g key={title} class={`tone-${tone}`}>
            {i === 0 && !values.includes(null) && <path class="area" d={areaUnder(values, most)} />}
            <path class="line" d={lineThrough(values, most)} />
            <path class="line dots" d={lineThrough(values.map(loneValue), most)} />
          </g>
        ))}
      </svg>
      <div class="curve-times row between muted">
        {[from, (from + to) / 2, to].map(time => (
          <span key={time}>{new Date(time * 1000).toTimeString().slice(0, 8)}</span>
        ))}
      </div>
    </figure>
  )
}

/** Keeps a value that has a gap on both sides: no line goes through it, so that it is drawn as a dot. */
const loneValue = (value: number | null, i: number, values: readonly (number | null)[]): number | null =>
  values[i - 1] == null && values[i + 1] == null ? value : null

/** Returns the next number above of the form 1, 2 or 5 × 10ⁿ. */
function roundAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 0.001)))
  return power * ([1, 2, 5].find(step => step * power >= value) ?? 10)
}

const placeIn = (count: number, i: number): string => ((i * WIDTH) / Math.max(1, count - 1)).toFixed(1)

/** A line through the values; a single value between gaps is a line without a length. */
function lineThrough(values: readonly (number | null)[], most: number): string {
  let pen = 'M'
  const steps = values.map((value, i) => {
    if (value === null) {
      pen = 'M'
      return ''
    }
    const step = `${pen}${placeIn(values.length, i)} ${(HEIGHT - (value / most) * HEIGHT).toFixed(1)}`
    const lone = pen === 'M' ? 'h0' : ''
    pen = 'L'
    return step + lone
  })
  return steps.join('')
}

const areaUnder = (values: readonly (number | null)[], most: number): string =>
  `${lineThrough(values, most)}V${HEIGHT}H0z`

/** A bar for each value above zero, tall enough to be seen. */
const barsOf = (values: readonly number[], most: number): string =>
  values
    .map((value, i) =>
      value === 0 ? '' : `M${placeIn(values.length, i)} ${HEIGHT}v${-Math.max(15, (value / most) * HEIGHT).toFixed(1)}`,
    )
    .join('')
