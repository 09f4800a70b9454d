// View 3: the worlds, the clock of each, and the records in it.

import { ControlError, call, pathOf } from '../model/control-plane.ts'
import { useLoaded, usePolling } from '../model/loaded.ts'
import { shownWorld } from '../model/location.ts'
import { type DescribedWorld, refreshWorlds, worlds } from '../model/worlds.ts'
import { attempt } from '../parts/announce.tsx'
import { CommandLine } from '../parts/copy-button.tsx'
import { EmptyState, ProblemNotice, Progress } from '../parts/notices.tsx'
import { ClockPanel } from './clock-panel.tsx'
import { DataPanel } from './data-panel.tsx'
import { WorldHead } from './world-head.tsx'
import { WorldList } from './world-list.tsx'

/** Milliseconds between two looks at the worlds: requests make sandboxes. */
const INTERVAL = 5000

const lookAgain = (): void => void refreshWorlds().catch(() => undefined)

export function WorldsView() {
  const name = shownWorld.value
  usePolling(lookAgain, INTERVAL)
  return (
    <div class="worlds">
      <WorldList chosen={name} />
      <World key={name} name={name} />
    </div>
  )
}

function World({ name }: { name: string }) {
  const listed = worlds.value.find(world => world.name === name)
  // The shell loads the list. A world may have been created since, and a missing one is named.
  const loaded = useLoaded(`${name}${listed === undefined}`, signal =>
    call<DescribedWorld>('GET', pathOf`/worlds/${name}`, { signal, quiet: true }),
  )
  const world = listed ?? loaded.value
  if (world !== undefined) {
    return (
      <div class="world">
        <WorldHead world={world} />
        <ClockPanel world={name} />
        <DataPanel world={name} records={world.records} />
      </div>
    )
  }
  if (loaded.error === undefined) return <Progress />
  if (!(loaded.error instanceof ControlError) || loaded.error.status !== 404) {
    return <ProblemNotice error={loaded.error} retry={loaded.reload} />
  }
  return <Missing name={name} />
}

const Missing = ({ name }: { name: string }) => (
  <EmptyState icon="globe" title={`There is no world "${name}" yet`}>
    <p>It begins with the first request that names it, from the seeds and by real time.</p>
    <CommandLine text={`curl -X POST ${location.origin}/worlds --json '{"name": "${name}"}'`} />
    <button
      type="button"
      class="button primary"
      onClick={() =>
        attempt(async () => {
          await call('POST', '/worlds', { body: { name } })
          await refreshWorlds()
        }, `${name} is there.`)
      }
    >
      Make it now
    </button>
  </EmptyState>
)
