// View 5: the weather (latency, faults, limits) over everything or one world: presets, sliders, and what is measured.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { stringifyJson } from '../../kernel/json.ts'
import { call, pathTo, useReply, useTask } from '../model/control-plane.ts'
import { knownConsumers, type MeasuredOperation, useMeasured } from '../model/gateway.ts'
import { chosenWorld, hrefOf, parameter, setParameters } from '../model/location.ts'
import { writeLatency, writePercent } from '../model/wording.ts'
import { Button, Select } from '../parts/controls.tsx'
import { announce, FirstCommand, Note, ProblemNotice, ShowLoaded } from '../parts/notices.tsx'
import { PlainTable } from '../parts/panels.tsx'
import {
  isClear,
  PERCENTILES,
  percentilesIn,
  readScope,
  scopesOf,
  settingsIn,
  settingsInWords,
  type WeatherBlocks,
  type WeatherScope,
  type WeatherSettings,
  withSettings,
  writeScope,
} from './blocks.ts'
import { type ServedWeather, Sliders, WeatherSwitches } from './weather-inputs.tsx'

type WeatherPart = { readonly weather?: Readonly<Record<string, WeatherBlocks>> }
type ConfigurationParts = Readonly<Record<'effective' | 'written', WeatherPart | undefined>>

export function WeatherView() {
  const world = chosenWorld.value
  const path = world === '' ? '/weather' : pathTo`/worlds/${world}/weather`
  // Weather may end by itself, and scripts may change it.
  const loaded = useReply<ServedWeather>(path, { every: 4000 })
  const { value } = useReply<ConfigurationParts>('/config')
  const presets = value?.effective?.weather ?? value?.written?.weather ?? {}
  return (
    <ShowLoaded of={loaded}>
      {weather => <WeatherControls key={path} {...{ path, world, weather, presets }} onChanged={loaded.reload} />}
    </ShowLoaded>
  )
}

interface WeatherControlsProps {
  readonly path: string
  /** Empty for every world that has no weather by itself. */
  readonly world: string
  readonly weather: ServedWeather
  readonly presets: Readonly<Record<string, WeatherBlocks>>
  readonly onChanged: () => Promise<void>
}

/** Milliseconds after the last move of a slider until the weather changes: keys move it many times. */
const SLIDER_WAIT = 300

function WeatherControls({ path, world, weather, presets, onChanged }: WeatherControlsProps) {
  const scope = readScope(parameter('for'))
  const [lasting, setLasting] = useState('')
  const task = useTask()
  // The sliders show the weather that is wished, until the gateway has it.
  const [wished, setWished] = useState(weather.blocks)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    if (timer.current === undefined) setWished(weather.blocks)
  }, [weather])
  useEffect(() => () => clearTimeout(timer.current), [])
  const over = world === '' ? 'everything' : world
  const put = async (body: object | undefined, done: string): Promise<void> => {
    const own = timer.current
    clearTimeout(own)
    await task.run(async () => {
      if (body === undefined) await call('DELETE', path)
      else await call('PUT', path, { body: { ...body, ...(lasting === '' ? {} : { for: lasting }) } })
      announce(done)
    })
    if (timer.current === own) timer.current = undefined
    await onChanged()
  }
  const change = (settings: WeatherSettings): void => {
    const blocks = withSettings(wished, scope, settings)
    if (stringifyJson(blocks) === stringifyJson(wished)) return
    setWished(blocks)
    const name = weather.name === null || weather.known.includes(weather.name) ? 'console' : weather.name
    const body = isClear(blocks) ? undefined : { ...blocks, name }
    clearTimeout(timer.current)
    timer.current = setTimeout(() => put(body, `The weather over ${over} has changed.`), SLIDER_WAIT)
  }
  return (
    <div class="weather">
      <div class="scroll">
        <WeatherSwitches {...{ weather, presets, world, lasting, onLasting: setLasting, onPut: put }} />
        <section class="section" aria-label="Sliders">
          <div class="row between">
            <h3>Settings for</h3>
            <ScopeChooser scope={scope} />
          </div>
          <OtherScopes blocks={wished} scope={scope} />
          <ProblemNotice error={task.error} />
          <Sliders key={writeScope(scope)} settings={settingsIn(wished, scope)} onChange={change} />
        </section>
      </div>
      <MeasuredPanel world={world} scope={scope} blocks={weather.blocks} />
    </div>
  )
}

const chooseScope = (scope: string): void => setParameters({ for: scope }, 'push')

/** Chooses the requests that the sliders are for: everything, a tag, an operation or a consumer. */
function ScopeChooser({ scope }: { scope: WeatherScope }) {
  const { value } = useMeasured({ minutes: 1 })
  const operations = value?.operations ?? []
  const optionsOf = (kind: WeatherScope['kind'], names: Iterable<string>) =>
    [...names].map(name => [writeScope({ kind, name }), `${kind} ${name}`] as const)
  return (
    <Select
      label="What the settings are for"
      value={writeScope(scope)}
      options={[
        ['', 'everything'],
        ...optionsOf('tag', new Set(operations.flatMap(({ tags }) => tags))),
        ...optionsOf(
          'operation',
          operations.map(({ operation }) => operation),
        ),
        ...optionsOf('consumer', knownConsumers.value),
      ]}
      onChange={chooseScope}
    />
  )
}

/** The other scopes that the weather has settings for, to go to them. */
function OtherScopes({ blocks, scope }: { blocks: WeatherBlocks; scope: WeatherScope }) {
  const others = scopesOf(blocks).filter(one => writeScope(one) !== writeScope(scope))
  return others.length === 0 ? null : (
    <p class="row">
      <span class="muted">Also for</span>
      {others.map(one => (
        <Button key={writeScope(one)} kind="quiet" onClick={() => chooseScope(writeScope(one))}>
          {one.name || one.kind}
          <span class="count muted">{settingsInWords(settingsIn(blocks, one)) || 'settings'}</span>
        </Button>
      ))}
    </p>
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
  const [bar, mark] = [measured === null ? 0 : placeOf(measured), wished === undefined ? -1 : placeOf(wished)]
  const background = [
    `linear-gradient(90deg, transparent ${mark}%, var(--warn) 0 calc(${mark}% + 3px), transparent 0)`,
    `linear-gradient(90deg, var(--accent) ${bar}%, var(--line) 0)`,
  ]
  return (
    <div class="meter-cell">
      {writeLatency(measured)}
      {wished === undefined ? null : <span class="muted"> / {writeLatency(wished)}</span>}
      <div class="meter" aria-hidden="true" style={{ background: background.join() }} />
    </div>
  )
}
