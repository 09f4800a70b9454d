// A table that stays quick with 100,000 rows: only those in sight are in the page. It is one stop of the Tab key; arrow
// keys, Page Up and Down, Home and End move the selection, as the ARIA grid pattern has it.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

/**
 * The title, a track of a CSS grid (`6rem`, `minmax(8rem, 1fr)`), the cell of a row, its classes (`end`; `wide` leaves it out
 * where the table is narrower than 700 pixels), and the name that its heading sorts by.
 */
export type Column<Row> = readonly [
  title: string,
  width: string,
  cell: (row: Row) => ComponentChildren,
  classes?: string,
  sorts?: string,
]

interface Sorting {
  readonly by: string
  readonly descending: boolean
}

interface VirtualTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly count: number
  /** The row at an index; `undefined` while it is being loaded. */
  readonly rowAt: (index: number) => Row | undefined
  readonly keyOf: (row: Row) => string
  readonly selected?: string | undefined
  readonly onSelect?: ((row: Row) => void) | undefined
  readonly sorting?: Sorting | undefined
  readonly onSort?: ((sorting: Sorting) => void) | undefined
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

/** Rows beyond the edge that are kept ready. */
const OVERSCAN = 8

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, columns, count, rowAt, keyOf, selected, onSelect, prepended = 0, rowHeight = 30 } = props
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  const before = useRef(prepended)
  const cursor = useRef(-1)

  useEffect(() => {
    const element = box.current as HTMLDivElement
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement
    const added = prepended - before.current
    before.current = prepended
    if (added > 0 && element.scrollTop > 0) element.scrollTop += added * rowHeight
  }, [prepended, rowHeight])

  const from = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN)
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + OVERSCAN)
  const { onSight } = props
  useEffect(() => onSight?.(from, to), [from, to, onSight])

  const rows: { index: number; row: Row | undefined }[] = []
  for (let index = from; index < to; index++) rows.push({ index, row: rowAt(index) })
  const chosen = rows.find(({ row }) => row !== undefined && keyOf(row) === selected)
  if (chosen !== undefined) cursor.current = chosen.index

  const moveTo = (index: number): void => {
    const next = Math.max(0, Math.min(count - 1, index))
    const row = rowAt(next)
    if (row === undefined) return
    cursor.current = next
    onSelect?.(row)
    const element = box.current as HTMLDivElement
    const head = rowHeight + 4
    const edge = next * rowHeight
    if (edge < element.scrollTop) element.scrollTop = edge
    else if (edge + rowHeight + head > element.scrollTop + element.clientHeight) {
      element.scrollTop = edge + rowHeight + head - element.clientHeight
    }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== box.current || event.ctrlKey || event.metaKey || event.altKey) return
    const page = Math.max(1, Math.floor(height / rowHeight) - 2)
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: cursor.current + 1,
      ArrowUp: cursor.current - 1,
      PageDown: cursor.current + page,
      PageUp: cursor.current - page,
      Home: 0,
      End: count - 1,
    }
    const next = steps[event.key]
    if (next === undefined) return
    event.preventDefault()
    moveTo(next)
  }

  const tracks = (some: readonly Column<Row>[]): string => some.map(([, width]) => width).join(' ')
  const narrow = columns.filter(([, , , classes = '']) => !classes.includes('wide'))
  return (
    <div
      ref={box}
      class="virtual-table scroll"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-activedescendant={chosen === undefined ? undefined : `${id}-${selected}`}
      style={{ '--tracks': tracks(columns), '--tracks-narrow': tracks(narrow) }}
      onScroll={event => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="table-head muted" role="row" aria-rowindex={1} style={{ height: `${rowHeight}px` }} tabIndex={-1}>
        {columns.map(column => (
          <Heading key={column[0]} column={column} sorting={props.sorting} onSort={props.onSort} />
        ))}
      </div>
      <div class="table-rows" role="rowgroup" style={{ height: `${count * rowHeight}px` }}>
        {rows.map(({ index, row }) => {
          const key = row === undefined ? index : keyOf(row)
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of its rows
            <div
              key={key}
              id={`${id}-${key}`}
              class={`table-row ${row === undefined ? '' : (props.rowClass?.(row) ?? '')}`}
              role="row"
              tabIndex={-1}
              aria-rowindex={index + 2}
              aria-selected={key === selected}
              style={{ height: `${rowHeight}px`, top: `${index * rowHeight}px` }}
              onClick={() => {
                if (row === undefined) return
                cursor.current = index
                onSelect?.(row)
              }}
            >
              {columns.map(([title, , cell, classes], i) => (
                <span key={title} role="gridcell" class={classes} tabIndex={-1}>
                  {row !== undefined ? cell(row) : i === 0 ? '…' : ''}
                </span>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}

type HeadingProps = Pick<VirtualTableProps<unknown>, 'sorting' | 'onSort'> & { readonly column: Column<never> }

function Heading({ column: [title, , , classes, sorts], sorting, onSort }: HeadingProps) {
  const sorted = sorts !== undefined && sorting?.by === sorts
  const descending = sorting?.descending === true
  const direction = sorted ? (descending ? 'descending' : 'ascending') : undefined
  return (
    <span role="columnheader" class={classes} aria-sort={direction} tabIndex={-1}>
      {sorts && onSort ? (
        <button type="button" onClick={() => onSort({ by: sorts, descending: sorted && !descending })}>
          {title}
          {sorted && <span aria-hidden="true">{descending ? ' ↓' : ' ↑'}</span>}
        </button>
      ) : (
        title
      )}
    </span>
  )
}
