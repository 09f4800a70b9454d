// The records of the shown world: a table of each collection with sort, search and paging, and one record beside it.

import { signal } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ResourceForm } from '../../http/control/types.ts'
import { type JsonObject, stringifyJson } from '../../kernel/json.ts'
import type { Editor } from '../editor/editor.ts'
import { EditorBox, Mistakes, type TextMistake } from '../editor/editor-box.tsx'
import type { SchemaPart } from '../editor/schema-path.ts'
import {
  ControlError,
  call,
  callForReply,
  callForText,
  epoch,
  parameter,
  parseExactly,
  pathTo,
  refreshWorlds,
  servedPlan,
  setParameters,
  shownWorld,
  useLoaded,
  useReply,
  useTask,
} from '../model/gateway.ts'
import { indentJson, plural } from '../model/wording.ts'
import {
  announce,
  Button,
  EmptyState,
  ProblemNotice,
  perform,
  SearchField,
  ShowLoaded,
  Spinner,
} from '../parts/controls.tsx'
import { closeSide, SidePanel, Tabs } from '../parts/panels.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import { blankAt, cellText, columnsOf, idIn, recordPages } from './record-table.ts'

/** Milliseconds after the last key until a search is sent. */
const SEARCH_WAIT = 250

export function DataPanel({ records }: { records: Readonly<Record<string, number>> }) {
  // A collection that no request has touched yet is not counted.
  const names = servedPlan.value?.resources.map(({ name }) => name)
  if (names === undefined) return <Spinner />
  if (names.length === 0) {
    return (
      <EmptyState
        icon="book"
        title="This API keeps no records"
        text="The configuration has no `resources`. With `understudy init` it is written for a contract; records of a resource are then listed, searched and edited here."
      />
    )
  }
  return (
    <section class="view" aria-label="Records">
      <Tabs
        label="Collections"
        parameter="collection"
        clears={['record', 'new', 'q', 'sort']}
        tabs={names.map(name => ({
          id: name,
          title: name,
          count: records[name],
          show: () => <CollectionData key={name} collection={name} count={records[name] ?? 0} />,
        }))}
      />
    </section>
  )
}

interface CollectionProps {
  readonly collection: string
  /** How many records the list of worlds says there are: it changes when requests write. */
  readonly count: number
}

function CollectionData({ collection, count }: CollectionProps) {
  const resource = useReply<EditedResource>(pathTo`/resources/${collection}`, { exact: true })
  return <ShowLoaded of={resource}>{value => <RecordTable resource={value} count={count} />}</ShowLoaded>
}

/** Returns how the world has changed a record of the real API: see the control plane. */
const changeMade = (row: JsonObject): string =>
  row['{deleted}'] === true ? 'deleted' : row['{upstream}'] === undefined ? 'new' : 'changed'

const CHANGE_COLUMN: Column<JsonObject> = { title: 'in this world', width: '7rem', cell: changeMade }

const NO_RECORDS = 'Make one here, send a request that creates one, or reset the world to begin with the seeds again.'

const pathOfRecords = (collection: string): string => pathTo`/worlds/${shownWorld.value}/collections/${collection}`

/** Loads the records that the search and the order of the URL ask for, by page, and again whenever they change. */
function useRecordPages(path: string, count: number) {
  const [, setTick] = useState(0)
  const q = parameter('q')
  const sort = parameter('sort')
  const pages = useMemo(() => {
    const load = async (offset: number, limit: number, signal: AbortSignal) => {
      const reply = await callForReply('GET', path, { query: { q, sort, offset, limit }, signal })
      const rows = parseExactly<readonly JsonObject[]>(await reply.text())
      return { rows, total: Number(reply.headers.get('x-total-count') ?? rows.length) }
    }
    return recordPages<JsonObject>(load, () => setTick(tick => tick + 1))
  }, [path, q, sort])
  useEffect(() => {
    pages.refresh()
    return () => pages.stop()
  }, [pages, epoch.value, dataRevision.value, count])
  // A copy, since a component whose properties are the same is not rendered again.
  return { ...pages }
}

type RecordPages = ReturnType<typeof useRecordPages>

/** Holds the text of the search; the URL has it once the person has stopped typing. */
function useSearch() {
  const [text, setText] = useState(parameter('q'))
  useEffect(() => {
    const timer = setTimeout(() => setParameters({ q: text }), SEARCH_WAIT)
    return () => clearTimeout(timer)
  }, [text])
  return [text, setText] as const
}

function RecordTable({ resource, count }: { resource: EditedResource; count: number }) {
  const { name: collection, base } = resource
  const path = pathOfRecords(collection)
  const pages = useRecordPages(path, count)
  const [search, setSearch] = useSearch()
  const selected = parameter('record')
  const hasSide = selected !== '' || parameter('new') !== ''
  return (
    <div class={`split ${hasSide && 'open'}`}>
      <div class="view">
        <div class="bar">
          <SearchField label={`Search ${collection}`} value={search} onChange={setSearch} />
          <span class="muted" role="status">
            {pages.total !== undefined && plural(pages.total, base === undefined ? 'record' : 'change')}
            {base !== undefined && ' of this world to the records of the real API'}
          </span>
          <span class="spring" />
          <Button icon="again" label="Read the records again" onClick={pages.refresh} />
          <Button icon="plus" onClick={() => setParameters({ record: undefined, new: 'record' }, 'push')}>
            New record
          </Button>
        </div>
        <ProblemNotice error={pages.error} retry={pages.refresh} />
        <div class="fill">
          {pages.total === undefined ? (
            pages.error === undefined && <Spinner label="Reading the records" />
          ) : pages.total > 0 ? (
            <RecordRows resource={resource} pages={pages} total={pages.total} />
          ) : (
            <NoRecords resource={resource} showAll={() => setSearch('')} />
          )}
        </div>
      </div>
      {hasSide && <RecordEditor key={`${path} ${selected}`} resource={resource} id={selected || undefined} />}
    </div>
  )
}

interface RecordRowsProps {
  readonly resource: EditedResource
  readonly pages: RecordPages
  readonly total: number
}

function RecordRows({ resource: { name, idField, schema, base }, pages, total }: RecordRowsProps) {
  const sort = parameter('sort')
  const first = pages.at(0)
  const columns = useMemo(
    () => [
      ...(base === undefined ? [] : [CHANGE_COLUMN]),
      ...columnsOf(schema, idField, first).map(
        ({ name, ...column }): Column<JsonObject> => ({ ...column, title: name, cell: row => cellText(row[name]) }),
      ),
    ],
    [schema, idField, base, first === undefined],
  )
  return (
    <VirtualTable
      key={`${parameter('q')} ${sort}`}
      label={`Records of ${name}`}
      columns={columns}
      count={total}
      rowAt={pages.at}
      keyOf={row => idIn(row, idField)}
      parameter="record"
      sort={sort}
      onSort={next => setParameters({ sort: next })}
      onSight={pages.show}
    />
  )
}

function NoRecords({ resource: { name, base }, showAll }: { resource: EditedResource; showAll: () => void }) {
  const q = parameter('q')
  if (q !== '') {
    return (
      <EmptyState title="No record matches" text={`No text of a record holds ${q}.`}>
        <Button onClick={showAll}>Show all</Button>
      </EmptyState>
    )
  }
  if (base === undefined) return <EmptyState icon="book" title={`There are no ${name}`} text={NO_RECORDS} />
  return (
    <EmptyState
      icon="book"
      title="This world has changed nothing"
      text={`Requests for ${name} get the records of the real API, and their changes are kept here.`}
    />
  )
}

/** A resource with the part of its schema that the page reads. */
type EditedResource = Omit<ResourceForm, 'schema'> & { readonly schema: SchemaPart }

/** Counts changes of records that this page made, so that tables load them again. */
const dataRevision = signal(0)

export async function dataChanged(): Promise<void> {
  dataRevision.value += 1
  await refreshWorlds()
}

/** @param id unset for a new record */
function RecordEditor({ resource, id }: { resource: EditedResource; id: string | undefined }) {
  const { name, schema, assigned, idField } = resource
  const path = id === undefined ? pathOfRecords(name) : pathOfRecords(name) + pathTo`/${id}`
  const loaded = useLoaded(path, async signal =>
    indentJson(
      id === undefined
        ? stringifyJson(blankAt(schema, [], assigned === 'client' ? '' : idField))
        : await callForText('GET', path, { signal }),
    ),
  )
  return (
    <SidePanel
      of="record"
      label={id === undefined ? 'New record' : `Record ${id}`}
      title={id ?? `New record of ${name}`}
    >
      <ShowLoaded
        of={loaded}
        missing={<EmptyState title="There is no such record" text="It may have been deleted since." />}
      >
        {stored => <RecordForm {...{ resource, id, path, stored }} />}
      </ShowLoaded>
    </SidePanel>
  )
}

interface RecordFormProps {
  readonly resource: EditedResource
  readonly id: string | undefined
  readonly path: string
  readonly stored: string
}

function RecordForm({ resource: { schema, idField }, id, path, stored }: RecordFormProps) {
  const [saved, setSaved] = useState(stored)
  const [text, setText] = useState(stored)
  const [mistakes, setMistakes] = useState<readonly TextMistake[]>([])
  const editor = useRef<Editor | undefined>(undefined)
  const task = useTask()
  const isNew = id === undefined
  const mark = (found: readonly TextMistake[]): void => {
    setMistakes(found)
    editor.current?.mark(found)
    if (found[0] !== undefined) editor.current?.reveal(found[0].from)
  }
  const restore = (next: string): void => {
    setSaved(next)
    editor.current?.replace(next)
    mark([])
  }
  const save = async (): Promise<void> => {
    const body = parseExactly(text, 'The record')
    try {
      const reply = await callForText(isNew ? 'POST' : 'PUT', path, { body })
      restore(indentJson(reply))
      const record = idIn(parseExactly<JsonObject>(reply), idField)
      announce(`${isNew ? 'Created' : 'Saved'} ${record}.`)
      setParameters({ record, new: undefined })
      await dataChanged()
    } catch (failure) {
      const found = mistakesIn(failure, editor.current as Editor)
      mark(found)
      if (found.length === 0) throw failure
    }
  }
  const isSaved = text === saved
  return (
    <>
      <ProblemNotice error={task.error} />
      <EditorBox label="The record as JSON" text={stored} schema={schema} onChange={setText} hold={editor} />
      <Mistakes mistakes={mistakes} onChoose={({ from }) => editor.current?.reveal(from)} />
      <div class="bar">
        {id && (
          <Button kind="danger" icon="trash" onClick={() => perform(() => deleteRecord(path), `Deleted ${id}.`)}>
            Delete
          </Button>
        )}
        <span class="spring" />
        {!isSaved && <Button onClick={() => restore(saved)}>Discard changes</Button>}
        <Button kind="primary" disabled={task.busy || (isSaved && !isNew)} onClick={() => task.run(save)}>
          {task.busy ? 'Saving…' : isNew ? 'Create' : 'Save'}
        </Button>
      </div>
    </>
  )
}

async function deleteRecord(path: string): Promise<void> {
  await call('DELETE', path)
  closeSide('record')
  await dataChanged()
}

/** Returns the mistakes of a refused record, which the refusal names by JSON Pointers; none for another failure. */
function mistakesIn(failure: unknown, editor: Editor): TextMistake[] {
  const errors = failure instanceof ControlError ? failure.problem.errors : undefined
  return ((errors ?? []) as readonly { pointer: string; message: string }[]).map(({ pointer, message }) => ({
    ...editor.placeOf(pointer),
    severity: 'error',
    place: pointer,
    message,
  }))
}
