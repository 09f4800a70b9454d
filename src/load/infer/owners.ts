// Finds whose the records of a nested collection are: the parameters of its path, and where a record keeps each.

import { isUnshown, type WithinConfig } from '../../behaviours/respond/config.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { plainName } from '../../kernel/text/names.ts'
import type { Json } from '../../kernel/value/json.ts'
import { fieldInHead, type SchemaCandidate } from './candidates.ts'
import { type Named, pathParameters } from './collections.ts'
import { segmentsOf, singular } from './paths.ts'
import type { SchemaReader } from './schema.ts'

/** The owners that a collection's path names, in the order of its parameters. */
export function ownersOf(
  path: string,
  properties: ReadonlyMap<string, Node>,
  idField: string,
  schemas: SchemaReader,
  known: KnownOwners,
  declared: ReadonlyMap<string, Parameter>,
): readonly WithinConfig[] {
  const segments = segmentsOf(path)
  const taken = new Set([idField])
  const last = expressionsOf(path).at(-1)
  return expressionsOf(path).map((parameter): WithinConfig => {
    const before = segments[segments.indexOf(`{${parameter}}`) - 1] ?? ''
    // The word before an owner at the end of a path is that of the records.
    const isLast = segments.at(-1) === `{${parameter}}`
    const owner = before.includes('{') || isLast ? '' : before
    const holds = (node: Node) => mayHold(node, declared.get(parameter), schemas)
    const field = ownerField(parameter, owner, properties, taken, schemas, holds)
    if (field === undefined) return { parameter, field: `{${parameter}}` }
    taken.add(field)
    const at = segments.indexOf(`{${parameter}}`)
    const isCheckable =
      parameter === last &&
      !field.includes('.') &&
      known.chosen.has(owner) &&
      known.listed.has(listedAt(owner, segments.slice(0, at)))
    return {
      parameter,
      ...(field === parameter ? {} : { field }),
      ...(isCheckable ? { resource: owner } : {}),
    }
  })
}

/** The resources that a path may name as owners. */
interface KnownOwners {
  readonly chosen: ReadonlyMap<string, SchemaCandidate>
  /** The resources with the paths of their lists: see `listedAt`. */
  readonly listed: ReadonlySet<string>
}

/**
 * A resource and the path that lists it. An owner must exist only if clients can find it right above: at `/sites` for
 * `/sites/{id}/maps`, not where sites are listed below an organisation alone.
 */
const listedAt = (name: string, segments: readonly string[]): string => `${name} ${segments.join('/')}`

/**
 * The lists whose records must exist to own others. Not the list of an account's cards where any account is accepted and no
 * card can be created: it is empty for most accounts, so a client would find no owner at all.
 */
export function listsOfOwners(
  collections: readonly Named[],
  paths: readonly (readonly string[])[],
  schemas: SchemaReader,
): ReadonlySet<string> {
  const listed = new Set<string>()
  for (const collection of [...collections].sort((a, b) => a.segments.length - b.segments.length)) {
    const { name, path, segments, list, create, records, candidates } = collection
    if (list === undefined || ownsMost(segments, paths)) continue
    const [record] = records.known
    const properties = record === undefined ? NO_FIELDS : schemas.shape(record).properties
    const idField = candidates[0]?.idField ?? ''
    const owners = ownersOf(path, properties, idField, schemas, NO_OWNERS, pathParameters(collection))
    const isFound = ({ parameter, field = parameter }: WithinConfig): boolean => {
      const at = segments.indexOf(`{${parameter}}`)
      return isUnshown(field) || listed.has(listedAt(segments[at - 1] ?? '', segments.slice(0, at)))
    }
    if (create !== undefined || owners.every(isFound)) listed.add(listedAt(name, segments))
  }
  return listed
}

const NO_FIELDS: ReadonlyMap<string, Node> = new Map()
const NO_OWNERS: KnownOwners = { chosen: new Map(), listed: new Set() }

/** The minimum number of paths below an item, besides half of all, for it to be the account of the caller. */
const MOST_BELOW = 20

/**
 * Whether most of an API is below the items of a collection, such as `/accounts/{id}`. Its clients know their own account
 * from their credentials, and not from the list, so any is accepted.
 */
function ownsMost(collection: readonly string[], paths: readonly (readonly string[])[]): boolean {
  const isBelow = (path: readonly string[]): boolean =>
    path.length > collection.length + 1 &&
    path[collection.length]?.startsWith('{') === true &&
    collection.every((segment, i) => segment === path[i])
  const below = paths.filter(isBelow).length
  return below >= MOST_BELOW && below * 2 >= paths.length
}

/** The field of a record for its owner: with the name of the parameter or the owner, at the top or in the metadata. */
function ownerField(
  parameter: string,
  owner: string,
  properties: ReadonlyMap<string, Node>,
  taken: ReadonlySet<string>,
  schemas: SchemaReader,
  holds: (node: Node) => boolean,
): string | undefined {
  const one = plainName(singular(owner))
  const wanted = [plainName(parameter), ...(one === '' ? [] : [`${one}id`, one])]
  const isMeant = (name: string, node: Node, path = name): boolean =>
    !taken.has(path) && wanted.includes(plainName(name)) && schemas.isScalar(node) && holds(node)
  const own = [...properties].find(([name, node]) => isMeant(name, node))?.[0]
  return own ?? fieldInHead(properties, isMeant, schemas)
}

/** Whether a field can have the values of a path parameter: the kind of a message is not the `{type}` of its channel. */
function mayHold(field: Node, parameter: Parameter | undefined, schemas: SchemaReader): boolean {
  const values = schemas.enumOf(field)
  const named = parameter === undefined ? [] : schemas.enumOf(parameter.schema.node)
  return values.length === 0 || (named.length > 0 && named.every(value => values.includes(value)))
}

/**
 * The owners that the path of an operation names: by the place of their parameters where it begins as the collection's path
 * does, else by their names.
 */
export function withinFor(where: string, path: string, owners: readonly WithinConfig[]): { readonly within?: Json } {
  const own = segmentsOf(path)
  const segments = segmentsOf(where)
  const isBelow = own.every((one, i) => one === segments[i] || (one.includes('{') && segments[i]?.includes('{')))
  const names = expressionsOf(where)
  const all = owners.flatMap((owner, i) => {
    const parameter = isBelow
      ? names[i]
      : names.slice(0, isItem(segments) ? -1 : undefined).find(one => one === owner.parameter)
    if (parameter === undefined) return []
    return [
      { ...owner, parameter, ...(parameter === owner.parameter ? {} : { field: owner.field ?? owner.parameter }) },
    ]
  })
  const [first, second] = all
  if (first === undefined) return {}
  return { within: second === undefined ? { ...first } : all.map(one => ({ ...one })) }
}

const isItem = (segments: readonly string[]): boolean => segments.at(-1)?.startsWith('{') === true
