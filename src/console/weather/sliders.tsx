// The sliders of one block of weather. A slider shows its effect while it moves; the weather follows when it rests.

import { useEffect, useRef, useState } from 'preact/hooks'
import {
  type FaultRates,
  faultOf,
  faultRatesIn,
  type Limits,
  latencyOf,
  limitsIn,
  movePercentile,
  type Percentiles,
  percentilesIn,
  type WeatherSettings,
  withLimits,
} from './blocks.ts'
import { millisecondsOf, rateOf, sliderOf, sliderOfRate, writeLatency, writeRate } from './scale.ts'

export interface SlidersProps {
  readonly settings: WeatherSettings
  readonly onChange: (settings: WeatherSettings) => void
}

const NO_LATENCY: Percentiles = { p50: 0, p95: 0, p99: 0 }
const CODES = [429, 500, 502, 503, 504]

/**
 * Milliseconds after the last move until it is done: a slider that is moved by keys would change the weather at each one.
 */
const WAIT = 300

interface Draft {
  readonly latency: Percentiles
  readonly rates: FaultRates
  readonly limits: Limits
}

const draftOf = (settings: WeatherSettings): Draft => ({
  latency: percentilesIn(settings.latency) ?? NO_LATENCY,
  rates: faultRatesIn(settings.fault),
  limits: limitsIn(settings),
})

/** Returns the settings with the changed one; others stay as written. */
function settingsWith(settings: WeatherSettings, draft: Draft, moved: ReadonlySet<keyof Draft>): WeatherSettings {
  const limited = moved.has('limits') ? withLimits(settings, draft.limits) : settings
  return {
    ...limited,
    ...(moved.has('latency') ? { latency: latencyOf(draft.latency) } : {}),
    ...(moved.has('rates') ? { fault: faultOf(settings.fault, draft.rates) } : {}),
  }
}

export function Sliders({ settings, onChange }: SlidersProps) {
  const [draft, setDraft] = useState(() => draftOf(settings))
  const moved = useRef(new Set<keyof Draft>())
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  // Weather that somebody else changed moves the sliders, unless one is being moved here.
  useEffect(() => {
    if (timer.current === undefined) setDraft(draftOf(settings))
  }, [JSON.stringify(settings)])
  const latest = useRef({ settings, draft, onChange })
  latest.current = { settings, draft, onChange }
  const apply = (): void => {
    timer.current = undefined
    const { settings: before, draft: wanted, onChange: change } = latest.current
    const touched = moved.current
    moved.current = new Set()
    change(settingsWith(before, wanted, touched))
  }
  const move = <Name extends keyof Draft>(name: Name, change: (before: Draft[Name]) => Draft[Name]): void => {
    setDraft(before => ({ ...before, [name]: change(before[name]) }))
    moved.current.add(name)
    clearTimeout(timer.current)
    timer.current = setTimeout(apply, WAIT)
  }
  const { latency, rates, limits } = draft
  const otherLatency =
    settings.latency !== undefined && settings.latency !== null && percentilesIn(settings.latency) === undefined
  return (
    <div class="sliders">
      <fieldset class="slider-group">
        <legend>Latency</legend>
        {otherLatency ? (
          <p class="muted">It has a distribution that these sliders do not show; moving one replaces it.</p>
        ) : null}
        {(['p50', 'p95', 'p99'] as const).map(name => (
          <Slider
            key={name}
            label={name}
            value={sliderOf(latency[name])}
            text={latency[name] === 0 ? 'none' : writeLatency(latency[name])}
            onMove={value => move('latency', before => movePercentile(before, name, millisecondsOf(value)))}
          />
        ))}
      </fieldset>
      <fieldset class="slider-group">
        <legend>Faults</legend>
        {(
          [
            ['status', 'Error status'],
            ['reset', 'Connection reset'],
            ['hang', 'No answer'],
          ] as const
        ).map(([name, label]) => (
          <Slider
            key={name}
            label={label}
            value={sliderOfRate(rates[name])}
            text={rates[name] === 0 ? 'never' : writeRate(rates[name])}
            onMove={value => move('rates', before => ({ ...before, [name]: rateOf(value) }))}
          />
        ))}
        <label class="slider">
          <span>Error code</span>
          <select
            value={String(rates.code)}
            onChange={event => {
              const code = numberOf(event)
              move('rates', before => ({ ...before, code }))
            }}
          >
            {[...new Set([...CODES, rates.code])].sort().map(code => (
              <option key={code} value={String(code)}>
                {code}
              </option>
            ))}
          </select>
        </label>
      </fieldset>
      <fieldset class="slider-group">
        <legend>Limits</legend>
        <Limit
          label="Requests a minute"
          value={limits.perMinute}
          onMove={perMinute => move('limits', before => ({ ...before, perMinute }))}
        />
        <Limit
          label="Served at once"
          value={limits.concurrency}
          onMove={concurrency => move('limits', before => ({ ...before, concurrency }))}
        />
      </fieldset>
    </div>
  )
}

interface SliderProps {
  readonly label: string
  readonly value: number
  readonly text: string
  readonly onMove: (value: number) => void
}

const numberOf = (event: Event): number => Number((event.currentTarget as HTMLInputElement).value)

const Slider = ({ label, value, text, onMove }: SliderProps) => (
  <label class="slider">
    <span>{label}</span>
    <input
      type="range"
      min={0}
      max={1000}
      step={5}
      value={value}
      aria-valuetext={text}
      onInput={event => onMove(numberOf(event))}
    />
    <output class="number">{text}</output>
  </label>
)

interface LimitProps {
  readonly label: string
  readonly value: number | undefined
  readonly onMove: (value: number | undefined) => void
}

/** A slider from 1 to 10,000; its beginning is "no limit". */
function Limit({ label, value, onMove }: LimitProps) {
  const limitAt = (place: number): number | undefined =>
    place === 0 ? undefined : Math.max(1, Number((10_000 ** (place / 1000)).toPrecision(2)))
  const place = value === undefined ? 0 : Math.max(5, Math.round((Math.log(value) / Math.log(10_000)) * 1000))
  return (
    <Slider
      label={label}
      value={Math.min(1000, place)}
      text={value === undefined ? 'no limit' : Math.round(value).toLocaleString('en')}
      onMove={at => onMove(limitAt(at))}
    />
  )
}
