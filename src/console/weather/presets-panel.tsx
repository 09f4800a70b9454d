// The weather presets of the configuration as switches, with their duration.

import { Icon } from '../parts/icon.tsx'
import { describeSettings, scopesOf, settingsIn, type WeatherBlocks } from './blocks.ts'

export interface CurrentWeather {
  readonly name: string | null
  /** A timestamp, by real time. */
  readonly until?: string
  readonly known: readonly string[]
  readonly blocks: WeatherBlocks
}

export interface PresetsPanelProps {
  readonly weather: CurrentWeather
  readonly presets: Readonly<Record<string, WeatherBlocks>>
  /** Empty for every world that has no weather by itself. */
  readonly world: string
  /** `10m`; empty until it is switched off. */
  readonly lasting: string
  readonly onLasting: (lasting: string) => void
  /** Takes the weather that is wished; `undefined` to clear it. */
  readonly onPut: (body: object | undefined, done: string) => void
}

const DURATIONS = ['', '1m', '10m', '1h'] as const

export function PresetsPanel({ weather, presets, world, lasting, onLasting, onPut }: PresetsPanelProps) {
  const over = world === '' ? 'everything' : world
  return (
    <section class="section" aria-label="Presets">
      <div class="section-head">
        <h2>Weather over {over}</h2>
        <label class="lasting">
          <span class="muted">For</span>
          <select
            aria-label="How long it lasts"
            value={lasting}
            onChange={event => onLasting((event.currentTarget as HTMLSelectElement).value)}
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
          about="As configured"
          on={weather.name === null}
          onToggle={() => onPut(undefined, `The weather over ${over} is clear.`)}
        />
        {weather.known.map(name => (
          <Preset
            key={name}
            name={name}
            about={aboutOf(presets[name])}
            on={weather.name === name}
            onToggle={() =>
              weather.name === name
                ? onPut(undefined, `${name} has cleared.`)
                : onPut({ name }, `${name} is over ${over}.`)
            }
          />
        ))}
        {weather.name === null || weather.known.includes(weather.name) ? null : (
          <Preset
            name={weather.name}
            about={aboutOf(weather.blocks)}
            on
            onToggle={() => onPut(undefined, `${weather.name} has cleared.`)}
          />
        )}
      </div>
      {weather.until === undefined ? null : <p class="muted">Clears by itself at {weather.until.slice(11, 19)} UTC.</p>}
      {weather.known.length === 0 ? (
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

/** Summarises the defaults of a preset, and mentions its other blocks. */
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
