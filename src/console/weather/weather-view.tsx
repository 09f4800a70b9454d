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
import { announce, Button, Icon, Note, ProblemNotice, Select, SelectField, ShowLoaded } from '../parts/controls.tsx'
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

function WeatherControls({ path, world, weather, onChanged }: WeatherControlsProps) {
  const { name: current, known, blocks, until } = weather
  const scope = readScope(parameter('for'))
  const [lasting, setLasting] = useState('')
  const task = useTask()
  const { value } = useReply<ServedConfiguration>('/config')
  const presets = (value?.written.weather ?? {}) as Readonly<Record<string, WeatherBlocks>>
  // The sliders show the weather that is wished, until the gateway has it.
  const [wished, setWished] = useState<WeatherBlocks | undefined>()
  const shown = wished ?? blocks
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const over = world || 'everything'
  /** @param sent the wish that it fulfils; unset for each */
  const put = async (body: object | undefined, done: string, sent?: WeatherBlocks): Promise<void> => {
    clearTimeout(timer.current)
    await task.run(async () => {
      if (body === undefined) await call('DELETE', path)
      else await call('PUT', path, { body: { ...body, for: lasting || undefined } })
      announce(done)
    })
    await onChanged()
    setWished(now => (sent === undefined || now === sent ? undefined : now))
  }
  const change = (settings: WeatherSettings): void => {
    const next = withSettings(shown, scope, settings)
    if (JSON.stringify(next) === JSON.stringify(shown)) return
    setWished(next)
    const name = current === null || known.includes(current) ? 'console' : current
    const body = isClear(next) ? undefined : { ...next, name }
    clearTimeout(timer.current)
    timer.current = setTimeout(() => put(body, `The weather over ${over} has changed.`, next), SLIDER_WAIT)
  }
  const others = scopesOf(shown).filter(one => writeScope(one) !== writeScope(scope))
  const switches = [
    ['Clear', 'As configured', current === null, `The weather over ${over} is clear.`, undefined],
    ...[...new Set([...known, ...(current === null ? [] : [current])])].map(name => {
      const about = blocksInWords(known.includes(name) ? presets[name] : blocks)
      return name === current
        ? ([name, about, true, `${name} has cleared.`, undefined] as const)
        : ([name, about, false, `${name} is over ${over}.`, { name }] as const)
    }),
  ] as const
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
          <div class="presets form-row">
            {switches.map(([name, about, on, done, body]) => (
              <Button key={name} role="switch" aria-checked={on} onClick={() => put(body, done)}>
                <b class="row nowrap">
                  <Icon name={name === 'Clear' ? 'sun' : 'cloud'} />
                  {name}
                </b>
                <span class="muted">{about}</span>
              </Button>
            ))}
          </div>
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
          {others.length > 0 && (
            <p class="row">
              <span class="muted">Also for</span>
              {others.map(one => (
                <Button key={writeScope(one)} kind="quiet" onClick={() => chooseScope(writeScope(one))}>
                  {one.name || one.kind}
                  <span class="count muted">{settingsInWords(settingsIn(shown, one)) || 'settings'}</span>
                </Button>
              ))}
            </p>
          )}
          <ProblemNotice error={task.error} />
          <Sliders key={writeScope(scope)} settings={settingsIn(shown, scope)} onChange={change} />
        </Section>
      </div>
      <MeasuredPanel world={world} scope={scope} blocks={blocks} />
    </div>
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

/** The label, the place from 0 to 1000, the value in words, and what a move does. */
type SliderParts = readonly [label: string, place: number, text: string, onMove: (place: number) => void]

const slidersFor = <Key extends string>(titles: Readonly<Record<Key, unknown>>, partsOf: (key: Key) => SliderParts) =>
  (Object.keys(titles) as Key[]).map(partsOf)

function Sliders({ settings, onChange }: SlidersProps) {
  const known = percentilesIn(settings.latency)
  const latency = known ?? NO_LATENCY
  const rates = faultRatesIn(settings.fault)
  const limits = sliderLimitsIn(settings)
  // The settings have no code while the rate of error statuses is 0.
  const [code = rates.code, setCode] = useState<number | undefined>()
  const change = (changes: WeatherSettings): void => onChange({ ...settings, ...changes })
  const changeRates = (changes: Partial<typeof rates>): void =>
    change({ fault: faultWith(settings.fault, { ...rates, code, ...changes }) })
  const groups = {
    Latency: slidersFor(latency, name => {
      const value = latency[name] ?? 0
      return [
        name,
        sliderOf(value, MOST_MILLISECONDS),
        value === 0 ? 'none' : writeLatency(value),
        place => change({ latency: latencyOf(movePercentile(latency, name, sliderValue(place, MOST_MILLISECONDS))) }),
      ]
    }),
    Faults: slidersFor(RATES, name => [
      RATES[name],
      sliderOfRate(rates[name]),
      rates[name] === 0 ? 'never' : writePercent(rates[name]),
      place => changeRates({ [name]: rateOf(place) }),
    ]),
    Limits: slidersFor(LIMITS, name => [
      LIMITS[name],
      sliderOf(limits[name], MOST_REQUESTS),
      limits[name] === 0 ? 'no limit' : Math.round(limits[name]).toLocaleString('en'),
      place => onChange(withLimits(settings, { ...limits, [name]: sliderValue(place, MOST_REQUESTS) })),
    ]),
  }
  return (
    <div class="stack">
      {settings.latency != null && known === undefined && (
        <Note text="Latency has a distribution that these sliders do not show; moving one replaces it." />
      )}
      {Object.entries(groups).map(([title, sliders]) => (
        <fieldset key={title} class="stack">
          <legend>{title}</legend>
          {sliders.map(([label, place, text, onMove]) => (
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
          {title === 'Faults' && (
            <SelectField
              label="Error code"
              value={`${code}`}
              options={CODES}
              onChange={next => {
                setCode(Number(next))
                changeRates({ code: Number(next) })
              }}
            />
          )}
        </fieldset>
      ))}
    </div>
  )
}

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
