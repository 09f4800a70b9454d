// The records of the shown world: a table of each collection with sort, search and paging, and one record beside it.

import { useEffect, useMemo, useState } from 'preact/hooks'
import { plan } from '../model/about.ts'
import { epoch } from '../model/connection.ts'
import { call, pathOf, send } from '../model/control-plane.ts'
import { useLoaded } from '../model/loaded.ts'
import { parameter, setParameters } from '../model/location.ts'
import { Icon } from '../parts/icon.tsx'
import { EmptyState, ProblemNotice, Progress, Show } from '../parts/notices.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { type Column, type Sorting, VirtualTable } from '../parts/virtual-table.tsx'
import { dataRevision } from './data-changes.ts'
import type { DescribedResource } from './described-resource.ts'
import { type JsonRecord, parseExact } from './exact-json.ts'
import { RecordEditor } from './record-editor.tsx'
import { RecordPages } from './record-pages.ts'
import { cellOf, columnsOf, idOf } from './table-columns.ts'

/** Milliseconds after the last key until a search is sent. */
const SEARCH_WAIT = 250

export function DataPanel({ world, records }: { world: string; records: Readonly<Record<string, number>> }) {
  // A collection that no request has touched yet is not counted.
  const names = plan.value?.resources.map(({ name }) => name) ?? Object.keys(records)
  const wanted = parameter('collection')
  const chosen = names.includes(wanted) ? wanted : (names[0] ?? '')
  if (plan.value === undefined) return <Progress />
  if (chosen === '') {
    return (
      <EmptyState icon="book" title="This API keeps no records">
        <p>
          The configuration has no <code>resources</code>. With <code>understudy init</code> it is written for a
          contract; records of a resource are then listed, searched and edited here.
        </p>
      </EmptyState>
    )
  }
  return (
    <section class="data-panel" aria-label="Records">
      <Tabs
        label="Collections"
        tabs={names.map(name => ({
          id: name,
          title: name,
          ...(name in records ? { count: records[name] as number } : {}),
        }))}
        chosen={chosen}
        onChoose={collection =>
          setParameters({ collection, record: undefined, new: undefined, q: undefined, sort: undefined }, 'push')
        }
      >
        <CollectionData key={`${world} ${chosen}`} world={world} collection={chosen} count={records[chosen] ?? 0} />
      </Tabs>
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
  const resource = useLoaded(collection, signal =>
    call<DescribedResource>('GET', pathOf`/resources/${collection}`, { signal }),
  )
  return <Show of={resource}>{found => <RecordTable world={world} resource={found} count={count} />}</Show>
}

function RecordTable({ world, resource, count }: { world: string; resource: DescribedResource; count: number }) {
  const { name: collection, idField, schema } = resource
  const [, setTick] = useState(0)
  const q = parameter('q')
  const sort = parameter('sort')
  const pages = useMemo(
    () =>
      new RecordPages<JsonRecord>(
        async (offset, limit, signal) => {
          const query = { q, sort, offset, limit }
          const reply = await send('GET', pathOf`/worlds/${world}/collections/${collection}`, { query, signal })
          const rows = parseExact(await reply.text()) as unknown as readonly JsonRecord[]
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
    (): readonly Column<JsonRecord>[] =>
      columnsOf(schema, idField, first === undefined ? [] : [first]).map(
        ({ id, title, width, number, sorts, wide }) => ({
          ...{ id, title, width, sorts, wide },
          ...(number && id !== idField ? { align: 'end' as const } : {}),
          cell: row => <span class={id === idField ? 'mono' : ''}>{cellOf(row[id])}</span>,
        }),
      ),
    [schema, idField, first === undefined],
  )
  const selected = parameter('record')
  const making = parameter('new') !== ''
  const beside = making || selected !== ''
  const shown = beside ? columns.filter(({ wide }) => !wide) : columns
  const sorting = sort === '' ? undefined : { by: sort.replace(/^-/, ''), descending: sort.startsWith('-') }
  const select = (row: JsonRecord): void =>
    setParameters({ record: idOf(row, idField), new: undefined }, beside ? 'replace' : 'push')
  return (
    <div class={`split${beside ? ' open' : ''}`}>
      <div class="record-list">
        <RecordTools collection={collection} total={pages.total} onRefresh={() => pages.refresh()} />
        {pages.error === undefined ? null : <ProblemNotice error={pages.error} retry={() => pages.refresh()} />}
        {pages.total === 0 ? (
          <NoRecords collection={collection} search={q} />
        ) : pages.total === undefined ? (
          pages.error === undefined ? (
            <Progress label="Reading the records" />
          ) : null
        ) : (
          <VirtualTable
            key={`${q} ${sort}`}
            label={`Records of ${collection}`}
            columns={shown}
            count={pages.total}
            rowAt={index => pages.at(index)}
            keyOf={row => idOf(row, idField)}
            selected={making ? '' : selected}
            onSelect={select}
            sorting={sorting}
            onSort={({ by, descending }: Sorting) => setParameters({ sort: `${descending ? '-' : ''}${by}` })}
            onSight={(from, to) => pages.show(from, to)}
          />
        )}
      </div>
      {!beside ? null : (
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

interface RecordToolsProps {
  readonly collection: string
  readonly total: number | undefined
  readonly onRefresh: () => void
}

function RecordTools({ collection, total, onRefresh }: RecordToolsProps) {
  const [text, setText] = useState(parameter('q'))
  useEffect(() => {
    if (text === parameter('q')) return undefined
    const timer = setTimeout(() => setParameters({ q: text }), SEARCH_WAIT)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div class="tools record-tools">
      <label class="search-field">
        <span class="visually-hidden">Search {collection}</span>
        <Icon name="search" />
        <input
          type="search"
          placeholder={`Search ${collection}`}
          value={text}
          onInput={event => setText((event.currentTarget as HTMLInputElement).value)}
        />
      </label>
      <span class="muted number" role="status">
        {total === undefined ? '' : `${total.toLocaleString('en')} ${total === 1 ? 'record' : 'records'}`}
      </span>
      <span class="spring" />
      <button
        type="button"
        class="button icon-only"
        aria-label="Read the records again"
        title="Read again"
        onClick={onRefresh}
      >
        <Icon name="again" />
      </button>
      <button type="button" class="button" onClick={() => setParameters({ record: undefined, new: 'record' }, 'push')}>
        <Icon name="plus" />
        New record
      </button>
    </div>
  )
}

const NoRecords = ({ collection, search }: { collection: string; search: string }) =>
  search === '' ? (
    <EmptyState icon="book" title={`There are no ${collection}`}>
      <p>Make one here, send a request that creates one, or reset the world to begin with the seeds again.</p>
    </EmptyState>
  ) : (
    <EmptyState icon="search" title="No record matches">
      <p>
        No text of a record holds <b>{search}</b>.
      </p>
      <button type="button" class="button" onClick={() => setParameters({ q: undefined })}>
        Show all
      </button>
    </EmptyState>
  )
