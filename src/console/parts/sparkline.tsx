// A curve without axes, as small as a word: the run of a number in a row of a table.

export interface SparklineProps {
  readonly label: string
  readonly values: readonly number[]
  /** Drawn as bars over the first, in the colour of failures. */
  readonly failures?: readonly number[]
}

const WIDTH = 90
const HEIGHT = 20

export function Sparkline({ label, values, failures = [] }: SparklineProps) {
  const most = Math.max(1, ...values)
  const failed = failures.some(count => count > 0)
  return (
    <svg
      class={`sparkline${values.every(value => value === 0) ? ' flat' : ''}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      <path class="spark-area" d={`${lineOf(values, most)}V${HEIGHT}H0z`} />
      <path class="spark-line" d={lineOf(values, most)} />
      {failed ? <path class="spark-failures" d={barsOf(failures, most)} /> : null}
    </svg>
  )
}

/** A bar for each value above zero, at least tall enough to be seen. */
function barsOf(values: readonly number[], most: number): string {
  const step = WIDTH / Math.max(1, values.length - 1)
  const bars = values.map((value, i) => {
    const height = Math.max(3, (value / most) * (HEIGHT - 4))
    return value === 0 ? '' : `M${(i * step).toFixed(1)} ${HEIGHT}v${(-height).toFixed(1)}`
  })
  return bars.join('')
}

function lineOf(values: readonly number[], most: number): string {
  const step = WIDTH / Math.max(1, values.length - 1)
  const points = values.map((value, i) => {
    const y = HEIGHT - 1.5 - (value / most) * (HEIGHT - 4)
    return `${(i * step).toFixed(1)} ${y.toFixed(1)}`
  })
  return `M${points.join('L') || `0 ${HEIGHT}`}`
}
