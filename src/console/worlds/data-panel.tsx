// The records of the shown world: a table of each collection with sort, search and paging, and one record beside it.

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { JsonObject } from '../../kernel/json.ts'
import { parseJson } from '../../kernel/parse-json.ts'
import { callExactly, callForReply, epoch, pathTo } from '../model/control-plane.ts'
import { servedPlan } from '../model/gateway.ts'
import { useLoaded } from '../model/loaded.ts'
import { parameter, setParameters } from '../model/location.ts'
import { plural } from '../model/wording.ts'
import { Button, SearchField } from '../parts/controls.tsx'
import { EmptyState, Loaded, ProblemNotice, Spinner } from '../parts/notices.tsx'
import { Tabs } from '../parts/panels.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import { dataRevision, RecordEditor, type ResourceForm } from './record-editor.tsx'
import { RecordPages } from './record-pages.ts'
import { cellText, columnsOf, idIn } from './table-columns.ts'

/** Milliseconds after the last key until a search is sent. */
const SEARCH_WAIT = 250

export function DataPanel({ world, records }: { world: string; records: Readonly<Record<string, number>> }) {
  // A collection that no request has touched yet is not counted.
  const names = servedPlan.value?.resources.map(({ name }) => name)
  if (names === undefined) return <Spinner />
  const wanted = parameter('collection')
  const chosen = names.includes(wanted) ? wanted : names[0]
  if (chosen === undefined) {
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
    <section class="view" aria-label="Records">
      <Tabs
        label="Collections"
        tabs={names.map(name => [name, name, records[name]] as const)}
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
    callExactly<ResourceForm>('GET', pathTo`/resources/${collection}`, { signal }),
  )
  return <Loaded of={resource}>{found => <RecordTable world={world} resource={found} count={count} />}</Loaded>
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
          const { value: rows } = parseJson(await reply.text(), true) as unknown as { value: readonly JsonObject[] }
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
    (): readonly Column<JsonObject>[] =>
      columnsOf(schema, idField, first).map(({ id, isNumber, ...column }) => ({
        ...{ id, ...column, sorts: true },
        ...(isNumber && id !== idField ? { align: 'end' } : {}),
        cell: row => <span class={id === idField ? 'mono' : ''}>{cellText(row[id])}</span>,
      })),
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
      {beside ? (
        <RecordEditor
          key={making ? 'new' : `${world} ${collection} ${selected}`}
          world={world}
          resource={resource}
          id={making ? undefined : selected}
        />
      ) : null}
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
  return <SearchField label={`Search ${collection}`} value={text} onText={setText} />
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
      <Button onClick={() => setParameters({ q: undefined })}>Show all</Button>
    </EmptyState>
  )
