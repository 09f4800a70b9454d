// Chooses the world that the views show. The choice is in the URL.

import { chosenWorld, setParameters } from '../model/location.ts'
import { refreshWorlds, worlds } from '../model/worlds.ts'

/** @param all whether the view can show all worlds at once */
export function WorldChooser({ all }: { all: boolean }) {
  const names = worlds.value.map(({ name }) => name).filter(name => all || name !== 'default')
  const chosen = all || chosenWorld.value !== 'default' ? chosenWorld.value : ''
  // A world may be named by a link before it was used, or be gone.
  const missing = chosen !== '' && !names.includes(chosen) ? [chosen] : []
  const choose = (event: Event): void =>
    setParameters({ world: (event.currentTarget as HTMLSelectElement).value }, 'push')
  return (
    <label class="world-chooser">
      <span>World</span>
      <select
        value={chosen}
        onChange={choose}
        onFocus={() => {
          refreshWorlds().catch(() => undefined)
        }}
      >
        <option value="">{all ? 'All worlds' : 'default'}</option>
        {[...names, ...missing].map(name => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
