// The inputs of weather: sliders for one block of it, and switches for the presets of the configuration.

import { useState } from 'preact/hooks'
import { writeLatency, writePercent } from '../model/wording.ts'
import { Button, Icon, Select, SelectField } from '../parts/controls.tsx'
import { Note } from '../parts/notices.tsx'
import {
  faultRatesIn,
  faultWith,
  latencyOf,
  movePercentile,
  PERCENTILES,
  percentilesIn,
  rateOf,
  scopesOf,
  settingsIn,
  settingsInWords,
  sliderLimitsIn,
  sliderOf,
  sliderOfRate,
  sliderValue,
  type WeatherBlocks,
  type WeatherSettings,
  withLimits,
} from './blocks.ts'

interface SlidersProps {
  readonly settings: WeatherSettings
  /** Takes the settings with the changed one; the others are as written. */
  readonly onChange: (settings: WeatherSettings) => void
}

const NO_LATENCY = { p50: 0, p95: 0, p99: 0 }
/** The ends of the sliders. */
const MOST_MILLISECONDS = 30_000
const MOST_REQUESTS = 10_000
const CODES = ['429', '500', '502', '503', '504']
const RATES = { status: 'Error status', reset: 'Connection reset', hang: 'No answer' } as const
const LIMITS = { perMinute: 'Requests a minute', concurrency: 'Served at once' } as const

const titledKeys = <Key extends string>(titles: Readonly<Record<Key, string>>): readonly Key[] =>
  Object.keys(titles) as Key[]

export function Sliders({ settings, onChange }: SlidersProps) {
  const known = percentilesIn(settings.latency)
  const latency = known ?? NO_LATENCY
  const rates = faultRatesIn(settings.fault)
  const limits = sliderLimitsIn(settings)
  // The settings have no code while the rate of error statuses is 0.
  const [chosenCode, setChosenCode] = useState<number | undefined>()
  const code = chosenCode ?? rates.code
  const change = (changes: WeatherSettings): void => onChange({ ...settings, ...changes })
  const changeRates = (changes: Partial<typeof rates>): void =>
    change({ fault: faultWith(settings.fault, { ...rates, code, ...changes }) })
  const groups: readonly (readonly [title: string, sliders: readonly SliderProps[]])[] = [
    [
      'Latency',
      PERCENTILES.map(name => ({
        label: name,
        place: sliderOf(latency[name], MOST_MILLISECONDS),
        text: latency[name] === 0 ? 'none' : writeLatency(latency[name]),
        onMove: place =>
          change({ latency: latencyOf(movePercentile(latency, name, sliderValue(place, MOST_MILLISECONDS))) }),
      })),
    ],
    [
      'Faults',
      titledKeys(RATES).map(name => ({
        label: RATES[name],
        place: sliderOfRate(rates[name]),
        text: rates[name] === 0 ? 'never' : writePercent(rates[name]),
        onMove: place => changeRates({ [name]: rateOf(place) }),
      })),
    ],
    [
      'Limits',
      titledKeys(LIMITS).map(name => ({
        label: LIMITS[name],
        place: sliderOf(limits[name], MOST_REQUESTS),
        text: limits[name] === 0 ? 'no limit' : Math.round(limits[name]).toLocaleString('en'),
        onMove: place => onChange(withLimits(settings, { ...limits, [name]: sliderValue(place, MOST_REQUESTS) })),
      })),
    ],
  ]
  const codes = (
    <SelectField
      label="Error code"
      value={`${code}`}
      options={CODES}
      onChange={next => {
        setChosenCode(Number(next))
        changeRates({ code: Number(next) })
      }}
    />
  )
  return (
    <div class="stack">
      {settings.latency != null && known === undefined && (
        <Note text="Latency has a distribution that these sliders do not show; moving one replaces it." />
      )}
      {groups.map(([title, sliders]) => (
        <fieldset key={title} class="stack">
          <legend>{title}</legend>
          {sliders.map(slider => (
            <Slider key={slider.label} {...slider} />
          ))}
          {title === 'Faults' && codes}
        </fieldset>
      ))}
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
      max={1000}
      step={5}
      value={place}
      aria-valuetext={text}
      onInput={event => onMove(Number(event.currentTarget.value))}
    />
    <output class="end">{text}</output>
  </label>
)

export interface ServedWeather {
  readonly name: string | null
  /** A timestamp, by real time. */
  readonly until?: string
  readonly known: readonly string[]
  readonly blocks: WeatherBlocks
}

interface WeatherSwitchesProps {
  readonly weather: ServedWeather
  readonly presets: Readonly<Record<string, WeatherBlocks>>
  /** Empty for every world that has no weather by itself. */
  readonly world: string
  /** `10m`; empty until it is switched off. */
  readonly lasting: string
  readonly onLasting: (lasting: string) => void
  /** Takes the weather that is wished; `undefined` to clear it. */
  readonly onPut: (body: object | undefined, done: string) => void
}

export function WeatherSwitches({ weather, presets, world, lasting, onLasting, onPut }: WeatherSwitchesProps) {
  const { name: current, known, blocks, until } = weather
  const over = world === '' ? 'everything' : world
  const names = [...new Set([...known, ...(current === null ? [] : [current])])]
  const switches = [
    ['Clear', 'As configured', current === null, `The weather over ${over} is clear.`, undefined],
    ...names.map(name => {
      const about = describeBlocks(known.includes(name) ? presets[name] : blocks)
      const on = current === name
      const done = on ? `${name} has cleared.` : `${name} is over ${over}.`
      return [name, about, on, done, on ? undefined : { name }] as const
    }),
  ] as const
  return (
    <section class="section" aria-label="Presets">
      <div class="row between">
        <h2>Weather over {over}</h2>
        <div class="row muted">
          For
          <Select
            label="How long it lasts"
            value={lasting}
            options={[['', 'until switched off'], '1m', '10m', '1h']}
            onChange={onLasting}
          />
        </div>
      </div>
      <div class="presets form-row">
        {switches.map(([name, about, on, done, body]) => (
          <Button key={name} role="switch" aria-checked={on} onClick={() => onPut(body, done)}>
            <b class="row nowrap">
              <Icon name={name === 'Clear' ? 'sun' : 'cloud'} />
              {name}
            </b>
            <span class="muted">{about}</span>
          </Button>
        ))}
      </div>
      {until && <Note text={`Clears by itself at ${until.slice(11, 19)} UTC.`} />}
      {known.length === 0 && (
        <Note text="The configuration names no weather. With `weather: { storm: { defaults: { latency: 2s } } }` a switch appears here. The sliders below work without." />
      )}
      {world !== '' && (
        <Note
          text={`It is in place of the weather over all, in ${world} alone. Choose "All worlds" above for the weather over all.`}
        />
      )}
    </section>
  )
}

/** Summarises the settings of every block. */
const describeBlocks = (blocks: WeatherBlocks = {}): string =>
  scopesOf(blocks)
    .map(scope => {
      const settings = settingsInWords(settingsIn(blocks, scope))
      return scope.kind === 'everything' ? settings : `${scope.name}: ${settings}`
    })
    .filter(part => part !== '')
    .join('; ')
