// A table that stays quick with 100,000 rows: only those in sight are in the page. It is one stop of the Tab key; arrow
// keys, Page Up and Down, Home and End move the selection, as the ARIA grid pattern has it.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { parameter, setParameters } from '../model/gateway.ts'

/** A column is as wide as its cells in sight; the table scrolls where they need more than there is. */
export interface Column<Row> {
  readonly title: string
  /** How wide it grows where there is room: `6rem`, `2fr`. */
  readonly width: string
  readonly cell: (row: Row) => ComponentChildren
  /** The classes of its cells, such as `end`. */
  readonly classes?: string
}

interface VirtualTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly count: number
  /** The row at an index; `undefined` while it is being loaded. */
  readonly rowAt: (index: number) => Row | undefined
  readonly keyOf: (row: Row) => string
  /** The parameter of the URL that names the selected row by its key. */
  readonly parameter: string
  /** The title of the column that the rows are sorted by, after `-` where the last is first. */
  readonly sort?: string
  /** Unset where the rows cannot be sorted. */
  readonly onSort?: ((sort: string) => void) | undefined
  /** Is called with the visible rows, for data that is loaded by page. */
  readonly onSight?: ((from: number, to: number) => void) | undefined
  /**
   * Counts the rows that were ever put before the first one. Where it grows while the person has scrolled down, the rows in
   * sight stay where they are.
   */
  readonly prepended?: number
  /** Pixels. Default: 30. */
  readonly rowHeight?: number
  readonly rowClass?: (row: Row) => string
}

/** Pixels. */
const ROW_HEIGHT = 30

/** Rows beyond the edge that are kept ready. */
const OVERSCAN = 8

/** Follows the scrolling of the table, and returns which rows are in sight, with some beyond the edge. */
function useRowsInSight<Row>({ count, onSight, prepended = 0, rowHeight = ROW_HEIGHT }: VirtualTableProps<Row>) {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  const prependedBefore = useRef(prepended)
  useEffect(() => {
    const element = box.current as HTMLDivElement
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement
    const added = Math.max(0, prepended - prependedBefore.current)
    if (element.scrollTop > 0) element.scrollTop += added * rowHeight
    prependedBefore.current = prepended
  }, [prepended, rowHeight])
  const from = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN)
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + OVERSCAN)
  useEffect(() => onSight?.(from, to), [from, to, onSight])
  return { box, from, to, height, setTop }
}

/** Returns the rows from one index up to another, with their keys; one that is being loaded has its index as its key. */
const rowsBetween = <Row,>(from: number, to: number, { rowAt, keyOf }: VirtualTableProps<Row>) =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => {
    const index = from + i
    const row = rowAt(index)
    return { index, row, key: row === undefined ? index : keyOf(row) }
  })

/** Keeps the selected row in the URL, by its key, and its index for the keys that move it. */
function useSelection<Row>(props: VirtualTableProps<Row>, rows: readonly { index: number; key: string | number }[]) {
  const { parameter: name, rowAt, keyOf } = props
  const selected = parameter(name)
  const cursor = useRef(-1)
  const selectedRow = rows.find(({ key }) => key === selected)
  if (selectedRow !== undefined) cursor.current = selectedRow.index
  const select = (index: number): void => {
    const row = rowAt(index)
    if (row === undefined) return
    cursor.current = index
    setParameters({ [name]: keyOf(row) }, selected === '' ? 'push' : 'replace')
  }
  return { selected, isInSight: selectedRow !== undefined, cursor, select }
}

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, columns, count, sort = '', onSort, rowHeight = ROW_HEIGHT, rowClass } = props
  const { box, from, to, height, setTop } = useRowsInSight(props)
  const id = useId()
  const rows = rowsBetween(from, to, props)
  const { selected, isInSight, cursor, select } = useSelection(props, rows)
  const onKeyDown = (event: KeyboardEvent): void => {
    const element = box.current as HTMLDivElement
    if (event.target !== element || event.ctrlKey || event.metaKey || event.altKey) return
    const step = stepOf(event.key, Math.floor(height / rowHeight) - 2, count)
    if (step === undefined) return
    event.preventDefault()
    const next = Math.max(0, Math.min(count - 1, cursor.current + step))
    select(next)
    showRow(element, next, rowHeight)
  }
  return (
    <div
      ref={box}
      class="virtual-table scroll"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-activedescendant={isInSight ? `${id}-${selected}` : undefined}
      style={{ gridTemplateColumns: columns.map(({ width }) => `minmax(max-content, ${width})`).join(' ') }}
      onScroll={event => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <TableHead columns={columns} height={rowHeight} sort={sort} onSort={onSort} />
      <div
        class="table-rows"
        role="rowgroup"
        style={{ height: `${count * rowHeight}px`, paddingTop: `${from * rowHeight}px` }}
      >
        {rows.map(({ index, row, key }) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of its rows
          <div
            key={key}
            id={`${id}-${key}`}
            class={`table-row ${(row && rowClass?.(row)) ?? ''}`}
            role="row"
            tabIndex={-1}
            aria-rowindex={index + 2}
            aria-selected={key === selected}
            style={{ height: `${rowHeight}px` }}
            onClick={() => select(index)}
          >
            <Cells columns={columns} row={row} />
          </div>
        ))}
      </div>
    </div>
  )
}

/** The cells of a row, or a sign that the row is being loaded. */
const Cells = <Row,>({ columns, row }: Pick<VirtualTableProps<Row>, 'columns'> & { row: Row | undefined }) => (
  <>
    {columns.map(({ title, cell, classes }, i) => (
      <span key={title} role="gridcell" class={classes} tabIndex={-1}>
        {row !== undefined ? cell(row) : i === 0 && '…'}
      </span>
    ))}
  </>
)

/** Returns how many rows a key moves the selection; `undefined` for another key. @param page the rows in sight */
function stepOf(key: string, page: number, count: number): number | undefined {
  const pageStep = Math.max(1, page)
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: pageStep,
    PageUp: -pageStep,
    Home: -count,
    End: count,
  }
  return steps[key]
}

/** Scrolls a row into sight, below the heading. */
function showRow(table: HTMLElement, index: number, rowHeight: number): void {
  const edge = index * rowHeight
  const head = rowHeight + 4
  table.scrollTop = Math.min(edge, Math.max(table.scrollTop, edge + rowHeight + head - table.clientHeight))
}

interface TableHeadProps<Row> extends Pick<VirtualTableProps<Row>, 'columns'> {
  /** Pixels. */
  readonly height: number
  readonly sort: string
  readonly onSort: ((sort: string) => void) | undefined
}

const TableHead = <Row,>({ columns, height, sort, onSort }: TableHeadProps<Row>) => (
  <div class="table-head muted" role="row" aria-rowindex={1} style={{ height: `${height}px` }} tabIndex={-1}>
    {columns.map(({ title, classes }) => {
      const isAscending = sort === title
      const isSorted = isAscending || sort === `-${title}`
      return (
        <span
          key={title}
          role="columnheader"
          class={classes}
          aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : undefined}
          tabIndex={-1}
        >
          {onSort ? (
            <button type="button" onClick={() => onSort(isAscending ? `-${title}` : title)}>
              {title}
              {isSorted && <span aria-hidden="true">{isAscending ? ' ↑' : ' ↓'}</span>}
            </button>
          ) : (
            title
          )}
        </span>
      )
    })}
  </div>
)
