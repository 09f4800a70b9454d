// The list of worlds, with the time and the number of records of each.

import { useState } from 'preact/hooks'
import { hrefOf } from '../model/location.ts'
import { dayOf } from '../model/moments.ts'
import { type DescribedWorld, worlds } from '../model/worlds.ts'
import { Icon } from '../parts/icon.tsx'
import { NewWorldDialog } from './new-world-dialog.tsx'

export function WorldList({ chosen }: { chosen: string }) {
  const [making, setMaking] = useState(false)
  return (
    <aside class="world-list" aria-label="Worlds">
      <header class="section-head">
        <h2>
          Worlds <span class="count">{worlds.value.length}</span>
        </h2>
        <button type="button" class="button" onClick={() => setMaking(true)}>
          <Icon name="plus" />
          New world
        </button>
      </header>
      <ul>
        {worlds.value.map(world => (
          <li key={world.name}>
            <Entry world={world} chosen={world.name === chosen} />
          </li>
        ))}
      </ul>
      {making ? <NewWorldDialog from="" onClose={() => setMaking(false)} /> : null}
    </aside>
  )
}

function Entry({ world, chosen }: { world: DescribedWorld; chosen: boolean }) {
  const { name, clock, records, permanent } = world
  const count = Object.values(records).reduce((sum, one) => sum + one, 0)
  return (
    <a
      class="world-entry"
      href={hrefOf('worlds', { world: world.default ? '' : name })}
      aria-current={chosen ? 'true' : undefined}
    >
      <span class="world-name truncate">{name}</span>
      <span class="world-facts">
        <span class={clock.real ? '' : 'adjusted'}>
          {clock.real ? 'real time' : `${dayOf(Date.parse(clock.now))}${clock.frozen ? ', frozen' : ''}`}
        </span>
        <span class="number">{count.toLocaleString('en')} records</span>
        {permanent ? null : <span>sandbox</span>}
      </span>
    </a>
  )
}
