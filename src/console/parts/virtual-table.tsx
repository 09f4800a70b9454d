// A table that stays quick with 100,000 rows: only those in sight are in the page. It is one stop of the Tab key; arrow
// keys, Page Up and Down, Home and End move the selection, as the ARIA grid pattern has it.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { parameter, setParameters } from '../model/gateway.ts'

/**
 * The title, how wide the column grows where there is room (`6rem`, `2fr`), the cell of a row, and its classes (`end`). A column
 * is as wide as its cells in sight; the table scrolls where they need more than there is.
 */
export type Column<Row> = readonly [
  title: string,
  width: string,
  cell: (row: Row) => ComponentChildren,
  classes?: string,
]

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
  readonly onSort?: (sort: string) => void
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
  const { label, columns, count, rowAt, keyOf, sort = '', onSort, onSight } = props
  const { prepended = 0, rowHeight = 30 } = props
  const id = useId()
  const selected = parameter(props.parameter)
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
    if (element.scrollTop > 0) element.scrollTop += Math.max(0, prepended - before.current) * rowHeight
    before.current = prepended
  }, [prepended, rowHeight])

  const from = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN)
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + OVERSCAN)
  useEffect(() => onSight?.(from, to), [from, to, onSight])

  const rows = Array.from({ length: Math.max(0, to - from) }, (_, i) => {
    const row = rowAt(from + i)
    return { index: from + i, row, key: row === undefined ? from + i : keyOf(row) }
  })
  const chosen = rows.find(({ key }) => key === selected)
  if (chosen !== undefined) cursor.current = chosen.index

  const select = (index: number): void => {
    const row = rowAt(index)
    if (row === undefined) return
    cursor.current = index
    setParameters({ [props.parameter]: keyOf(row) }, selected === '' ? 'push' : 'replace')
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const element = box.current as HTMLDivElement
    if (event.target !== element || event.ctrlKey || event.metaKey || event.altKey) return
    const page = Math.max(1, Math.floor(height / rowHeight) - 2)
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -count,
      End: count,
    }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = Math.max(0, Math.min(count - 1, cursor.current + step))
    select(next)
    // The row is put into sight, below the heading.
    const edge = next * rowHeight
    const head = rowHeight + 4
    element.scrollTop = Math.min(edge, Math.max(element.scrollTop, edge + rowHeight + head - element.clientHeight))
  }

  return (
    <div
      ref={box}
      class="virtual-table scroll"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-activedescendant={chosen && `${id}-${selected}`}
      style={{ gridTemplateColumns: columns.map(([, width]) => `minmax(max-content, ${width})`).join(' ') }}
      onScroll={event => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="table-head muted" role="row" aria-rowindex={1} style={{ height: `${rowHeight}px` }} tabIndex={-1}>
        {columns.map(([title, , , classes]) => {
          const isFirstUp = sort === title
          const isSorted = isFirstUp || sort === `-${title}`
          return (
            <span
              key={title}
              role="columnheader"
              class={classes}
              aria-sort={isSorted ? (isFirstUp ? 'ascending' : 'descending') : undefined}
              tabIndex={-1}
            >
              {onSort ? (
                <button type="button" onClick={() => onSort(isFirstUp ? `-${title}` : title)}>
                  {title}
                  {isSorted && <span aria-hidden="true">{isFirstUp ? ' ↑' : ' ↓'}</span>}
                </button>
              ) : (
                title
              )}
            </span>
          )
        })}
      </div>
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
            class={`table-row ${(row && props.rowClass?.(row)) ?? ''}`}
            role="row"
            tabIndex={-1}
            aria-rowindex={index + 2}
            aria-selected={key === selected}
            style={{ height: `${rowHeight}px` }}
            onClick={() => select(index)}
          >
            {columns.map(([title, , cell, classes], i) => (
              <span key={title} role="gridcell" class={classes} tabIndex={-1}>
                {row !== undefined ? cell(row) : i === 0 && '…'}
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
