// One record as JSON in the editor, with completion and help from its schema, validated by the gateway. A refusal is marked
// at its field.

import { signal } from '@preact/signals'
import { useRef, useState } from 'preact/hooks'
import { type JsonObject, stringifyJson } from '../../kernel/json.ts'
import { parseJson } from '../../kernel/parse-json.ts'
import type { Editor } from '../editor/editor.ts'
import { EditorBox, type Mistake, Mistakes } from '../editor/editor-box.tsx'
import type { SchemaPart } from '../editor/schema-path.ts'
import { ControlError, callForText, pathTo } from '../model/control-plane.ts'
import { refreshWorlds } from '../model/gateway.ts'
import { indentJson, spanInJson } from '../model/json-text.ts'
import { useLoaded, useTask } from '../model/loaded.ts'
import { setParameters } from '../model/location.ts'
import { Button } from '../parts/controls.tsx'
import { announce, EmptyState, Loaded, ProblemNotice, perform } from '../parts/notices.tsx'
import { Side } from '../parts/panels.tsx'
import { blankAt, idIn } from './table-columns.ts'

/** A resource as the control plane describes it. */
export interface ResourceForm {
  readonly name: string
  readonly idField: string
  /** How a new record gets its id: `client`, or in another way. */
  readonly assigned: string
  readonly schema: SchemaPart
}

/** Counts changes of records that this page made, so that tables load them again. */
export const dataRevision = signal(0)

export function dataChanged(): void {
  dataRevision.value += 1
}

export interface RecordEditorProps {
  readonly world: string
  readonly resource: ResourceForm
  /** Unset for a new record. */
  readonly id: string | undefined
}

const close = (): void => setParameters({ record: undefined, new: undefined }, 'push')

export function RecordEditor({ world, resource, id }: RecordEditorProps) {
  const { name, schema, assigned, idField } = resource
  const path = pathTo`/worlds/${world}/collections/${name}`
  const loaded = useLoaded(`${path} ${id ?? ''}`, async signal => {
    const blank = (): string => stringifyJson(blankAt(schema, [], assigned === 'client' ? '' : idField))
    return indentJson(id === undefined ? blank() : await callForText('GET', path + pathTo`/${id}`, { signal }))
  })
  return (
    <Side
      label={id === undefined ? 'New record' : `Record ${id}`}
      title={id ?? `New record of ${name}`}
      close="Close the record"
      onClose={close}
    >
      {loaded.error instanceof ControlError && loaded.error.status === 404 ? (
        <EmptyState icon="search" title="There is no such record">
          <p>It may have been deleted since.</p>
        </EmptyState>
      ) : (
        <Loaded of={loaded}>{text => <RecordForm {...{ resource, id, path, stored: text }} />}</Loaded>
      )}
    </Side>
  )
}

interface RecordFormProps {
  readonly resource: ResourceForm
  readonly id: string | undefined
  readonly path: string
  readonly stored: string
}

function RecordForm({ resource: { schema, idField }, id, path, stored }: RecordFormProps) {
  const [saved, setSaved] = useState(stored)
  const [text, setText] = useState(stored)
  const [mistakes, setMistakes] = useState<readonly Mistake[]>([])
  const editor = useRef<Editor | undefined>(undefined)
  const task = useTask()

  const mark = (found: readonly Mistake[]): void => {
    setMistakes(found)
    editor.current?.mark(found)
    if (found[0] !== undefined) editor.current?.reveal(found[0].from)
  }
  const save = (): Promise<boolean> =>
    task.run(async () => {
      const parsed = parseJson(text)
      if ('fault' in parsed) throw new Error(`The record ${parsed.fault}.`)
      const [method, target] = id === undefined ? ['POST', path] : ['PUT', path + pathTo`/${id}`]
      try {
        const reply = await callForText(method as string, target as string, { body: text, type: 'application/json' })
        const next = indentJson(reply)
        setSaved(next)
        editor.current?.replace(next)
        mark([])
        dataChanged()
        void refreshWorlds().catch(() => undefined)
        const stored = parseJson(reply, true) as { readonly value: JsonObject }
        announce(id === undefined ? `Created ${idIn(stored.value, idField)}.` : `Saved ${id}.`)
        if (id === undefined) setParameters({ record: idIn(stored.value, idField), new: undefined })
      } catch (failure) {
        const found = failure instanceof ControlError ? mistakesIn(failure, text) : []
        mark(found)
        if (found.length === 0) throw failure
      }
    })
  const remove = async (): Promise<void> => {
    await callForText('DELETE', path + pathTo`/${id ?? ''}`)
    dataChanged()
    void refreshWorlds().catch(() => undefined)
    close()
  }
  const discard = (): void => {
    editor.current?.replace(saved)
    mark([])
  }
  return (
    <>
      <ProblemNotice error={task.error} />
      <EditorBox label="The record as JSON" text={stored} schema={schema} onChange={setText} hold={editor} />
      <Mistakes mistakes={mistakes} onChoose={({ from }) => editor.current?.reveal(from)} />
      <div class="bar">
        {id === undefined ? null : (
          <Button kind="danger" icon="trash" onClick={() => perform(remove, `Deleted ${id}.`)}>
            Delete
          </Button>
        )}
        <span class="spring" />
        {text === saved ? null : <Button onClick={discard}>Discard changes</Button>}
        <Button kind="primary" disabled={task.busy || (text === saved && id !== undefined)} onClick={save}>
          {task.busy ? 'Saving…' : id === undefined ? 'Create' : 'Save'}
        </Button>
      </div>
    </>
  )
}

/** Returns the mistakes that a refusal of a record names by JSON Pointers, with their places in its text. */
function mistakesIn({ problem }: ControlError, text: string): readonly Mistake[] {
  const errors = (problem.errors ?? []) as readonly { readonly pointer: string; readonly message: string }[]
  return errors.map(({ pointer, message }) => ({
    ...spanInJson(text, pointer),
    severity: 'error',
    place: pointer,
    message,
  }))
}
