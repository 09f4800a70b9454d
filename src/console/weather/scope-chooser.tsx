// The requests that the sliders are for: everything, a tag, an operation or a consumer.

import { plan } from '../model/about.ts'
import { call } from '../model/control-plane.ts'
import { useLoaded } from '../model/loaded.ts'
import { setParameters } from '../model/location.ts'
import type { MeasuredOperations } from '../model/shapes.ts'
import { describeSettings, type Scope, scopesOf, settingsIn, type WeatherBlocks, writeScope } from './blocks.ts'

export function ScopeChooser({ scope }: { scope: Scope }) {
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
export const MadeOf = ({ blocks, scope }: { blocks: WeatherBlocks; scope: Scope }) => {
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
