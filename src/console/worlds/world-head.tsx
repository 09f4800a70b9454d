// The name of the shown world and the actions on it, and the dialog that makes a world.

import { useRef, useState } from 'preact/hooks'
import { ControlError, callForReply, callForText, pathTo } from '../model/control-plane.ts'
import { type DescribedWorld, refreshClock, refreshWorlds, worlds } from '../model/gateway.ts'
import { useTask } from '../model/loaded.ts'
import { openView } from '../model/location.ts'
import { Button, FormField, SelectField, saveFile, TextField } from '../parts/controls.tsx'
import { announce, ProblemNotice, perform, Spinner } from '../parts/notices.tsx'
import { Badge, Dialog } from '../parts/panels.tsx'
import { dataChanged } from './record-editor.tsx'
import { checkSnapshot, creationOf, snapshotName, unusedName } from './snapshot-file.ts'

const JSON_FILES = 'application/json,.json'

interface WorldQuestion {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly work: () => Promise<unknown>
  readonly done: string
}

export function WorldHead({ world: { name, permanent, host } }: { world: DescribedWorld }) {
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
      {host === undefined ? null : <span class="muted">{host}</span>}
      <span class="spring" />
      <div class="row" role="group" aria-label={`Actions on ${name}`}>
        <Button icon="copy" title="Copies it" onClick={() => setAsked('fork')}>
          Fork
        </Button>
        <Button icon="download" title="Saves all its records and its time to a file" onClick={save}>
          {saving ? 'Saving…' : 'Save snapshot'}
        </Button>
        <Button icon="upload" title="Replaces it by a snapshot" onClick={() => chooser.current?.click()}>
          Restore
        </Button>
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
        <Button icon="again" title="Resets it to the seeds" onClick={reset}>
          Reset
        </Button>
        {permanent ? null : (
          <Button icon="trash" title="Deletes it" onClick={remove}>
            Delete
          </Button>
        )}
      </div>
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
  const { busy, error, run } = useTask()
  const confirm = async (): Promise<void> => {
    const succeeded = await run(async () => {
      await work()
      await Promise.all([refreshWorlds(), refreshClock()])
      dataChanged()
    })
    if (!succeeded) return
    announce(done)
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="form">
        <p>{text}</p>
        <ProblemNotice error={error} />
        {busy ? <Spinner label="Working" /> : null}
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={busy} onClick={confirm}>
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

const FROM_SEEDS = ' seeds'
const FROM_FILE = ' file'

/** Makes a world: from the seeds, as a copy of another one, or from a snapshot in a file. @param from the world to copy */
export function NewWorldDialog({ from, onClose }: { from?: string; onClose: () => void }) {
  const names = worlds.value.map(({ name }) => name)
  const [typed, setTyped] = useState(() => unusedName(from ?? 'sandbox', names))
  const [origin, setOrigin] = useState(from ?? FROM_SEEDS)
  const [file, setFile] = useState<File | undefined>()
  const { busy, error, run } = useTask()
  const isOfName = error instanceof ControlError && error.code !== 'invalid_snapshot'
  const name = typed.trim()
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const made = await run(async () => {
      const body =
        origin === FROM_FILE
          ? creationOf(name, (await file?.text()) ?? '')
          : JSON.stringify({ name, ...(origin === FROM_SEEDS ? {} : { from: origin }) })
      await callForText('POST', '/worlds', { body, type: 'application/json' })
      await refreshWorlds()
    })
    if (!made) return
    announce(`${name} is there.`)
    openView('worlds', { world: name })
    onClose()
  }
  return (
    <Dialog title={from === undefined ? 'New world' : `Fork ${from}`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <TextField
          label="Name"
          hint="Requests reach it with the header Understudy-World."
          error={isOfName ? error.message : undefined}
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
        {origin === FROM_FILE ? (
          <FormField label="Snapshot" hint="A JSON file that was saved here before.">
            <input
              type="file"
              accept={JSON_FILES}
              required
              onChange={event => setFile(event.currentTarget.files?.[0])}
            />
          </FormField>
        ) : null}
        <ProblemNotice error={isOfName ? undefined : error} />
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button submits kind="primary" disabled={busy}>
            {busy ? 'Making it…' : 'Make it'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
