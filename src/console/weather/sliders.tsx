// The sliders of one block of weather.

import { useState } from 'preact/hooks'
import { writeLatency, writePercent } from '../model/wording.ts'
import { Select } from '../parts/controls.tsx'
import {
  faultRatesIn,
  faultWith,
  latencyOf,
  limitOf,
  limitsIn,
  millisecondsOf,
  movePercentile,
  percentilesIn,
  rateOf,
  sliderOf,
  sliderOfLimit,
  sliderOfRate,
  type WeatherSettings,
  withLimits,
} from './blocks.ts'

interface SlidersProps {
  readonly settings: WeatherSettings
  /** Takes the settings with the changed one; the others are as written. */
  readonly onChange: (settings: WeatherSettings) => void
}

const NO_LATENCY = { p50: 0, p95: 0, p99: 0 }
const CODES = ['429', '500', '502', '503', '504']
const PERCENTILES = ['p50', 'p95', 'p99'] as const
const RATES = [
  ['status', 'Error status'],
  ['reset', 'Connection reset'],
  ['hang', 'No answer'],
] as const
const LIMITS = [
  ['perMinute', 'Requests a minute'],
  ['concurrency', 'Served at once'],
] as const

export function Sliders({ settings, onChange }: SlidersProps) {
  const known = percentilesIn(settings.latency)
  const latency = known ?? NO_LATENCY
  const rates = faultRatesIn(settings.fault)
  const limits = limitsIn(settings)
  // The settings have no code while the rate of error statuses is 0.
  const [chosenCode, setChosenCode] = useState<number | undefined>()
  const code = chosenCode ?? rates.code
  const changeRates = (changes: Partial<typeof rates>): void =>
    onChange({ ...settings, fault: faultWith(settings.fault, { ...rates, code, ...changes }) })
  return (
    <div class="stack">
      <fieldset class="stack">
        <legend>Latency</legend>
        {settings.latency != null && known === undefined ? (
          <p class="muted">It has a distribution that these sliders do not show; moving one replaces it.</p>
        ) : null}
        {PERCENTILES.map(name => (
          <Slider
            key={name}
            label={name}
            place={sliderOf(latency[name])}
            text={latency[name] === 0 ? 'none' : writeLatency(latency[name])}
            onMove={place =>
              onChange({ ...settings, latency: latencyOf(movePercentile(latency, name, millisecondsOf(place))) })
            }
          />
        ))}
      </fieldset>
      <fieldset class="stack">
        <legend>Faults</legend>
        {RATES.map(([name, label]) => (
          <Slider
            key={name}
            label={label}
            place={sliderOfRate(rates[name])}
            text={rates[name] === 0 ? 'never' : writePercent(rates[name])}
            onMove={place => changeRates({ [name]: rateOf(place) })}
          />
        ))}
        <div class="slider">
          <span>Error code</span>
          <Select
            label="Error code"
            value={`${code}`}
            options={CODES}
            onChange={next => {
              setChosenCode(Number(next))
              changeRates({ code: Number(next) })
            }}
          />
        </div>
      </fieldset>
      <fieldset class="stack">
        <legend>Limits</legend>
        {LIMITS.map(([name, label]) => (
          <Slider
            key={name}
            label={label}
            place={sliderOfLimit(limits[name])}
            text={limits[name] === undefined ? 'no limit' : Math.round(limits[name]).toLocaleString('en')}
            onMove={place => onChange(withLimits(settings, { ...limits, [name]: limitOf(place) }))}
          />
        ))}
      </fieldset>
    </div>
  )
}

interface SliderProps {
  readonly label: string
  /** From 0 to 1000. */
  readonly place: number
  /** The value in words. */
  readonly text: string
  readonly onMove: (place: number) => void
}

const Slider = ({ label, place, text, onMove }: SliderProps) => (
  <label class="slider">
    <span>{label}</span>
    <input
      type="range"
      min={0}
      max={1000}
      step={5}
      value={place}
      aria-valuetext={text}
      onInput={event => onMove(Number(event.currentTarget.value))}
    />
    <output>{text}</output>
  </label>
)
