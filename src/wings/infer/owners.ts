// Finds whose the records of a nested collection are: the parameters of its path, and where a record keeps each.

import { isUnshown } from '../../behaviours/respond/config.ts'
import type { Node } from '../../contract/documents.ts'
import { expressionsOf, nameless } from '../../contract/paths.ts'
import { plainName, wordFormOf } from '../../kernel/names.ts'
import { fieldInHead } from './candidates.ts'
import type { Named } from './collections.ts'
import { type SchemaReader, segmentsOf } from './schema.ts'

/** An owner that a path names. */
export interface InferredOwner {
  readonly parameter: string
  /** The field of a record with the owner's id; `{shelf}` if its schema has none. */
  readonly field: string
  /** The resource of the owner, if it must exist. */
  readonly resource?: string | undefined
}

/** The names of the resources whose records must exist to own others, by the places of their items. */
export type OwningItems = ReadonlyMap<string, string>

/**
 * Returns the owners that a collection's path names, in the order of its parameters. The last one must exist if it is the item of
 * a resource.
 */
export function ownersOf(
  path: string,
  properties: ReadonlyMap<string, Node>,
  idField: string,
  schemas: SchemaReader,
  owning: OwningItems,
): readonly InferredOwner[] {
  const segments = segmentsOf(path)
  const taken = new Set([idField])
  const parameters = expressionsOf(path)
  return parameters.map(parameter => {
    const at = segments.indexOf(`{${parameter}}`)
    // The word before an owner at the end of a path is that of the records, and that of `/repos/{owner}/{repo}` of the second.
    const isLast = at === segments.length - 1
    const isPair = segments[at - 1]?.includes('{') || segments[at + 1]?.includes('{')
    const word = isLast || isPair ? '' : (segments[at - 1] ?? '')
    const field = ownerField(parameter, word, properties, taken, schemas) ?? `{${parameter}}`
    taken.add(field)
    const place = nameless(segments.slice(0, at + 1).join('/'))
    return { parameter, field, resource: parameter === parameters.at(-1) && !isLast ? owning.get(place) : undefined }
  })
}

/**
 * Returns the resources whose records must exist to own others. Clients must be able to find an owner right above, at `/sites` for
 * `/sites/{id}/maps`, or create and read it, as `/repos/{owner}/{repo}`. Not an account's cards where any account is accepted and
 * no card can be created: their list is empty for most accounts.
 */
export function owningItems(collections: readonly Named[], schemas: SchemaReader): OwningItems {
  const owning = new Map<string, string>()
  for (const collection of [...collections].sort((a, b) => a.segments.length - b.segments.length)) {
    const { name, path, segments, itemPath, item, list, create, records, candidates } = collection
    const below = nameless([...segments, '{}'].join('/'))
    const place = itemPath === undefined ? below : nameless(segmentsOf(itemPath).join('/'))
    if (place !== below && create !== undefined && item.has('GET')) owning.set(place, name)
    if (list === undefined) continue
    const [record] = records.known
    const properties = record === undefined ? NO_FIELDS : schemas.fields(record)
    const owners = ownersOf(path, properties, candidates[0]?.idField ?? '', schemas, NO_OWNERS)
    const isFound = ({ parameter, field }: InferredOwner): boolean => {
      const at = segments.indexOf(`{${parameter}}`)
      return isUnshown(field) || owning.has(nameless(segments.slice(0, at + 1).join('/')))
    }
    if (create !== undefined || owners.every(isFound)) owning.set(below, name)
  }
  return owning
}

const NO_FIELDS: ReadonlyMap<string, Node> = new Map()
const NO_OWNERS: OwningItems = new Map()

/** Returns the field of a record for its owner: with the name of the parameter or the owner, at the top or in the metadata. */
function ownerField(
  parameter: string,
  word: string,
  properties: ReadonlyMap<string, Node>,
  taken: ReadonlySet<string>,
  schemas: SchemaReader,
): string | undefined {
  const owner = wordFormOf(word)
  const wanted = [plainName(parameter), ...(owner === '' ? [] : [`${owner}id`, owner])]
  // The kind of a message, an enum, is not the `{type}` of its channel.
  const isMeant = (name: string, node: Node, path = name): boolean =>
    !taken.has(path) && wanted.includes(plainName(name)) && schemas.isScalar(node) && schemas.enumOf(node).length === 0
  const field = [...properties].find(([name, node]) => isMeant(name, node))?.[0]
  return field ?? fieldInHead(properties, isMeant, schemas)
}

/** Returns the owners that the path of an operation names, by the place of their parameters. */
export function ownersAt(where: string, owners: readonly InferredOwner[]): readonly InferredOwner[] {
  const names = expressionsOf(where)
  return owners.flatMap((owner, i) => (names[i] === undefined ? [] : [{ ...owner, parameter: names[i] }]))
}

/** Whether a path begins as another one does, with any names of parameters. */
export function isBelow(where: string, path: string): boolean {
  const segments = segmentsOf(where)
  return segmentsOf(path).every(
    (segment, i) => segment === segments[i] || (segment.includes('{') && segments[i]?.includes('{') === true),
  )
}
