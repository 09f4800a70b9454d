// One record, edited in a form or as JSON, and validated by the gateway. A refusal is shown at its fields.

import { useEffect, useRef, useState } from 'preact/hooks'
import { ControlError, callForText, pathOf, send } from '../model/control-plane.ts'
import { useLoaded } from '../model/loaded.ts'
import { setParameters } from '../model/location.ts'
import { refreshWorlds } from '../model/worlds.ts'
import { announce, attempt } from '../parts/announce.tsx'
import { Icon } from '../parts/icon.tsx'
import { EmptyState, ProblemNotice, Progress } from '../parts/notices.tsx'
import { dataChanged } from './data-changes.ts'
import type { DescribedResource } from './described-resource.ts'
import { type Json, type JsonRecord, parseExact, stringifyExact } from './exact-json.ts'
import { Faults } from './faults.tsx'
import { RecordFields } from './record-fields.tsx'
import { blankRecord, type RecordFault, resolveSchema, withValue } from './record-form.ts'
import { idOf } from './table-columns.ts'

export interface RecordEditorProps {
  readonly world: string
  readonly resource: DescribedResource
  /** Unset for a new record. */
  readonly id: string | undefined
}

const close = (): void => setParameters({ record: undefined, new: undefined }, 'push')

export function RecordEditor({ world, resource, id }: RecordEditorProps) {
  const path = pathOf`/worlds/${world}/collections/${resource.name}`
  const loaded = useLoaded(`${path} ${id ?? ''}`, async signal =>
    id === undefined
      ? blankRecord(resolveSchema(resource.schema, resource.schema), resource.schema)
      : (parseExact(await callForText('GET', path + pathOf`/${id}`, { signal })) as JsonRecord),
  )
  return (
    <aside
      class="side record-side"
      aria-label={id === undefined ? 'New record' : `Record ${id}`}
      onKeyDown={event => event.key === 'Escape' && close()}
    >
      {loaded.value === undefined ? (
        <>
          <Head title={id ?? 'New record'} />
          {loaded.error === undefined ? (
            <Progress />
          ) : loaded.error instanceof ControlError && loaded.error.status === 404 ? (
            <EmptyState icon="search" title="There is no such record">
              <p>It may have been deleted since.</p>
            </EmptyState>
          ) : (
            <ProblemNotice error={loaded.error} retry={loaded.reload} />
          )}
        </>
      ) : (
        <Form {...{ world, resource, id, path, record: loaded.value }} />
      )}
    </aside>
  )
}

const Head = ({ title }: { title: string }) => (
  <header class="side-head">
    <div class="side-title">
      <h2 class="mono truncate" title={title}>
        {title}
      </h2>
      <button type="button" class="button quiet icon-only" aria-label="Close the record" onClick={close}>
        <Icon name="close" />
      </button>
    </div>
  </header>
)

function Form({ resource, id, path, record }: RecordEditorProps & { path: string; record: JsonRecord }) {
  const { idField, schema } = resource
  const [saved, setSaved] = useState(record)
  const [draft, setDraft] = useState(record)
  const [text, setText] = useState<string | undefined>()
  const [faults, setFaults] = useState<readonly RecordFault[]>([])
  const [error, setError] = useState<Error | undefined>()
  const [busy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const changed = text === undefined ? draft !== saved : text !== stringifyExact(saved, 2)

  // The first refused field gets the focus, so that it is in sight and a screen reader names it.
  useEffect(() => {
    if (faults.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [faults])

  const refuse = (failure: Error): void => {
    const named =
      failure instanceof ControlError ? (failure.problem.errors as readonly RecordFault[] | undefined) : undefined
    setFaults(named ?? [])
    setError(named === undefined ? failure : undefined)
  }
  const save = async (event: Event): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      const body = text ?? stringifyExact(draft)
      if (text !== undefined) parseExact(text)
      const [method, target] = id === undefined ? ['POST', path] : ['PUT', path + pathOf`/${id}`]
      const reply = await send(method as string, target as string, { body, type: 'application/json' })
      const stored = parseExact(await reply.text()) as JsonRecord
      setFaults([])
      announce(id === undefined ? `Created ${idOf(stored, idField)}.` : `Saved ${id}.`)
      setSaved(stored)
      setDraft(stored)
      if (text !== undefined) setText(stringifyExact(stored, 2))
      dataChanged()
      void refreshWorlds().catch(() => undefined)
      if (id === undefined) setParameters({ record: idOf(stored, idField), new: undefined })
    } catch (failure) {
      refuse(failure as Error)
    } finally {
      setBusy(false)
    }
  }
  const remove = (): Promise<boolean> =>
    attempt(async () => {
      await send('DELETE', path + pathOf`/${id as string}`)
      dataChanged()
      void refreshWorlds().catch(() => undefined)
      close()
    }, `Deleted ${id}.`)
  const change = (pointer: string, value: Json | undefined): void => {
    setDraft(before => (withValue(before, pointer, value) ?? {}) as JsonRecord)
    // A changed field is no longer marked; the next save validates it again.
    setFaults(before => before.filter(fault => fault.pointer !== pointer))
  }
  const toJson = (): void => setText(stringifyExact(draft, 2))
  const toForm = (): void => {
    try {
      setDraft(parseExact(text ?? '{}') as JsonRecord)
      setText(undefined)
      setError(undefined)
    } catch (failure) {
      setError(new Error(`This is not JSON: ${(failure as Error).message}`))
    }
  }
  return (
    <>
      <Head title={id ?? `New record of ${resource.name}`} />
      <form ref={form} class="record-form" noValidate onSubmit={save}>
        <div class="side-body section">
          <fieldset class="segments">
            <legend class="visually-hidden">Edit as</legend>
            <label>
              <input type="radio" name="edit-as" checked={text === undefined} onChange={toForm} />
              Form
            </label>
            <label>
              <input type="radio" name="edit-as" checked={text !== undefined} onChange={toJson} />
              JSON
            </label>
          </fieldset>
          {error === undefined ? null : <ProblemNotice error={error} />}
          {text === undefined ? (
            <RecordFields
              schema={resolveSchema(schema, schema)}
              root={schema}
              value={draft}
              faults={faults}
              fixed={id === undefined ? (resource.assigned === 'client' ? '' : idField) : idField}
              isNew={id === undefined}
              onChange={change}
            />
          ) : (
            <>
              <Faults faults={faults} />
              <textarea
                class="record-json"
                aria-label="The record as JSON"
                rows={18}
                spellcheck={false}
                value={text}
                onInput={event => setText((event.currentTarget as HTMLTextAreaElement).value)}
              />
            </>
          )}
        </div>
        <div class="form-end side-end">
          {id === undefined ? null : (
            <button type="button" class="button danger" onClick={remove}>
              <Icon name="trash" />
              Delete
            </button>
          )}
          <span class="spring" />
          {changed ? (
            <button
              type="button"
              class="button"
              onClick={() => {
                setDraft(saved)
                setText(text === undefined ? undefined : stringifyExact(saved, 2))
                setFaults([])
                setError(undefined)
              }}
            >
              Discard changes
            </button>
          ) : null}
          <button type="submit" class="button primary" disabled={busy || (!changed && id !== undefined)}>
            {busy ? 'Saving…' : id === undefined ? 'Create' : 'Save'}
          </button>
        </div>
      </form>
    </>
  )
}
