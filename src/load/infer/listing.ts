// Tells paths that list records from paths that name one.

import type { Operation } from '../../contract/contract.ts'
import { replySchema } from './bodies.ts'
import { type ItemPaths, itemPathOf, wordOf } from './paths.ts'
import { type Listed, listedIn } from './reply.ts'
import type { SchemaReader } from './schema.ts'

/** A GET that lists records. */
export interface List {
  readonly operation: Operation
  readonly listed: Listed
}

export function findList(operation: Operation | undefined, word: string, schemas: SchemaReader): List | undefined {
  const whole = operation && replySchema(operation)
  const listed = whole && listedIn(whole, word, schemas)
  return operation === undefined || listed === undefined ? undefined : { operation, listed }
}

/** Whether a path that ends with an owner lists records: `/flags/{project}` beside `/flags/{project}/{flag}`. */
export function isOwnedList(
  segments: readonly string[],
  own: ReadonlyMap<string, Operation>,
  byPath: ReadonlyMap<string, ReadonlyMap<string, Operation>>,
  items: ItemPaths,
  schemas: SchemaReader,
): boolean {
  const above = `/${segments.slice(0, -1).join('/')}`
  if (!items.exact.has(segments.join('/'))) return false
  const operations = byPath.get(above)
  if (operations !== undefined) return listAlike(operations, own, wordOf(above), schemas)
  return findList(own.get('GET'), wordOf(above), schemas) !== undefined
}

/** The path of a collection's items; not one that lists records of the collection by owner: `/repositories/{workspace}`. */
export function itemPathBelow(
  path: string,
  byPath: ReadonlyMap<string, ReadonlyMap<string, Operation>>,
  items: ItemPaths,
  schemas: SchemaReader,
): string | undefined {
  const found = itemPathOf(path, items)
  const [own, item] = [path, found].map(one => (one === undefined ? undefined : byPath.get(one)))
  const isList = own !== undefined && item !== undefined && listAlike(own, item, wordOf(path), schemas)
  // Some items are answered as a list of one. A page of records is not changed or deleted.
  const isPage = isList && !isChanged(item)
  return isPage ? undefined : found
}

/** Whether a path has operations that change or delete. */
export const isChanged = (operations: ReadonlyMap<string, Operation>): boolean =>
  ['PUT', 'PATCH', 'DELETE'].some(method => operations.has(method))

/** Whether the GETs of two paths list the same records. */
export function listAlike(
  own: ReadonlyMap<string, Operation>,
  other: ReadonlyMap<string, Operation>,
  word: string,
  schemas: SchemaReader,
): boolean {
  const [one, two] = [own, other].map(operations => findList(operations.get('GET'), word, schemas)?.listed)
  if (one === undefined || two === undefined || !schemas.areAkin(one.items, two.items)) return false
  // A reply that is a list of one is an item: it has no other fields than the list of records.
  return two.keys.length > 0 && one.keys.join() === two.keys.join() && schemas.areAkin(one.whole, two.whole)
}
