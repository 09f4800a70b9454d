// The weather presets of the configuration as switches, with their duration.

import { Button, Select } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { describeSettings, scopesOf, settingsIn, type WeatherBlocks } from './blocks.ts'

export interface ServedWeather {
  readonly name: string | null
  /** A timestamp, by real time. */
  readonly until?: string
  readonly known: readonly string[]
  readonly blocks: WeatherBlocks
}

export interface WeatherSwitchesProps {
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
  const clear = (done: string): void => onPut(undefined, done)
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
      <div class="presets">
        <WeatherSwitch
          name="Clear"
          about="As configured"
          on={current === null}
          onToggle={() => clear(`The weather over ${over} is clear.`)}
        />
        {[...known, ...(current === null || known.includes(current) ? [] : [current])].map(name => (
          <WeatherSwitch
            key={name}
            name={name}
            about={describeBlocks(known.includes(name) ? presets[name] : blocks)}
            on={current === name}
            onToggle={() =>
              current === name ? clear(`${name} has cleared.`) : onPut({ name }, `${name} is over ${over}.`)
            }
          />
        ))}
      </div>
      {until === undefined ? null : <p class="muted">Clears by itself at {until.slice(11, 19)} UTC.</p>}
      {known.length === 0 ? (
        <p class="muted">
          The configuration names no weather. With <code>weather: {'{ storm: { defaults: { latency: 2s } } }'}</code> a
          switch appears here. The sliders below work without.
        </p>
      ) : null}
      {world === '' ? null : (
        <p class="muted">
          It is in place of the weather over all, in {world} alone. Choose "All worlds" above for the weather over all.
        </p>
      )}
    </section>
  )
}

/** Summarises the settings of every block. */
const describeBlocks = (blocks: WeatherBlocks = {}): string =>
  scopesOf(blocks)
    .map(scope => {
      const settings = describeSettings(settingsIn(blocks, scope))
      return scope.kind === 'everything' ? settings : `${scope.name}: ${settings}`
    })
    .filter(part => part !== '')
    .join('; ')

interface WeatherSwitchProps {
  readonly name: string
  readonly about: string
  readonly on: boolean
  readonly onToggle: () => void
}

const WeatherSwitch = ({ name, about, on, onToggle }: WeatherSwitchProps) => (
  <Button role="switch" aria-checked={on} onClick={onToggle}>
    <b class="row nowrap">
      <Icon name={name === 'Clear' ? 'sun' : 'cloud'} />
      {name}
    </b>
    <span class="muted">{about}</span>
  </Button>
)
