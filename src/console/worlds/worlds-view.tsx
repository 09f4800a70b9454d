// View 3: the worlds, the clock of each, and the records in it.

import { useState } from 'preact/hooks'
import { ControlError, call, pathTo } from '../model/control-plane.ts'
import { type DescribedWorld, refreshWorlds, worlds } from '../model/gateway.ts'
import { useLoaded, usePolling } from '../model/loaded.ts'
import { hrefOf, shownWorld } from '../model/location.ts'
import { plural, writeDay } from '../model/wording.ts'
import { CommandBox } from '../parts/commands.tsx'
import { Button } from '../parts/controls.tsx'
import { EmptyState, Loaded, perform } from '../parts/notices.tsx'
import { ClockPanel } from './clock-panel.tsx'
import { DataPanel } from './data-panel.tsx'
import { NewWorldDialog, WorldHead } from './world-head.tsx'

export function WorldsView() {
  const name = shownWorld.value
  // Requests make sandboxes.
  usePolling(refreshWorlds, 5000)
  return (
    <div class="worlds">
      <WorldList chosen={name} />
      <WorldPanel key={name} name={name} />
    </div>
  )
}

function WorldList({ chosen }: { chosen: string }) {
  const [making, setMaking] = useState(false)
  return (
    <aside class="world-list" aria-label="Worlds">
      <header class="row between">
        <h2>
          Worlds <span class="count">{worlds.value.length}</span>
        </h2>
        <Button icon="plus" onClick={() => setMaking(true)}>
          New world
        </Button>
      </header>
      <ul>
        {worlds.value.map(world => (
          <li key={world.name}>
            <WorldEntry world={world} chosen={world.name === chosen} />
          </li>
        ))}
      </ul>
      {making ? <NewWorldDialog onClose={() => setMaking(false)} /> : null}
    </aside>
  )
}

function WorldEntry({
  world: { name, clock, records, permanent, ...world },
  chosen,
}: {
  world: DescribedWorld
  chosen: boolean
}) {
  const count = Object.values(records).reduce((sum, one) => sum + one, 0)
  return (
    <a
      class="entry"
      href={hrefOf('worlds', { world: world.default ? '' : name })}
      aria-current={chosen ? 'true' : undefined}
    >
      <b class="truncate">{name}</b>
      <span class="row muted">
        <span class={clock.real ? '' : 'tone-warn'}>
          {clock.real ? 'real time' : `${writeDay(Date.parse(clock.now))}${clock.frozen ? ', frozen' : ''}`}
        </span>
        <span>{plural(count, 'record')}</span>
        {permanent ? null : <span>sandbox</span>}
      </span>
    </a>
  )
}

function WorldPanel({ name }: { name: string }) {
  const listed = worlds.value.find(world => world.name === name)
  // The shell loads the list. A world may have been created since, and a missing one is named.
  const loaded = useLoaded(`${name}${listed === undefined}`, signal =>
    call<DescribedWorld>('GET', pathTo`/worlds/${name}`, { signal, quiet: true }),
  )
  if (listed === undefined && loaded.error instanceof ControlError && loaded.error.status === 404) {
    return <MissingWorld name={name} />
  }
  return (
    <Loaded of={listed === undefined ? loaded : { ...loaded, value: listed, error: undefined }}>
      {world => (
        <div class="view world">
          <WorldHead world={world} />
          <ClockPanel world={name} />
          <DataPanel world={name} records={world.records} />
        </div>
      )}
    </Loaded>
  )
}

function MissingWorld({ name }: { name: string }) {
  const make = async (): Promise<void> => {
    await call('POST', '/worlds', { body: { name } })
    await refreshWorlds()
  }
  return (
    <EmptyState icon="globe" title={`There is no world "${name}" yet`}>
      <p>It begins with the first request that names it, from the seeds and by real time.</p>
      <CommandBox text={`curl -X POST ${location.origin}/worlds --json '{"name": "${name}"}'`} />
      <Button kind="primary" onClick={() => perform(make, `${name} is there.`)}>
        Make it now
      </Button>
    </EmptyState>
  )
}
