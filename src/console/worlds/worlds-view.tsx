// View 3: the list of worlds, and one of them: the actions on it, its clock, and its records.

import { useRef, useState } from 'preact/hooks'
import type { ClockWords, DescribedWorld, ShownClock } from '../../http/control/types.ts'
import {
  call,
  callForReply,
  clock,
  hrefOf,
  knownWorlds,
  parameter,
  parseExactly,
  pathTo,
  refreshWorlds,
  setClock,
  setParameters,
  shownWorld,
  speedWords,
  useNow,
  useReply,
  useTask,
  worldTime,
} from '../model/gateway.ts'
import type { WorldCalendar } from '../model/replies.ts'
import { momentTyped, plural, writeDay, writeDistance, writeMoment } from '../model/wording.ts'
import {
  Actions,
  announce,
  Button,
  EmptyState,
  Note,
  perform,
  Select,
  Spinner,
  saveFile,
  TaskForm,
  TextField,
  Timestamp,
} from '../parts/controls.tsx'
import { Badge, Dialog } from '../parts/panels.tsx'
import { DataPanel, dataChanged } from './data-panel.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { snapshotName, unusedName } from './snapshot-file.ts'

export function WorldsView() {
  const name = shownWorld.value
  const world = knownWorlds.value.find(known => known.name === name)
  return (
    <div class="worlds">
      <WorldList chosen={name} />
      {world !== undefined ? (
        <div key={name} class="view world">
          <WorldHead {...world} />
          <ClockPanel />
          {parameter('history') && <HistoryPanel />}
          <DataPanel records={world.records} />
        </div>
      ) : knownWorlds.value.length > 0 ? (
        <MissingWorld name={name} />
      ) : (
        <Spinner />
      )}
    </div>
  )
}

const totalOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

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
        {knownWorlds.value.map(({ name, clock: { real, now, frozen }, records, permanent, default: isDefault }) => (
          <li key={name}>
            <a
              class="entry"
              href={hrefOf('worlds', { world: isDefault ? '' : name })}
              aria-current={name === chosen ? 'true' : undefined}
            >
              <b>{name}</b>
              <span class="row muted">
                <span class={real ? '' : 'tone-warn'}>
                  {real ? 'real time' : `${writeDay(Date.parse(now))}${frozen ? ', frozen' : ''}`}
                </span>
                <span>{plural(totalOf(Object.values(records)), 'record')}</span>
                {!permanent && <span>sandbox</span>}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {making && <NewWorldDialog onClose={() => setMaking(false)} />}
    </aside>
  )
}

async function makeWorld(body: object): Promise<void> {
  await call('POST', '/worlds', { body })
  await refreshWorlds()
}

function MissingWorld({ name }: { name: string }) {
  return (
    <EmptyState
      icon="globe"
      title={`There is no world "${name}" yet`}
      text="It begins with the first request that names it, from the seeds and by real time."
    >
      <Button kind="primary" onClick={() => perform(() => makeWorld({ name }), `${name} is there.`)}>
        Create it
      </Button>
    </EmptyState>
  )
}

const SPEEDS = [1, 10, 60, 3600, 86400]
const STEPS = ['+1h', '+1d', '+30d'] as const

const changeClock = (change: ClockWords | undefined, done: string): Promise<boolean> =>
  perform(() => setClock(change), done)

/** The clock of the shown world: its time, its speed, and jumps to a date or to the next event of the calendar. */
function ClockPanel() {
  const now = useNow(250)
  const time = worldTime(now)
  if (clock.value === undefined || time === undefined) return null
  const { real, frozen, rate } = clock.value
  return (
    <section class="bar clock-panel" aria-label="Clock">
      <div>
        <p class={`clock-time ${real ? '' : 'tone-warn'}`}>
          <Timestamp at={time} /> <span class="muted">UTC</span>
        </p>
        <p class="muted">{courseWords(clock.value, time - now)}</p>
      </div>
      <div class="row clock-controls">
        <Button
          icon={frozen ? 'play' : 'pause'}
          aria-pressed={frozen}
          onClick={() => changeClock({ freeze: !frozen }, frozen ? 'The clock runs.' : 'The clock is frozen.')}
        >
          {frozen ? 'Let it go on' : 'Freeze'}
        </Button>
        <Select
          label="Speed of the clock"
          value={`${rate}`}
          options={[...new Set([rate, ...SPEEDS])].map(speed => [`${speed}`, speedWords(speed)] as const)}
          onChange={next => changeClock({ rate: Number(next) }, `The clock runs ${speedWords(Number(next))}.`)}
        />
        {STEPS.map(step => (
          <Button key={step} onClick={() => changeClock({ now: step }, `The clock went on ${step}.`)}>
            {step}
          </Button>
        ))}
        {!real && (
          <Button icon="clock" onClick={() => changeClock(undefined, 'The clock shows real time.')}>
            Real time
          </Button>
        )}
        <JumpForm />
      </div>
      <NextEvent time={time} />
    </section>
  )
}

/** @param ahead milliseconds before real time */
function courseWords({ real, frozen, rate }: ShownClock, ahead: number): string {
  if (real) return 'Real time'
  const course = frozen ? 'Frozen' : `Running${rate === 1 ? '' : ` ${speedWords(rate)}`}`
  return Math.abs(ahead) < 2000 ? course : `${course}, ${writeDistance(ahead).replace(/^in (.*)$/, '$1 ahead')}`
}

function JumpForm() {
  const [text, setText] = useState('')
  const { error, run } = useTask()
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const now = momentTyped(text)
    if (!(await run(() => setClock({ now })))) return
    announce(`The clock jumped to ${/^[+-]/.test(now) ? now : writeMoment(Date.parse(now))}.`)
    setText('')
  }
  return (
    <form class="row" onSubmit={submit}>
      <TextField
        label="Jump to"
        error={error?.message}
        placeholder="2030-12-06 or +30d"
        value={text}
        onChange={setText}
      />
      <Button submits>Jump</Button>
    </form>
  )
}

function NextEvent({ time }: { time: number }) {
  // Requests change records, and the clock is set.
  const calendar = pathTo`/worlds/${shownWorld.value}/calendar`
  const next = useReply<WorldCalendar>(calendar, { query: { limit: 1 }, every: 2000 }).value?.next
  const at = Date.parse(next?.at ?? '')
  if (next === undefined || at <= time) return null
  if (next === null) {
    return (
      <p class="muted next-event">
        Nothing is to come on the <a href={hrefOf('time')}>calendar</a>.
      </p>
    )
  }
  return (
    <p class="row next-event">
      <Button
        icon="calendar"
        onClick={() => changeClock({ now: next.at }, `The clock jumped to ${writeMoment(at)}. Now: ${next.text}.`)}
      >
        Jump to the next event
      </Button>
      <span>{next.text}</span>
      <span class="muted">
        {writeMoment(at)}, {writeDistance(at - time)}
      </span>
    </p>
  )
}

const JSON_FILES = 'application/json,.json'

/** Reads a snapshot; its numbers stay digit for digit. */
const jsonIn = async (file: File): Promise<unknown> => parseExactly(await file.text(), 'the file')

/** An action on a world that a dialog asks about. */
interface WorldQuestion {
  readonly title: string
  readonly text: string
  /** The title of the button. */
  readonly action: string
  /** The message after it. */
  readonly done: string
  readonly work: () => Promise<unknown>
}

const askToRestore = (world: string, file: File): WorldQuestion => ({
  title: `Restore ${world} from ${file.name}?`,
  text: 'This replaces its records and its time by those of the snapshot. An invalid snapshot changes nothing.',
  action: 'Restore it',
  done: `${world} is as the snapshot has it.`,
  work: async () => call('PUT', pathTo`/worlds/${world}/snapshot`, { body: await jsonIn(file) }),
})

const askToReset = (world: string): WorldQuestion => ({
  title: `Reset ${world}?`,
  text: 'This resets its records to the seeds and its clock to real time, clears its weather and removes its requests.',
  action: 'Reset it',
  done: `${world} begins anew.`,
  work: () => call('POST', pathTo`/worlds/${world}/reset`),
})

const askToDelete = (world: string): WorldQuestion => ({
  title: `Delete ${world}?`,
  text: 'This removes its records and requests. The next request that names it creates it again from the seeds.',
  action: 'Delete it',
  done: `${world} is deleted.`,
  work: async () => {
    await call('DELETE', pathTo`/worlds/${world}`)
    location.hash = hrefOf('worlds', { world: '' })
  },
})

async function saveSnapshot(world: string): Promise<void> {
  const reply = await callForReply('GET', pathTo`/worlds/${world}/snapshot`)
  saveFile(snapshotName(world, Date.now()), await reply.blob())
}

const toggleHistory = (): void => setParameters({ history: parameter('history') === '' ? 'open' : '' })

function WorldHead({ name, permanent, host }: Pick<DescribedWorld, 'name' | 'permanent' | 'host'>) {
  const [dialog, setDialog] = useState<WorldQuestion | 'fork' | undefined>()
  const close = (): void => setDialog(undefined)
  return (
    <header class="bar">
      <h2 class="truncate">{name}</h2>
      <Badge tone={permanent ? 'plain' : 'accent'}>{permanent ? 'permanent' : 'sandbox'}</Badge>
      {host && <span class="muted">Requests to the host {host} reach this world.</span>}
      <span class="spring" />
      <WorldActions {...{ name, permanent }} ask={setDialog} />
      {dialog === 'fork' ? (
        <NewWorldDialog from={name} onClose={close} />
      ) : (
        dialog && <Confirmation of={dialog} onClose={close} />
      )}
    </header>
  )
}

interface WorldActionsProps extends Pick<DescribedWorld, 'name' | 'permanent'> {
  readonly ask: (question: WorldQuestion | 'fork') => void
}

function WorldActions({ name, permanent, ask }: WorldActionsProps) {
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <>
      <Actions
        label={`Actions on ${name}`}
        of={[
          { icon: 'copy', title: 'Fork', run: () => ask('fork'), about: 'A new world with the same records and time' },
          { icon: 'clock', title: 'History', run: toggleHistory, about: 'Its changes, and the way back' },
          {
            icon: 'download',
            title: 'Save snapshot',
            run: () => perform(() => saveSnapshot(name), `The snapshot of ${name} is saved.`),
            about: 'Saves its records and its time to a file',
          },
          {
            icon: 'upload',
            title: 'Restore',
            run: () => chooser.current?.click(),
            about: 'Replaces its records and its time by a snapshot',
          },
          { icon: 'again', title: 'Reset', run: () => ask(askToReset(name)), about: 'Begins anew from the seeds' },
          !permanent && { icon: 'trash', title: 'Delete', run: () => ask(askToDelete(name)), about: 'Deletes it' },
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
          if (file !== undefined) ask(askToRestore(name, file))
          // The same file can be chosen again.
          input.value = ''
        }}
      />
    </>
  )
}

function Confirmation({
  of: { title, text, action, done, work },
  onClose,
}: {
  of: WorldQuestion
  onClose: () => void
}) {
  const confirm = async (): Promise<void> => {
    await work()
    await dataChanged()
    announce(done)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <TaskForm action={action} work={confirm} onDone={onClose} onCancel={onClose}>
        <p>{text}</p>
      </TaskForm>
    </Dialog>
  )
}

/** Creates a world: from the seeds, or as a fork of another one. @param from the world to fork */
function NewWorldDialog({ from, onClose }: { from?: string; onClose: () => void }) {
  const names = knownWorlds.value.map(({ name }) => name)
  const [typed, setTyped] = useState(() => unusedName(from ?? 'sandbox', names))
  const make = async (): Promise<void> => {
    const name = typed.trim()
    await makeWorld({ name, from })
    announce(`${name} is there.`)
    location.hash = hrefOf('worlds', { world: name })
  }
  return (
    <Dialog title={from === undefined ? 'New world' : `Fork ${from}`} onClose={onClose}>
      <TaskForm action={from === undefined ? 'Create' : 'Fork'} work={make} onDone={onClose} onCancel={onClose}>
        <Note
          text={`It begins with ${from === undefined ? 'the seeds, by real time' : `the records and the time of ${from}`}. Requests reach it with the header \`Understudy-World\`.`}
        />
        <TextField label="Name" required value={typed} onChange={setTyped} />
      </TaskForm>
    </Dialog>
  )
}
