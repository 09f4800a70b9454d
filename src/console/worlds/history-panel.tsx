// The past of the shown world: a slider over its changes, what each one changed, and the ways to go back there.

import { useState } from 'preact/hooks'
import type { WorldChange, WorldHistory } from '../../http/control/types.ts'
import { call, hrefOf, knownWorlds, pathTo, shownWorld, useReply } from '../model/gateway.ts'
import { writeMoment } from '../model/wording.ts'
import { Actions, Note, perform, ShowLoaded } from '../parts/controls.tsx'
import { Section } from '../parts/panels.tsx'
import { dataChanged } from './data-panel.tsx'
import { unusedName } from './snapshot-file.ts'

export function HistoryPanel() {
  // The position; unset for the latest one, which is another one after each change.
  const [chosen, setChosen] = useState<number | undefined>()
  const world = shownWorld.value
  const names = knownWorlds.value.map(({ name }) => name)
  const path = pathTo`/worlds/${world}`
  const loaded = useReply<WorldHistory>(`${path}/history`, { query: { limit: 1000 }, every: 3000 })
  const goBack = async (to: number, into?: string): Promise<void> => {
    await call('POST', `${path}/rewind`, { body: { to, into } })
    if (into === undefined) setChosen(undefined)
    await Promise.all([dataChanged(), loaded.reload()])
    if (into !== undefined) location.hash = hrefOf('worlds', { world: into })
  }
  const show = ({ entries }: WorldHistory) => {
    const oldest = entries.at(-1)
    if (oldest === undefined) return <Note text="Nothing has changed in this world yet." />
    const start = { position: oldest.position - 1, at: '', by: '', changes: [] }
    const places = [...entries, start].reverse()
    const found = places.findIndex(({ position }) => position === chosen)
    const place = found < 0 ? entries.length : found
    const { position, at, by, changes } = places[place] as WorldChange
    const moment =
      at === '' ? 'Before the first change' : `${writeMoment(Date.parse(at))} UTC, by ${by || 'the gateway'}`
    const fork = unusedName(world, names)
    const rewind = () => perform(() => goBack(position), `${world} is as it was.`)
    return (
      <>
        <label class="slider">
          <span>After change</span>
          <input
            type="range"
            max={entries.length}
            value={place}
            aria-valuetext={`${place} of ${entries.length}: ${moment}`}
            onInput={({ currentTarget: { value } }) => setChosen(places[Number(value)]?.position)}
          />
          <output class="end">
            {place} of {entries.length}
          </output>
        </label>
        <p>
          <b>{moment}</b>{' '}
          {changes.map(({ change, collection = '', id = '' }) => `${collection} ${id} ${change}`.trim()).join(', ')}
        </p>
        <Actions
          label="Ways back"
          of={[
            place < entries.length && ['again', 'Rewind to here', rewind],
            ['copy', 'Fork from here', () => perform(() => goBack(position, fork), `${fork} is there.`)],
          ]}
        />
      </>
    )
  }
  return (
    <Section label="History">
      <ShowLoaded of={loaded}>{show}</ShowLoaded>
    </Section>
  )
}
