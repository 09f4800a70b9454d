// A curve over time with an axis and a legend, for a detail; see `sparkline.tsx` for the small ones in tables.

import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'

export interface CurveSeries {
  readonly title: string
  /** The name of a colour in `style/tokens.css`: `--accent`. */
  readonly colour: string
  /** One value for each time; null leaves a gap. */
  readonly values: readonly (number | null)[]
}

export interface CurveProps {
  /** Describes the drawing for screen readers. */
  readonly label: string
  /** Seconds since the epoch. */
  readonly times: readonly number[]
  readonly series: readonly CurveSeries[]
  /** How a value is written at the axis. */
  readonly write: (value: number) => string
  /** Pixels. Default: 130. */
  readonly height?: number
}

export function Curve({ label, times, series, write, height = 130 }: CurveProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const kind = series.map(({ title }) => title).join()
  useEffect(() => {
    const element = box.current as HTMLDivElement
    const colour = (name: string): string => resolveColour(element, name)
    const axis = {
      stroke: colour('--text-faint'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
    }
    const made = new uPlot(
      {
        width: element.clientWidth || 300,
        height,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.1, 0.001)] } },
        axes: [
          { ...axis, size: 26, font: FONT, space: 60, values: (_, splits) => splits.map(timeOfDay) },
          { ...axis, size: 54, font: FONT, values: (_, splits) => splits.map(write) },
        ],
        series: [
          {},
          ...series.map(({ title, colour: name }, i) => ({
            label: title,
            stroke: colour(name),
            width: 1.5,
            ...(i === 0 ? { fill: `color-mix(in srgb, ${colour(name)} 12%, transparent)` } : {}),
            // A value between two gaps has no line: it is drawn as a dot.
            points: { show: true, size: 5, fill: colour(name), filter: loneValues },
          })),
        ],
      },
      dataOf(times, series),
      element,
    )
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      plot.current = undefined
    }
    // Other series need a new plot; new values are set on the existing one.
  }, [kind, height])
  useEffect(() => plot.current?.setData(dataOf(times, series)), [times, series])
  return (
    <figure class="curve">
      <figcaption>
        {series.map(({ title, colour }) => (
          <span key={title} class="curve-key">
            <svg viewBox="0 0 12 4" width="12" height="4" aria-hidden="true">
              <path d="M0 2h12" class={`stroke${colour}`} />
            </svg>
            {title}
          </span>
        ))}
      </figcaption>
      <div ref={box} role="img" aria-label={label} />
    </figure>
  )
}

/** Returns the indexes of the values that have a gap on both sides. */
const loneValues: NonNullable<uPlot.Series.Points['filter']> = (plot, series, show) => {
  if (!show) return null
  const values = plot.data[series] as readonly (number | null)[]
  return values.flatMap((value, i) => (value !== null && values[i - 1] == null && values[i + 1] == null ? [i] : []))
}

/** `14:03`, or with seconds where the axis is that fine. */
function timeOfDay(seconds: number): string {
  const time = new Date(seconds * 1000).toTimeString().slice(0, 8)
  return time.endsWith(':00') ? time.slice(0, 5) : time
}

const FONT = '11px system-ui, sans-serif'

const dataOf = (times: readonly number[], series: readonly CurveSeries[]): uPlot.AlignedData =>
  [times, ...series.map(({ values }) => values)] as unknown as uPlot.AlignedData

/** Returns the colour of a token for a canvas: the browser resolves `light-dark()` only where a colour is used. */
function resolveColour(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`
  const { color } = getComputedStyle(element)
  element.style.color = ''
  return color
}
