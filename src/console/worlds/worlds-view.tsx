// View 3: the list of worlds, and one of them: the actions on it, its clock, and its records.

import { useRef, useState } from 'preact/hooks'
import { call, callForReply, callForText, pathTo, usePolling, useReply } from '../model/control-plane.ts'
import { type DescribedWorld, knownWorlds, refreshClock, refreshWorlds } from '../model/gateway.ts'
import { hrefOf, openView, shownWorld } from '../model/location.ts'
import { plural, writeDay } from '../model/wording.ts'
import { Actions, Button, FormField, SelectField, saveFile, TextField } from '../parts/controls.tsx'
import { announce, CommandBox, EmptyState, perform, ShowLoaded, TaskForm } from '../parts/notices.tsx'
import { Badge, Dialog } from '../parts/panels.tsx'
import { ClockPanel } from './clock-panel.tsx'
import { DataPanel, dataChanged } from './data-panel.tsx'
import { checkSnapshot, creationOf, snapshotName, unusedName } from './snapshot-file.ts'

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
    <aside class="world-list stack scroll" aria-label="Worlds">
      <header class="row between">
        <h2>
          Worlds <span class="count muted">{knownWorlds.value.length}</span>
        </h2>
        <Button icon="plus" onClick={() => setMaking(true)}>
          New world
        </Button>
      </header>
      <ul>
        {knownWorlds.value.map(world => (
          <li key={world.name}>
            <WorldEntry world={world} chosen={world.name === chosen} />
          </li>
        ))}
      </ul>
      {making && <NewWorldDialog onClose={() => setMaking(false)} />}
    </aside>
  )
}

function WorldEntry({ world, chosen }: { world: DescribedWorld; chosen: boolean }) {
  const { name, clock, records, permanent } = world
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
  const listed = knownWorlds.value.find(world => world.name === name)
  // The shell loads the list. A world may have been created since, and a missing one is named.
  const loaded = useReply<DescribedWorld>(listed === undefined ? pathTo`/worlds/${name}` : undefined)
  return (
    <ShowLoaded
      of={listed === undefined ? loaded : { ...loaded, value: listed }}
      missing={<MissingWorld name={name} />}
    >
      {world => (
        <div class="view world">
          <WorldHead world={world} />
          <ClockPanel world={name} />
          <DataPanel world={name} records={world.records} />
        </div>
      )}
    </ShowLoaded>
  )
}

function MissingWorld({ name }: { name: string }) {
  const make = async (): Promise<void> => {
    await call('POST', '/worlds', { body: { name } })
    await refreshWorlds()
  }
  return (
    <EmptyState
      icon="globe"
      title={`There is no world "${name}" yet`}
      text="It begins with the first request that names it, from the seeds and by real time."
    >
      <CommandBox text={`curl -X POST ${location.origin}/worlds --json '{"name": "${name}"}'`} />
      <Button kind="primary" onClick={() => perform(make, `${name} is there.`)}>
        Make it now
      </Button>
    </EmptyState>
  )
}

const JSON_FILES = 'application/json,.json'

interface WorldQuestion {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly work: () => Promise<unknown>
  readonly done: string
}

function WorldHead({ world: { name, permanent, host } }: { world: DescribedWorld }) {
  const [asked, setAsked] = useState<WorldQuestion | 'fork' | undefined>()
  const [saving, setSaving] = useState(false)
  const chooser = useRef<HTMLInputElement>(null)
  const close = (): void => setAsked(undefined)
  const path = pathTo`/worlds/${name}`
  const save = async (): Promise<void> => {
    setSaving(true)
    await perform(async () => {
      const reply = await callForReply('GET', `${path}/snapshot`)
      saveFile(snapshotName(name, Date.now()), await reply.blob())
    }, `The snapshot of ${name} is saved.`)
    setSaving(false)
  }
  const restore = (file: File): void =>
    setAsked({
      title: `Restore ${name} from ${file.name}?`,
      text: 'This replaces its records and its time by those of the snapshot. An invalid snapshot changes nothing.',
      action: 'Restore it',
      work: async () => {
        const text = await file.text()
        checkSnapshot(text)
        await callForText('PUT', `${path}/snapshot`, { body: text, type: 'application/json' })
      },
      done: `${name} is as the snapshot has it.`,
    })
  const reset = (): void =>
    setAsked({
      title: `Reset ${name}?`,
      text: 'This resets its records to the seeds and its clock to real time, clears its weather and removes its requests.',
      action: 'Reset it',
      work: () => callForText('POST', `${path}/reset`),
      done: `${name} begins anew.`,
    })
  const remove = (): void =>
    setAsked({
      title: `Delete ${name}?`,
      text: 'This removes its records and requests. The next request that names it creates it again from the seeds.',
      action: 'Delete it',
      work: async () => {
        await callForText('DELETE', path)
        openView('worlds', { world: '' })
      },
      done: `${name} is deleted.`,
    })
  return (
    <header class="bar">
      <h2 class="truncate">{name}</h2>
      <Badge tone={permanent ? 'plain' : 'accent'}>{permanent ? 'permanent' : 'sandbox'}</Badge>
      {host && <span class="muted">{host}</span>}
      <span class="spring" />
      <Actions
        label={`Actions on ${name}`}
        of={[
          ['copy', 'Fork', () => setAsked('fork'), 'Copies it'],
          ['download', saving ? 'Saving…' : 'Save snapshot', save, 'Saves all its records and its time to a file'],
          ['upload', 'Restore', () => chooser.current?.click(), 'Replaces it by a snapshot'],
          ['again', 'Reset', reset, 'Resets it to the seeds'],
          !permanent && ['trash', 'Delete', remove, 'Deletes it'],
        ]}
      />
      <input
        ref={chooser}
        class="visually-hidden"
        type="file"
        accept={JSON_FILES}
        aria-label={`Snapshot to restore ${name} from`}
        tabIndex={-1}
        onChange={({ currentTarget: input }) => {
          const file = input.files?.[0]
          if (file !== undefined) restore(file)
          // The same file can be chosen again.
          input.value = ''
        }}
      />
      {asked === undefined ? null : asked === 'fork' ? (
        <NewWorldDialog from={name} onClose={close} />
      ) : (
        <Confirmation question={asked} onClose={close} />
      )}
    </header>
  )
}

function Confirmation({ question, onClose }: { question: WorldQuestion; onClose: () => void }) {
  const { title, text, action, work, done } = question
  const confirm = async (): Promise<void> => {
    await work()
    await Promise.all([refreshWorlds(), refreshClock()])
    dataChanged()
    announce(done)
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <TaskForm action={action} doing="Working…" work={confirm} onCancel={onClose}>
        <p>{text}</p>
      </TaskForm>
    </Dialog>
  )
}

const FROM_SEEDS = ' seeds'
const FROM_FILE = ' file'

/** Makes a world: from the seeds, as a copy of another one, or from a snapshot in a file. @param from the world to copy */
function NewWorldDialog({ from, onClose }: { from?: string; onClose: () => void }) {
  const names = knownWorlds.value.map(({ name }) => name)
  const [typed, setTyped] = useState(() => unusedName(from ?? 'sandbox', names))
  const [origin, setOrigin] = useState(from ?? FROM_SEEDS)
  const [file, setFile] = useState<File | undefined>()
  const name = typed.trim()
  const make = async (): Promise<void> => {
    const body =
      origin === FROM_FILE
        ? creationOf(name, (await file?.text()) ?? '')
        : JSON.stringify({ name, ...(origin === FROM_SEEDS ? {} : { from: origin }) })
    await callForText('POST', '/worlds', { body, type: 'application/json' })
    await refreshWorlds()
    announce(`${name} is there.`)
    openView('worlds', { world: name })
    onClose()
  }
  return (
    <Dialog title={from === undefined ? 'New world' : `Fork ${from}`} onClose={onClose}>
      <TaskForm action="Make it" doing="Making it…" work={make} onCancel={onClose}>
        <TextField
          label="Name"
          hint="Requests reach it with the header Understudy-World."
          required
          value={typed}
          onText={setTyped}
        />
        <SelectField
          label="It begins with"
          value={origin}
          options={[
            [FROM_SEEDS, 'the seeds, by real time'],
            ...names.map(one => [one, `the records and the time of ${one}`] as const),
            [FROM_FILE, 'a snapshot in a file'],
          ]}
          onChange={setOrigin}
        />
        {origin === FROM_FILE && (
          <FormField label="Snapshot" hint="A JSON file that was saved here before.">
            <input
              type="file"
              accept={JSON_FILES}
              required
              onChange={event => setFile(event.currentTarget.files?.[0])}
            />
          </FormField>
        )}
      </TaskForm>
    </Dialog>
  )
}
