// Makes a world: from the seeds, as a copy of another one, or from a snapshot in a file.

import { useState } from 'preact/hooks'
import { ControlError, call, send } from '../model/control-plane.ts'
import { open } from '../model/location.ts'
import { refreshWorlds, worlds } from '../model/worlds.ts'
import { announce } from '../parts/announce.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { ProblemNotice } from '../parts/notices.tsx'
import { creationOf, freeName } from './snapshot-file.ts'

const SEEDS = ' seeds'
const FILE = ' file'

/** @param from the world to copy; empty where the person has not chosen one */
export function NewWorldDialog({ from, onClose }: { from: string; onClose: () => void }) {
  const names = worlds.value.map(({ name }) => name)
  const [name, setName] = useState(() => freeName(from === '' ? 'sandbox' : from, names))
  const [origin, setOrigin] = useState(from === '' ? SEEDS : from)
  const [file, setFile] = useState<File | undefined>()
  const [error, setError] = useState<Error | undefined>()
  const [busy, setBusy] = useState(false)
  const named = error instanceof ControlError && error.code !== 'invalid_snapshot' ? error.message : undefined

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      if (origin === FILE) {
        const body = creationOf(name.trim(), (await file?.text()) ?? '')
        await send('POST', '/worlds', { body, type: 'application/json' })
      } else {
        await call('POST', '/worlds', { body: { name: name.trim(), ...(origin === SEEDS ? {} : { from: origin }) } })
      }
      await refreshWorlds()
      announce(`${name.trim()} is there.`)
      open('worlds', { world: name.trim() })
      onClose()
    } catch (failure) {
      setError(failure as Error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={from === '' ? 'New world' : `Copy of ${from}`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <Field label="Name" hint="Requests reach it with the header Understudy-World." error={named}>
          <input
            required
            spellcheck={false}
            autocomplete="off"
            value={name}
            onInput={event => setName((event.currentTarget as HTMLInputElement).value)}
          />
        </Field>
        <Field label="It begins with">
          <select value={origin} onChange={event => setOrigin((event.currentTarget as HTMLSelectElement).value)}>
            <option value={SEEDS}>the seeds, by real time</option>
            {names.map(one => (
              <option key={one} value={one}>
                the records and the time of {one}
              </option>
            ))}
            <option value={FILE}>a snapshot in a file</option>
          </select>
        </Field>
        {origin === FILE ? (
          <Field label="Snapshot" hint="A JSON file that was saved here before.">
            <input
              type="file"
              accept="application/json,.json"
              required
              onChange={event => setFile((event.currentTarget as HTMLInputElement).files?.[0])}
            />
          </Field>
        ) : null}
        {error !== undefined && named === undefined ? <ProblemNotice error={error} /> : null}
        <div class="form-end">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={busy}>
            {busy ? 'Making it…' : 'Make it'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
