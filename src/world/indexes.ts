// The indexes of a collection: for each field that lists filter by, its records in the order of that field.

import type { Json } from '../kernel/json.ts'
import { compareIds, compareJson, take } from './arrange.ts'
import type { Filter } from './collection.ts'
import type { Id } from './id.ts'
import { fieldIn } from './record-field.ts'
import type { Row } from './row-change.ts'
import { Tree, treeOf } from './tree.ts'

type FieldIndex = Tree<Row, undefined>

export class Indexes {
  readonly #byField: ReadonlyMap<string, FieldIndex>

  private constructor(byField: ReadonlyMap<string, FieldIndex>) {
    this.#byField = byField
  }

  static on(fields: readonly string[]): Indexes {
    return new Indexes(new Map(fields.map(field => [field, indexOn(field)])))
  }

  clone(): Indexes {
    return new Indexes(new Map([...this.#byField].map(([field, index]) => [field, index.clone()])))
  }

  /** Returns the indexes on other fields. Those that are missing are built from `rows`, in the order of their ids. */
  adapted(fields: readonly string[], rows: () => Row[]): Indexes {
    return new Indexes(new Map(fields.map(field => [field, this.#byField.get(field) ?? indexOf(field, rows())])))
  }

  /** Returns indexes on the same fields for other records, in the order of their ids. */
  of(rows: readonly Row[]): Indexes {
    return new Indexes(new Map([...this.#byField.keys()].map(field => [field, indexOf(field, rows)])))
  }

  /** Adds a record in the place of an older state of it. */
  put(row: Row, old: Row | undefined): void {
    for (const index of this.#byField.values()) {
      if (old !== undefined) index.delete(old)
      index.set(row, undefined)
    }
  }

  delete(row: Row): void {
    for (const index of this.#byField.values()) index.delete(row)
  }

  /** Rows behind `after` in the order of their ids. The first filter walks its index; the others check each row of it. */
  select(first: Filter, rest: readonly Filter[], limit: number, after?: Id): Iterable<Row> {
    const values = first.orAbsent === true ? [...first.values, undefined] : first.values
    const [value, ...more] = values
    if (more.length === 0) return this.#equal(first.field, value, rest, after)
    // Several values are several walks: each brings at most a page, and the page is cut from all of them.
    const rows = new Set(values.flatMap(one => [...take(this.#equal(first.field, one, rest, after), limit)]))
    return [...rows].sort((a, b) => compareIds(a.id, b.id))
  }

  *#equal(field: string, value: Json | undefined, rest: readonly Filter[], after?: Id): Iterable<Row> {
    const index = this.#byField.get(field)
    if (index === undefined) throw new Error(`no index on ${field}`)
    const probe = { id: after ?? FIRST, value: { [field]: value } } as unknown as Row
    for (const row of index.keys(probe)) {
      if (compareJson(fieldIn(field, row.value), value) !== 0) return
      if (row.id === after) continue
      if (rest.every(filter => selects(filter, row))) yield row
    }
  }
}

function selects({ field, values, orAbsent }: Filter, { value }: Row): boolean {
  const own = fieldIn(field, value)
  return (orAbsent === true && own === undefined) || values.some(one => compareJson(own, one) === 0)
}

/** A value before every id, where a walk along an index begins. */
const FIRST: Id = Number.NEGATIVE_INFINITY

const indexOn = (field: string): FieldIndex => new Tree<Row, undefined>(undefined, orderBy(field))

const orderBy =
  (field: string) =>
  (a: Row, b: Row): number =>
    compareJson(fieldIn(field, a.value), fieldIn(field, b.value)) || compareIds(a.id, b.id)

/** Makes the index of many records, which are in the order of their ids. */
function indexOf(field: string, rows: readonly Row[]): FieldIndex {
  const order = orderBy(field)
  const sorted = sortedByValue(field, rows, order) ?? rows.toSorted(order)
  return treeOf(sorted, new Array<undefined>(sorted.length), order)
}

/** Sorts values instead of records, which takes less time; `undefined` if there are too many values. */
function sortedByValue(field: string, rows: readonly Row[], order: (a: Row, b: Row) => number): Row[] | undefined {
  const byValue = new Map<Json | undefined, Row[]>()
  for (const row of rows) {
    const value = fieldIn(field, row.value)
    const own = byValue.get(value)
    if (own !== undefined) own.push(row)
    else if (byValue.size === MOST_VALUES) return undefined
    else byValue.set(value, [row])
  }
  const groups = [...byValue.values()].sort(([a], [b]) => order(a as Row, b as Row))
  // Objects, and numbers that are equal and of another type, are several values that compare alike.
  const alike = groups.some((group, i) => i > 0 && order(groups[i - 1]?.at(-1) as Row, group[0] as Row) >= 0)
  return alike ? undefined : groups.flat()
}

const MOST_VALUES = 1000
