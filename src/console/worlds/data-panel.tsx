// The records of the shown world: a table of each collection with sort, search and paging, and one record beside it.

import { signal } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
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
  parseExactly,
  pathTo,
  useLoaded,
  useReply,
  useTask,
} from '../model/control-plane.ts'
import { parameter, refreshWorlds, servedPlan, setParameters } from '../model/gateway.ts'
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
import { SidePanel, Tabs } from '../parts/panels.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import { blankAt, cellText, columnsOf, idIn, RecordPages } from './record-table.ts'

/** Milliseconds after the last key until a search is sent. */
const SEARCH_WAIT = 250

export function DataPanel({ world, records }: { world: string; records: Readonly<Record<string, number>> }) {
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
        tabs={names.map(name => [
          name,
          name,
          () => <CollectionData key={`${world} ${name}`} world={world} collection={name} count={records[name] ?? 0} />,
          records[name],
        ])}
      />
    </section>
  )
}

interface CollectionProps {
  readonly world: string
  readonly collection: string
  /** How many records the list of worlds says there are: it changes when requests write. */
  readonly count: number
}

function CollectionData({ world, collection, count }: CollectionProps) {
  const resource = useReply<ResourceForm>(pathTo`/resources/${collection}`, { exact: true })
  return <ShowLoaded of={resource}>{found => <RecordTable world={world} resource={found} count={count} />}</ShowLoaded>
}

function RecordTable({ world, resource, count }: { world: string; resource: ResourceForm; count: number }) {
  const { name: collection, idField, schema } = resource
  const [, setTick] = useState(0)
  const q = parameter('q')
  const sort = parameter('sort')
  const pages = useMemo(
    () =>
      new RecordPages<JsonObject>(
        async (offset, limit, signal) => {
          const query = { q, sort, offset, limit }
          const reply = await callForReply('GET', pathTo`/worlds/${world}/collections/${collection}`, { query, signal })
          const rows = parseExactly<readonly JsonObject[]>(await reply.text())
          return { rows, total: Number(reply.headers.get('x-total-count') ?? rows.length) }
        },
        () => setTick(tick => tick + 1),
      ),
    [world, collection, q, sort],
  )
  const generation = `${epoch.value} ${dataRevision.value} ${count}`
  useEffect(() => {
    pages.refresh()
    return () => pages.stop()
  }, [pages, generation])
  const first = pages.at(0)
  const columns = useMemo(
    () =>
      columnsOf(schema, idField, first).map(({ name, width, classes }): Column<JsonObject> => {
        return [name, width, row => cellText(row[name]), classes, name]
      }),
    [schema, idField, first === undefined],
  )
  const making = parameter('new') !== ''
  const selected = making ? '' : parameter('record')
  const beside = making || selected !== ''
  return (
    <div class={`split ${beside ? 'open' : ''}`}>
      <div class="view">
        <div class="bar">
          <RecordSearch collection={collection} />
          <span class="muted" role="status">
            {pages.total === undefined ? '' : plural(pages.total, 'record')}
          </span>
          <span class="spring" />
          <Button icon="again" label="Read the records again" onClick={() => pages.refresh()} />
          <Button icon="plus" onClick={() => setParameters({ record: undefined, new: 'record' }, 'push')}>
            New record
          </Button>
        </div>
        <ProblemNotice error={pages.error} retry={() => pages.refresh()} />
        <div class="fill">
          {pages.total === 0 ? (
            <NoRecords collection={collection} search={q} />
          ) : pages.total !== undefined ? (
            <VirtualTable
              key={`${q} ${sort}`}
              label={`Records of ${collection}`}
              columns={columns}
              count={pages.total}
              rowAt={index => pages.at(index)}
              keyOf={row => idIn(row, idField)}
              selected={selected}
              onSelect={row =>
                setParameters({ record: idIn(row, idField), new: undefined }, beside ? 'replace' : 'push')
              }
              sorting={sort === '' ? undefined : { by: sort.replace(/^-/, ''), descending: sort.startsWith('-') }}
              onSort={({ by, descending }) => setParameters({ sort: `${descending ? '-' : ''}${by}` })}
              onSight={(from, to) => pages.show(from, to)}
            />
          ) : pages.error === undefined ? (
            <Spinner label="Reading the records" />
          ) : null}
        </div>
      </div>
      {beside && (
        <RecordEditor
          key={making ? 'new' : `${world} ${collection} ${selected}`}
          world={world}
          resource={resource}
          id={making ? undefined : selected}
        />
      )}
    </div>
  )
}

function RecordSearch({ collection }: { collection: string }) {
  const [text, setText] = useState(parameter('q'))
  useEffect(() => {
    if (text === parameter('q')) return undefined
    const timer = setTimeout(() => setParameters({ q: text }), SEARCH_WAIT)
    return () => clearTimeout(timer)
  }, [text])
  return <SearchField label={`Search ${collection}`} value={text} onChange={setText} />
}

const NoRecords = ({ collection, search }: { collection: string; search: string }) =>
  search === '' ? (
    <EmptyState
      icon="book"
      title={`There are no ${collection}`}
      text="Make one here, send a request that creates one, or reset the world to begin with the seeds again."
    />
  ) : (
    <EmptyState icon="search" title="No record matches" text={`No text of a record holds ${search}.`}>
      <Button onClick={() => setParameters({ q: undefined })}>Show all</Button>
    </EmptyState>
  )

/** A resource as the control plane describes it. */
interface ResourceForm {
  readonly name: string
  readonly idField: string
  /** How a new record gets its id: `client`, or in another way. */
  readonly assigned: string
  readonly schema: SchemaPart
}

/** Counts changes of records that this page made, so that tables load them again. */
const dataRevision = signal(0)

export async function dataChanged(): Promise<void> {
  dataRevision.value += 1
  await refreshWorlds()
}

interface RecordEditorProps {
  readonly world: string
  readonly resource: ResourceForm
  /** Unset for a new record. */
  readonly id: string | undefined
}

const closeRecord = (): void => setParameters({ record: undefined, new: undefined }, 'push')

function RecordEditor({ world, resource, id }: RecordEditorProps) {
  const { name, schema, assigned, idField } = resource
  const path = pathTo`/worlds/${world}/collections/${name}`
  const loaded = useLoaded(`${path} ${id ?? ''}`, async signal => {
    const blank = (): string => stringifyJson(blankAt(schema, [], assigned === 'client' ? '' : idField))
    return indentJson(id === undefined ? blank() : await callForText('GET', path + pathTo`/${id}`, { signal }))
  })
  return (
    <SidePanel
      label={id === undefined ? 'New record' : `Record ${id}`}
      title={id ?? `New record of ${name}`}
      close="Close the record"
      onClose={closeRecord}
    >
      <ShowLoaded
        of={loaded}
        missing={<EmptyState icon="search" title="There is no such record" text="It may have been deleted since." />}
      >
        {text => <RecordForm {...{ resource, id, path, stored: text }} />}
      </ShowLoaded>
    </SidePanel>
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
  const [mistakes, setMistakes] = useState<readonly TextMistake[]>([])
  const editor = useRef<Editor | undefined>(undefined)
  const task = useTask()

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
    parseExactly(text, 'The record')
    const [method, target] = id === undefined ? (['POST', path] as const) : (['PUT', path + pathTo`/${id}`] as const)
    try {
      const reply = await callForText(method, target, { body: text, type: 'application/json' })
      restore(indentJson(reply))
      const record = idIn(parseExactly<JsonObject>(reply), idField)
      announce(id === undefined ? `Created ${record}.` : `Saved ${record}.`)
      setParameters({ record, new: undefined })
      await dataChanged()
    } catch (failure) {
      // A refusal of a record names its mistakes by JSON Pointers.
      const errors = failure instanceof ControlError ? failure.problem.errors : undefined
      const found = ((errors ?? []) as readonly { pointer: string; message: string }[]).map(
        ({ pointer, message }): TextMistake => ({
          ...(editor.current as Editor).placeOf(pointer),
          severity: 'error',
          place: pointer,
          message,
        }),
      )
      mark(found)
      if (found.length === 0) throw failure
    }
  }
  const remove = async (): Promise<void> => {
    await call('DELETE', path + pathTo`/${id ?? ''}`)
    closeRecord()
    await dataChanged()
  }
  return (
    <>
      <ProblemNotice error={task.error} />
      <EditorBox label="The record as JSON" text={stored} schema={schema} onChange={setText} hold={editor} />
      <Mistakes mistakes={mistakes} onChoose={({ from }) => editor.current?.reveal(from)} />
      <div class="bar">
        {id && (
          <Button kind="danger" icon="trash" onClick={() => perform(remove, `Deleted ${id}.`)}>
            Delete
          </Button>
        )}
        <span class="spring" />
        {text !== saved && <Button onClick={() => restore(saved)}>Discard changes</Button>}
        <Button
          kind="primary"
          disabled={task.busy || (text === saved && id !== undefined)}
          onClick={() => task.run(save)}
        >
          {task.busy ? 'Saving…' : id === undefined ? 'Create' : 'Save'}
        </Button>
      </div>
    </>
  )
}
