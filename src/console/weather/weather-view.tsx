// View 5: the weather (latency, faults, limits) over everything or one world: presets, sliders, and what is measured.

import { useState } from 'preact/hooks'
import { plan } from '../model/about.ts'
import { call, pathOf } from '../model/control-plane.ts'
import { useLoaded, usePolling } from '../model/loaded.ts'
import { chosenWorld, parameter, setParameters } from '../model/location.ts'
import type { MeasuredOperations } from '../model/shapes.ts'
import { announce } from '../parts/announce.tsx'
import { Icon } from '../parts/icon.tsx'
import { ProblemNotice, Show } from '../parts/notices.tsx'
import {
  describeSettings,
  isClear,
  readScope,
  type Scope,
  scopesOf,
  settingsIn,
  type WeatherBlocks,
  type WeatherSettings,
  withSettings,
  writeScope,
} from './blocks.ts'
import { MeasuredPanel } from './measured-panel.tsx'
import { Sliders } from './sliders.tsx'

interface CurrentWeather {
  readonly name: string | null
  /** A timestamp, by real time. */
  readonly until?: string
  readonly known: readonly string[]
  readonly blocks: WeatherBlocks
}

/** Milliseconds between two looks: weather may end by itself, and scripts may change it. */
const INTERVAL = 4000
const DURATIONS = ['', '1m', '10m', '1h'] as const

export function WeatherView() {
  const world = chosenWorld.value
  const path = world === '' ? '/weather' : pathOf`/worlds/${world}/weather`
  const loaded = useLoaded(path, signal => call<CurrentWeather>('GET', path, { signal, quiet: true }))
  const presets = useLoaded('presets', async signal => {
    const { effective, written } = await call<Readonly<Record<string, { weather?: Record<string, WeatherBlocks> }>>>(
      'GET',
      '/config',
      { signal, quiet: true },
    )
    return effective?.weather ?? written?.weather ?? {}
  })
  usePolling(loaded.reload, INTERVAL)
  return (
    <Show of={loaded}>
      {weather => (
        <Weather
          key={path}
          path={path}
          world={world}
          weather={weather}
          presets={presets.value ?? {}}
          onChanged={loaded.reload}
        />
      )}
    </Show>
  )
}

interface WeatherProps {
  readonly path: string
  /** Empty for every world that has no weather by itself. */
  readonly world: string
  readonly weather: CurrentWeather
  readonly presets: Readonly<Record<string, WeatherBlocks>>
  readonly onChanged: () => void
}

function Weather({ path, world, weather, presets, onChanged }: WeatherProps) {
  const scope = readScope(parameter('for'))
  const [lasting, setLasting] = useState('')
  const [error, setError] = useState<Error | undefined>()
  const over = world === '' ? 'everything' : world
  const put = async (body: object | undefined, done: string): Promise<void> => {
    try {
      if (body === undefined) await call('DELETE', path)
      else await call('PUT', path, { body: { ...body, ...(lasting === '' ? {} : { for: lasting }) } })
      setError(undefined)
      announce(done)
    } catch (failure) {
      setError(failure as Error)
    }
    onChanged()
  }
  const change = (settings: WeatherSettings): void => {
    const blocks = withSettings(weather.blocks, scope, settings)
    const name = weather.name === null || weather.known.includes(weather.name) ? 'console' : weather.name
    void put(isClear(blocks) ? undefined : { ...blocks, name }, `The weather over ${over} has changed.`)
  }
  return (
    <div class="weather">
      <div class="weather-steer">
        <section class="section" aria-label="Presets">
          <div class="section-head">
            <h2>Weather over {over}</h2>
            <label class="lasting">
              <span class="muted">For</span>
              <select
                aria-label="How long it lasts"
                value={lasting}
                onChange={event => setLasting((event.currentTarget as HTMLSelectElement).value)}
              >
                {DURATIONS.map(duration => (
                  <option key={duration} value={duration}>
                    {duration === '' ? 'until switched off' : duration}
                  </option>
                ))}
              </select>
            </label>
          </div>
          <div class="presets">
            <Preset
              name="Clear"
              about="As the configuration has it"
              on={weather.name === null}
              onToggle={() => put(undefined, `The weather over ${over} is clear.`)}
            />
            {weather.known.map(name => (
              <Preset
                key={name}
                name={name}
                about={aboutOf(presets[name])}
                on={weather.name === name}
                onToggle={() =>
                  weather.name === name
                    ? put(undefined, `${name} has cleared.`)
                    : put({ name }, `${name} is over ${over}.`)
                }
              />
            ))}
            {weather.name === null || weather.known.includes(weather.name) ? null : (
              <Preset
                name={weather.name}
                about={aboutOf(weather.blocks)}
                on
                onToggle={() => put(undefined, `${weather.name} has cleared.`)}
              />
            )}
          </div>
          {weather.until === undefined ? null : (
            <p class="muted">Clears by itself at {weather.until.slice(11, 19)} UTC.</p>
          )}
          {weather.known.length === 0 ? (
            <p class="muted">
              The configuration names no weather. With{' '}
              <code>weather: {'{ storm: { defaults: { latency: 2s } } }'}</code> a switch appears here. The sliders
              below work without.
            </p>
          ) : null}
          {world === '' ? null : (
            <p class="muted">
              It is in place of the weather over all, in {world} alone. Choose "All worlds" above for the weather over
              all.
            </p>
          )}
        </section>
        <section class="section" aria-label="Sliders">
          <div class="section-head">
            <h3>Settings for</h3>
            <ScopeChooser scope={scope} />
          </div>
          <MadeOf blocks={weather.blocks} scope={scope} />
          {error === undefined ? null : <ProblemNotice error={error} />}
          <Sliders key={writeScope(scope)} settings={settingsIn(weather.blocks, scope)} onChange={change} />
        </section>
      </div>
      <MeasuredPanel world={world} scope={scope} blocks={weather.blocks} />
    </div>
  )
}

/** Says what a preset does to everything, and that it has more. */
function aboutOf(blocks: WeatherBlocks | undefined): string {
  if (blocks === undefined) return ''
  const parts = scopesOf(blocks).map(scope => {
    const what = describeSettings(settingsIn(blocks, scope))
    return scope.kind === 'everything' ? what : `${scope.name}: ${what}`
  })
  return parts.filter(part => part !== '').join('; ')
}

interface PresetProps {
  readonly name: string
  readonly about: string
  readonly on: boolean
  readonly onToggle: () => void
}

const Preset = ({ name, about, on, onToggle }: PresetProps) => (
  <button type="button" role="switch" class="preset" aria-checked={on} onClick={onToggle}>
    <span class="preset-name">
      <Icon name={name === 'Clear' ? 'sun' : 'cloud'} />
      {name}
    </span>
    <span class="preset-about">{about}</span>
  </button>
)

function ScopeChooser({ scope }: { scope: Scope }) {
  const tags = useLoaded('tags', async signal => {
    const { operations } = await call<MeasuredOperations>('GET', '/operations', { signal, quiet: true })
    return [...new Set(operations.flatMap(operation => operation.tags))]
  })
  const groups = [
    ['Tags', 'tag', tags.value ?? []],
    ['Operations', 'operation', plan.value?.operations.map(({ operation }) => operation) ?? []],
    ['Consumers', 'consumer', plan.value?.consumers ?? []],
  ] as const
  return (
    <select
      aria-label="What the settings are for"
      value={writeScope(scope)}
      onChange={event => setParameters({ for: (event.currentTarget as HTMLSelectElement).value }, 'push')}
    >
      <option value="">everything</option>
      {groups.map(([title, kind, names]) =>
        names.length === 0 ? null : (
          <optgroup key={kind} label={title}>
            {names.map(name => (
              <option key={name} value={writeScope({ kind, name })}>
                {name}
              </option>
            ))}
          </optgroup>
        ),
      )}
    </select>
  )
}

/** The scopes that the weather has settings for, to go to them. */
const MadeOf = ({ blocks, scope }: { blocks: WeatherBlocks; scope: Scope }) => {
  const others = scopesOf(blocks).filter(one => writeScope(one) !== writeScope(scope))
  return others.length === 0 ? null : (
    <p class="made-of">
      <span class="muted">Also for</span>
      {others.map(one => (
        <button
          key={writeScope(one)}
          type="button"
          class="button quiet"
          onClick={() => setParameters({ for: writeScope(one) }, 'push')}
        >
          {one.kind === 'everything' ? 'everything' : one.name}
          <span class="count">{describeSettings(settingsIn(blocks, one)) || 'settings'}</span>
        </button>
      ))}
    </p>
  )
}
