// View 5: the weather (latency, faults, limits) over everything or one world: presets, sliders, and what is measured.

import { useEffect, useRef, useState } from 'preact/hooks'
import { stringifyJson } from '../../kernel/json.ts'
import { call, pathTo } from '../model/control-plane.ts'
import { servedPlan, useMeasured } from '../model/gateway.ts'
import { useLoaded, useTask } from '../model/loaded.ts'
import { chosenWorld, parameter, setParameters } from '../model/location.ts'
import { Button, Select } from '../parts/controls.tsx'
import { announce, Loaded, ProblemNotice } from '../parts/notices.tsx'
import {
  describeSettings,
  isClear,
  readScope,
  scopesOf,
  settingsIn,
  type WeatherBlocks,
  type WeatherScope,
  type WeatherSettings,
  withSettings,
  writeScope,
} from './blocks.ts'
import { MeasuredPanel } from './measured-panel.tsx'
import { Sliders } from './sliders.tsx'
import { type ServedWeather, WeatherSwitches } from './weather-switches.tsx'

export function WeatherView() {
  const world = chosenWorld.value
  const path = world === '' ? '/weather' : pathTo`/worlds/${world}/weather`
  // Weather may end by itself, and scripts may change it.
  const loaded = useLoaded(path, signal => call<ServedWeather>('GET', path, { signal, quiet: true }), 4000)
  const presets = useLoaded('presets', async signal => {
    type Parts = Readonly<Record<string, { readonly weather?: Readonly<Record<string, WeatherBlocks>> }>>
    const { effective, written } = await call<Parts>('GET', '/config', { signal, quiet: true })
    return effective?.weather ?? written?.weather ?? {}
  })
  return (
    <Loaded of={loaded}>
      {weather => (
        <WeatherControls
          key={path}
          path={path}
          world={world}
          weather={weather}
          presets={presets.value ?? {}}
          onChanged={loaded.reload}
        />
      )}
    </Loaded>
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
      <div class="weather-steer">
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
        ...optionsOf('consumer', servedPlan.value?.consumers ?? []),
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
          <span class="count">{describeSettings(settingsIn(blocks, one)) || 'settings'}</span>
        </Button>
      ))}
    </p>
  )
}
