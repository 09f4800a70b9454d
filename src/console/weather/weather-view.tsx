// View 5: the weather (latency, faults, limits) over everything or one world: presets, sliders, and what is measured.

import { useEffect, useRef, useState } from 'preact/hooks'
import { call, pathOf } from '../model/control-plane.ts'
import { useLoaded, usePolling } from '../model/loaded.ts'
import { chosenWorld, parameter } from '../model/location.ts'
import { announce } from '../parts/announce.tsx'
import { ProblemNotice, Show } from '../parts/notices.tsx'
import {
  isClear,
  readScope,
  settingsIn,
  type WeatherBlocks,
  type WeatherSettings,
  withSettings,
  writeScope,
} from './blocks.ts'
import { MeasuredPanel } from './measured-panel.tsx'
import { type CurrentWeather, PresetsPanel } from './presets-panel.tsx'
import { MadeOf, ScopeChooser } from './scope-chooser.tsx'
import { Sliders } from './sliders.tsx'

/** Milliseconds between two looks: weather may end by itself, and scripts may change it. */
const INTERVAL = 4000

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
  // The weather that was wished last: the next wish adds to it, even before the gateway has answered this one.
  const wished = useRef(weather.blocks)
  const waiting = useRef(0)
  const queue = useRef(Promise.resolve())
  useEffect(() => {
    if (waiting.current === 0) wished.current = weather.blocks
  }, [weather])
  const send = async (body: object | undefined, done: string): Promise<void> => {
    try {
      if (body === undefined) await call('DELETE', path)
      else await call('PUT', path, { body: { ...body, ...(lasting === '' ? {} : { for: lasting }) } })
      setError(undefined)
      announce(done)
    } catch (failure) {
      setError(failure as Error)
    }
    waiting.current -= 1
    onChanged()
  }
  const put = (body: object | undefined, done: string): void => {
    waiting.current += 1
    queue.current = queue.current.then(() => send(body, done))
  }
  const change = (settings: WeatherSettings): void => {
    const blocks = withSettings(wished.current, scope, settings)
    if (JSON.stringify(blocks) === JSON.stringify(wished.current)) return
    wished.current = blocks
    const name = weather.name === null || weather.known.includes(weather.name) ? 'console' : weather.name
    put(isClear(blocks) ? undefined : { ...blocks, name }, `The weather over ${over} has changed.`)
  }
  return (
    <div class="weather">
      <div class="weather-steer">
        <PresetsPanel {...{ weather, presets, world, lasting, onLasting: setLasting, onPut: put }} />
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
