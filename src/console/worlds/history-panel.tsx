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
  const path = pathTo`/worlds/${world}`
  const loaded = useReply<WorldHistory>(`${path}/history`, { query: { limit: 1000 }, every: 3000 })
  const goBack = async (to: number, into?: string): Promise<void> => {
    await call('POST', `${path}/rewind`, { body: { to, into } })
    if (into === undefined) setChosen(undefined)
    await Promise.all([dataChanged(), loaded.reload()])
    if (into !== undefined) location.hash = hrefOf('worlds', { world: into })
  }
  return (
    <Section label="History">
      <ShowLoaded of={loaded}>
        {({ entries }) => <WorldPast {...{ entries, chosen, goBack }} onChoose={setChosen} />}
      </ShowLoaded>
    </Section>
  )
}

interface WorldPastProps extends Pick<WorldHistory, 'entries'> {
  /** The position of the chosen change; unset for the latest one. */
  readonly chosen: number | undefined
  readonly onChoose: (position: number | undefined) => void
  /** @param into the new world to fork into; unset to rewind */
  readonly goBack: (position: number, into?: string) => Promise<void>
}

function WorldPast({ entries, chosen, onChoose, goBack }: WorldPastProps) {
  const oldest = entries.at(-1)
  if (oldest === undefined) return <Note text="Nothing has changed in this world yet." />
  const start: WorldChange = { position: oldest.position - 1, at: '', by: '', changes: [] }
  const changes = [...entries, start].reverse()
  const index = changes.findIndex(({ position }) => position === chosen)
  const place = index < 0 ? entries.length : index
  const change = changes[place] as WorldChange
  const when = whenOf(change)
  const world = shownWorld.value
  const fork = unusedName(
    world,
    knownWorlds.value.map(({ name }) => name),
  )
  const rewind = () => perform(() => goBack(change.position), `${world} is as it was.`)
  const branch = () => perform(() => goBack(change.position, fork), `${fork} is there.`)
  return (
    <>
      <label class="slider">
        <span>After change</span>
        <input
          type="range"
          max={entries.length}
          value={place}
          aria-valuetext={`${place} of ${entries.length}: ${when}`}
          onInput={({ currentTarget: { value } }) => onChoose(changes[Number(value)]?.position)}
        />
        <output class="end">
          {place} of {entries.length}
        </output>
      </label>
      <p>
        <b>{when}</b>{' '}
        {change.changes
          .map(({ change: kind, collection = '', id = '' }) => `${collection} ${id} ${kind}`.trim())
          .join(', ')}
      </p>
      <Actions
        label="Ways back"
        of={[
          place < entries.length && { icon: 'again', title: 'Rewind to here', run: rewind },
          { icon: 'copy', title: 'Fork from here', run: branch },
        ]}
      />
    </>
  )
}

/** Says when a change was made, and by which operation or call. */
const whenOf = ({ at, by }: WorldChange): string =>
  at === '' ? 'Before the first change' : `${writeMoment(Date.parse(at))} UTC, by ${by || 'the gateway'}`
