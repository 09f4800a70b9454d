// View 5: the weather (latency, faults, limits) over everything or one world: presets, sliders, and what is measured.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ServedConfiguration, ServedWeather } from '../../http/control/types.ts'
import {
  call,
  chosenWorld,
  hrefOf,
  knownConsumers,
  parameter,
  pathTo,
  setParameters,
  useMeasured,
  useReply,
  useTask,
} from '../model/gateway.ts'
import type { MeasuredOperation } from '../model/replies.ts'
import { writeLatency, writeMoment, writePercent } from '../model/wording.ts'
import {
  announce,
  Button,
  Icon,
  type IconName,
  Note,
  ProblemNotice,
  Select,
  SelectField,
  ShowLoaded,
} from '../parts/controls.tsx'
import { FirstCommand, PlainTable, Section } from '../parts/panels.tsx'
import {
  blocksInWords,
  faultRatesIn,
  faultWith,
  isClear,
  latencyOf,
  movePercentile,
  NO_LATENCY,
  PERCENTILES,
  percentilesIn,
  rateOf,
  readScope,
  scopesOf,
  settingsIn,
  settingsInWords,
  sliderLimitsIn,
  sliderOf,
  sliderOfRate,
  sliderValue,
  type WeatherBlocks,
  type WeatherScope,
  type WeatherSettings,
  withLimits,
  withSettings,
  writeScope,
} from './blocks.ts'

export function WeatherView() {
  const world = chosenWorld.value
  const path = world === '' ? '/weather' : pathTo`/worlds/${world}/weather`
  // Weather may end by itself, and scripts may change it.
  const loaded = useReply<ServedWeather>(path, { every: 4000 })
  return (
    <ShowLoaded of={loaded}>
      {weather => <WeatherControls key={path} {...{ path, world, weather }} onChanged={loaded.reload} />}
    </ShowLoaded>
  )
}

interface WeatherControlsProps {
  readonly path: string
  /** Empty for every world that has no weather by itself. */
  readonly world: string
  readonly weather: ServedWeather
  readonly onChanged: () => Promise<void>
}

/** Milliseconds after the last move of a slider until the weather changes: keys move it many times. */
const SLIDER_WAIT = 300

/** A change of the weather, with the message after it. */
interface WeatherChange {
  /** The body of the call; unset to clear the weather. */
  readonly body: object | undefined
  readonly done: string
}

/** Changes the weather. It holds the weather that the person wishes for, which the sliders show until the gateway has it. */
function useWeatherChanges({ path, weather, onChanged }: WeatherControlsProps, lasting: string) {
  const task = useTask()
  const [wished, setWished] = useState<WeatherBlocks | undefined>()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  /** @param fulfilled the wish that the change fulfils; unset for each */
  const put = async ({ body, done }: WeatherChange, fulfilled?: WeatherBlocks): Promise<void> => {
    clearTimeout(timer.current)
    await task.run(async () => {
      if (body === undefined) await call('DELETE', path)
      else await call('PUT', path, { body: { ...body, for: lasting || undefined } })
      announce(done)
    })
    await onChanged()
    setWished(now => (fulfilled === undefined || now === fulfilled ? undefined : now))
  }
  const wish = (next: WeatherBlocks, change: WeatherChange): void => {
    setWished(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => put(change, next), SLIDER_WAIT)
  }
  return { shown: wished ?? weather.blocks, put, wish, error: task.error }
}

function WeatherControls(props: WeatherControlsProps) {
  const { world, weather } = props
  const { name: current, known, blocks, until } = weather
  const scope = readScope(parameter('for'))
  const [lasting, setLasting] = useState('')
  const { shown, put, wish, error } = useWeatherChanges(props, lasting)
  const over = world || 'everything'
  const change = (settings: WeatherSettings): void => {
    const next = withSettings(shown, scope, settings)
    if (JSON.stringify(next) === JSON.stringify(shown)) return
    const name = current === null || known.includes(current) ? 'console' : current
    const body = isClear(next) ? undefined : { ...next, name }
    wish(next, { body, done: `The weather over ${over} has changed.` })
  }
  return (
    <div class="weather">
      <div class="scroll">
        <Section label="Presets">
          <div class="row between">
            <h2>Weather over {over}</h2>
            <div class="row muted">
              For
              <Select
                label="How long it lasts"
                value={lasting}
                options={[['', 'until switched off'], '1m', '10m', '1h']}
                onChange={setLasting}
              />
            </div>
          </div>
          <Presets weather={weather} over={over} put={put} />
          {until && <Note text={`Clears by itself at ${writeMoment(Date.parse(until))} UTC.`} />}
          {known.length === 0 && (
            <Note text="The configuration names no weather. With `weather: { storm: { defaults: { latency: 2s } } }` a switch appears here. The sliders below work without." />
          )}
          {world && (
            <Note
              text={`${world} has this weather instead of that over all worlds. Choose "All worlds" above for the latter.`}
            />
          )}
        </Section>
        <Section label="Sliders" title="Settings for" more={<ScopeChooser scope={scope} />}>
          <OtherScopes shown={shown} scope={scope} />
          <ProblemNotice error={error} />
          <Sliders key={writeScope(scope)} settings={settingsIn(shown, scope)} onChange={change} />
        </Section>
      </div>
      <MeasuredPanel world={world} scope={scope} blocks={blocks} />
    </div>
  )
}

interface PresetsProps {
  readonly weather: ServedWeather
  /** The name of the world, or `everything`. */
  readonly over: string
  readonly put: (change: WeatherChange) => Promise<void>
}

/** A switch for clear weather, for each weather of the configuration, and for the current one. */
function Presets({ weather: { name: current, known, blocks }, over, put }: PresetsProps) {
  const { value } = useReply<ServedConfiguration>('/config')
  const configured = (value?.written.weather ?? {}) as Readonly<Record<string, WeatherBlocks>>
  const names = [...new Set([...known, ...(current === null ? [] : [current])])]
  return (
    <div class="presets form-row">
      <PresetSwitch
        title="Clear"
        about="As configured"
        icon="sun"
        on={current === null}
        onClick={() => put({ body: undefined, done: `The weather over ${over} is clear.` })}
      />
      {names.map(name => (
        <PresetSwitch
          key={name}
          title={name}
          about={blocksInWords(known.includes(name) ? configured[name] : blocks)}
          icon="cloud"
          on={name === current}
          onClick={() =>
            put(
              name === current
                ? { body: undefined, done: `${name} has cleared.` }
                : { body: { name }, done: `${name} is over ${over}.` },
            )
          }
        />
      ))}
    </div>
  )
}

interface PresetSwitchProps {
  readonly title: string
  readonly about: string
  readonly icon: IconName
  readonly on: boolean
  readonly onClick: () => unknown
}

const PresetSwitch = ({ title, about, icon, on, onClick }: PresetSwitchProps) => (
  <Button role="switch" aria-checked={on} onClick={onClick}>
    <b class="row nowrap">
      <Icon name={icon} />
      {title}
    </b>
    <span class="muted">{about}</span>
  </Button>
)

/** Links to the other scopes that have settings. */
function OtherScopes({ shown, scope }: { shown: WeatherBlocks; scope: WeatherScope }) {
  const others = scopesOf(shown).filter(other => writeScope(other) !== writeScope(scope))
  if (others.length === 0) return null
  return (
    <p class="row">
      <span class="muted">Also for</span>
      {others.map(other => (
        <Button key={writeScope(other)} kind="quiet" onClick={() => chooseScope(writeScope(other))}>
          {other.name || other.kind}
          <span class="count muted">{settingsInWords(settingsIn(shown, other)) || 'settings'}</span>
        </Button>
      ))}
    </p>
  )
}

interface SlidersProps {
  readonly settings: WeatherSettings
  /** Takes the settings with the changed one; the others are as written. */
  readonly onChange: (settings: WeatherSettings) => void
}

/** The ends of the sliders. */
const MOST_MILLISECONDS = 30_000
const MOST_REQUESTS = 10_000
const CODES = ['429', '500', '502', '503', '504']
const RATES = { status: 'Error status', reset: 'Connection reset', hang: 'No answer' } as const
const LIMITS = { perMinute: 'Requests a minute', concurrency: 'Served at once' } as const

interface Slider {
  readonly label: string
  /** From 0 to 1000. */
  readonly place: number
  /** The value in words. */
  readonly text: string
  readonly onMove: (place: number) => void
}

const slidersFor = <Key extends string>(titles: Readonly<Record<Key, unknown>>, sliderFor: (key: Key) => Slider) =>
  (Object.keys(titles) as Key[]).map(sliderFor)

function Sliders({ settings, onChange }: SlidersProps) {
  const percentiles = percentilesIn(settings.latency)
  const rates = faultRatesIn(settings.fault)
  // The settings have no code while the rate of error statuses is 0.
  const [code = rates.code, setCode] = useState<number | undefined>()
  const changeRates = (changes: Partial<typeof rates>): void =>
    onChange({ ...settings, fault: faultWith(settings.fault, { ...rates, code, ...changes }) })
  return (
    <div class="stack">
      {settings.latency != null && percentiles === undefined && (
        <Note text="Latency has a distribution that these sliders do not show; moving one replaces it." />
      )}
      <SliderGroup title="Latency" sliders={latencySliders({ settings, onChange })} />
      <SliderGroup
        title="Faults"
        sliders={slidersFor(RATES, name => ({
          label: RATES[name],
          place: sliderOfRate(rates[name]),
          text: rates[name] === 0 ? 'never' : writePercent(rates[name]),
          onMove: place => changeRates({ [name]: rateOf(place) }),
        }))}
      >
        <SelectField
          label="Error code"
          value={`${code}`}
          options={CODES}
          onChange={next => {
            setCode(Number(next))
            changeRates({ code: Number(next) })
          }}
        />
      </SliderGroup>
      <SliderGroup title="Limits" sliders={limitSliders({ settings, onChange })} />
    </div>
  )
}

function latencySliders({ settings, onChange }: SlidersProps): Slider[] {
  const latency = percentilesIn(settings.latency) ?? NO_LATENCY
  return slidersFor(latency, name => {
    const value = latency[name] ?? 0
    return {
      label: name,
      place: sliderOf(value, MOST_MILLISECONDS),
      text: value === 0 ? 'none' : writeLatency(value),
      onMove: place => {
        const moved = movePercentile(latency, name, sliderValue(place, MOST_MILLISECONDS))
        onChange({ ...settings, latency: latencyOf(moved) })
      },
    }
  })
}

function limitSliders({ settings, onChange }: SlidersProps): Slider[] {
  const limits = sliderLimitsIn(settings)
  return slidersFor(LIMITS, name => ({
    label: LIMITS[name],
    place: sliderOf(limits[name], MOST_REQUESTS),
    text: limits[name] === 0 ? 'no limit' : Math.round(limits[name]).toLocaleString('en'),
    onMove: place => onChange(withLimits(settings, { ...limits, [name]: sliderValue(place, MOST_REQUESTS) })),
  }))
}

interface SliderGroupProps {
  readonly title: string
  readonly sliders: readonly Slider[]
  readonly children?: ComponentChildren
}

const SliderGroup = ({ title, sliders, children }: SliderGroupProps) => (
  <fieldset class="stack">
    <legend>{title}</legend>
    {sliders.map(({ label, place, text, onMove }) => (
      <label key={label} class="slider">
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
    ))}
    {children}
  </fieldset>
)

const chooseScope = (scope: string): void => setParameters({ for: scope }, 'push')

/** Chooses the requests that the sliders are for: everything, a tag, an operation or a consumer. */
function ScopeChooser({ scope }: { scope: WeatherScope }) {
  const operations = useMeasured({ minutes: 1 }).value?.operations ?? []
  const names = {
    tag: new Set(operations.flatMap(({ tags }) => tags)),
    operation: operations.map(({ operation }) => operation),
    consumer: knownConsumers.value,
  }
  const options = Object.entries(names).flatMap(([kind, some]) =>
    [...some].map(name => [`${kind}:${name}`, `${kind} ${name}`] as const),
  )
  return (
    <Select
      label="What the settings are for"
      value={writeScope(scope)}
      options={[['', 'everything'], ...options]}
      onChange={chooseScope}
    />
  )
}

function MeasuredPanel({ world, scope, blocks }: { world: string; scope: WeatherScope; blocks: WeatherBlocks }) {
  const { kind, name } = scope
  const chosen = kind === 'tag' || kind === 'consumer' ? { [kind]: name } : {}
  const loaded = useMeasured({ world, minutes: 1, ...chosen })
  return (
    <section class="stack padded scroll" aria-label="Configured and measured">
      <ShowLoaded of={loaded}>
        {({ operations }) => {
          const shown = kind === 'operation' ? operations.filter(({ operation }) => operation === name) : operations
          return (
            <>
              <div class="row between">
                <h2>Measured in the last minute</h2>
                <span class="muted">the marks are the configured values</span>
              </div>
              {shown.every(({ measured }) => measured.requests === 0) && (
                <>
                  <Note text="No request in the last minute. Send some, and their times appear here:" />
                  <FirstCommand operation={kind === 'operation' ? name : undefined} />
                </>
              )}
              <PlainTable
                label="Table of measured times"
                head={['Operation', '#Requests', ...PERCENTILES, '#Errors']}
                rows={shown.map(operation => measuredRow(operation, scope, blocks))}
              />
            </>
          )
        }}
      </ShowLoaded>
    </section>
  )
}

function measuredRow(
  { operation, measured, settings = {} }: MeasuredOperation,
  scope: WeatherScope,
  blocks: WeatherBlocks,
): readonly [string, ...ComponentChildren[]] {
  // A block for the consumer wins over those for everybody.
  const wished = scope.kind === 'consumer' ? { ...settings, ...settingsIn(blocks, scope) } : settings
  const percentiles = percentilesIn(wished.latency)
  return [
    operation,
    <>
      <a href={hrefOf('operations', { operation })}>{operation}</a>
      <span class="wish muted truncate">{settingsInWords(wished) || 'clear'}</span>
    </>,
    measured.requests.toLocaleString('en'),
    ...PERCENTILES.map(name => <LatencyMeter key={name} measured={measured[name]} wished={percentiles?.[name]} />),
    measured.requests === 0 ? '' : writePercent(measured.errors / measured.requests),
  ]
}

/**
 * The measured value as a bar, the wished one as a mark on the same logarithmic scale from 1 ms to 30 s; both in
 * milliseconds.
 */
function LatencyMeter({ measured, wished }: { measured: number | null; wished: number | undefined }) {
  const placeOf = (value: number): number =>
    Math.max(1, Math.min(100, (Math.log(Math.max(1, value)) / Math.log(30_000)) * 100))
  const bar = measured === null ? 0 : placeOf(measured)
  const mark = wished === undefined ? undefined : `${placeOf(wished)}%`
  const line = mark && `linear-gradient(90deg, transparent ${mark}, var(--warn) 0 calc(${mark} + 3px), transparent 0), `
  const background = `${line ?? ''}linear-gradient(90deg, var(--accent) ${bar}%, var(--line) 0)`
  return (
    <div class="meter-cell">
      {writeLatency(measured)}
      {wished !== undefined && <span class="muted"> / {writeLatency(wished)}</span>}
      <div class="meter" aria-hidden="true" style={{ background }} />
    </div>
  )
}
