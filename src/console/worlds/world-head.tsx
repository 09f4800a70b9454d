// The name of the shown world and the actions on it.

import { useRef, useState } from 'preact/hooks'
import { call, pathOf, send } from '../model/control-plane.ts'
import { open } from '../model/location.ts'
import { type DescribedWorld, refreshClock, refreshWorlds } from '../model/worlds.ts'
import { announce, attempt } from '../parts/announce.tsx'
import { Badge } from '../parts/badges.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { ProblemNotice, Progress } from '../parts/notices.tsx'
import { saveFile } from '../parts/save-file.ts'
import { dataChanged } from './data-changes.ts'
import { NewWorldDialog } from './new-world-dialog.tsx'
import { checkSnapshot, snapshotName } from './snapshot-file.ts'

type Question = 'fork' | 'reset' | 'delete' | 'restore'

const refresh = async (): Promise<void> => {
  await Promise.all([refreshWorlds(), refreshClock()])
  dataChanged()
}

export function WorldHead({ world }: { world: DescribedWorld }) {
  const { name, permanent, host } = world
  const [question, setQuestion] = useState<Question | undefined>()
  const [file, setFile] = useState<File | undefined>()
  const [saving, setSaving] = useState(false)
  const chooser = useRef<HTMLInputElement>(null)
  const close = (): void => setQuestion(undefined)
  const save = async (): Promise<void> => {
    setSaving(true)
    await attempt(async () => {
      const reply = await send('GET', pathOf`/worlds/${name}/snapshot`)
      saveFile(snapshotName(name, Date.now()), await reply.blob())
    }, `The snapshot of ${name} is saved.`)
    setSaving(false)
  }
  const choose = (event: Event): void => {
    const input = event.currentTarget as HTMLInputElement
    setFile(input.files?.[0])
    if (input.files?.[0] !== undefined) setQuestion('restore')
    // The same file can be chosen again.
    input.value = ''
  }
  return (
    <header class="world-head">
      <h2 class="truncate">{name}</h2>
      <Badge tone={permanent ? 'plain' : 'accent'}>{permanent ? 'permanent' : 'sandbox'}</Badge>
      {host === undefined ? null : <span class="muted">{host}</span>}
      <div class="tools" role="group" aria-label={`Actions on ${name}`}>
        <Action icon="copy" title="Fork" about="Copies it" onClick={() => setQuestion('fork')} />
        <Action
          icon="download"
          title={saving ? 'Saving…' : 'Save snapshot'}
          about="Saves all its records and its time to a file"
          onClick={save}
        />
        <Action
          icon="upload"
          title="Restore"
          about="Replaces it by a snapshot"
          onClick={() => chooser.current?.click()}
        />
        <input
          ref={chooser}
          class="visually-hidden"
          type="file"
          accept="application/json,.json"
          aria-label={`Snapshot to restore ${name} from`}
          tabIndex={-1}
          onChange={choose}
        />
        <Action icon="again" title="Reset" about="Resets it to the seeds" onClick={() => setQuestion('reset')} />
        {permanent ? null : (
          <Action icon="trash" title="Delete" about="Deletes it" onClick={() => setQuestion('delete')} />
        )}
      </div>
      {question === 'fork' ? <NewWorldDialog from={name} onClose={close} /> : null}
      {question === 'reset' ? (
        <Confirm
          title={`Reset ${name}?`}
          text="This resets its records to the seeds and its clock to real time, clears its weather and removes its requests."
          action="Reset it"
          work={async () => {
            await call('POST', pathOf`/worlds/${name}/reset`)
            await refresh()
            announce(`${name} begins anew.`)
          }}
          onClose={close}
        />
      ) : null}
      {question === 'delete' ? (
        <Confirm
          title={`Delete ${name}?`}
          text="This removes its records and requests. The next request that names it creates it again from the seeds."
          action="Delete it"
          work={async () => {
            await call('DELETE', pathOf`/worlds/${name}`)
            open('worlds', { world: '' })
            await refresh()
            announce(`${name} is deleted.`)
          }}
          onClose={close}
        />
      ) : null}
      {question === 'restore' && file !== undefined ? (
        <Confirm
          title={`Restore ${name} from ${file.name}?`}
          text="This replaces its records and its time by those of the snapshot. An invalid snapshot changes nothing."
          action="Restore it"
          work={async () => {
            const text = await file.text()
            checkSnapshot(text)
            await send('PUT', pathOf`/worlds/${name}/snapshot`, { body: text, type: 'application/json' })
            await refresh()
            announce(`${name} is as the snapshot has it.`)
          }}
          onClose={close}
        />
      ) : null}
    </header>
  )
}

const Action = (props: { icon: IconName; title: string; about: string; onClick: () => void }) => (
  <button type="button" class="button" title={props.about} onClick={props.onClick}>
    <Icon name={props.icon} />
    {props.title}
  </button>
)

interface ConfirmProps {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly work: () => Promise<void>
  readonly onClose: () => void
}

function Confirm({ title, text, action, work, onClose }: ConfirmProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | undefined>()
  const run = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      onClose()
    } catch (failure) {
      setError(failure as Error)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="form">
        <p>{text}</p>
        {error === undefined ? null : <ProblemNotice error={error} />}
        {busy ? <Progress label="Working" /> : null}
        <div class="form-end">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" class="button primary" disabled={busy} onClick={run}>
            {action}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
