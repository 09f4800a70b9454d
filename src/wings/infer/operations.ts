// Finds what each operation of a collection does: list, create, read, change or delete records, and whose.

import { NAME } from '../../behaviours/respond/caller.ts'
import { isUnshown, type WithinConfig, withinsOf } from '../../behaviours/respond/config.ts'
import type { Contract, Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { expressionsOf, nameless } from '../../contract/paths.ts'
import { replySchema } from '../../contract/success.ts'
import type { Json } from '../../kernel/json.ts'
import { plainName, singular, wordFormOf } from '../../kernel/names.ts'
import { schemaNamed } from '../../load/seed/seed.ts'
import { fieldInHead, type SchemaCandidate } from './candidates.ts'
import { isAlone, type Named } from './collections.ts'
import { listKeys, wrapping } from './list.ts'
import {
  answersEmpty,
  answersOtherwise,
  isItemPath,
  isSilent,
  readFields,
  requestSchema,
  type SchemaReader,
  segmentsOf,
} from './schema.ts'
import {
  changesByAction,
  counterOf,
  eachSent,
  fieldsGiven,
  givenForEach,
  isPartial,
  namesInBody,
  setByQuery,
  templateOf,
} from './writes.ts'

export interface InferredOperation {
  readonly operation: Operation
  readonly resource: string
  readonly action: 'list' | 'create' | 'read' | 'replace' | 'update' | 'delete'
  /** Whether the resource is of no use without it. */
  readonly essential: boolean
  /** Whether it is about one record that its path does not name: `/me`. */
  readonly fixed: boolean
  /** The value of `respond`. */
  readonly respond: Readonly<Record<string, Json>>
  readonly because: string
}

export interface InferredResource {
  readonly name: string
  /** The likeliest first; the trial decides. */
  readonly candidates: readonly SchemaCandidate[]
  readonly because: string
}

export interface Inference {
  readonly resources: readonly InferredResource[]
  readonly operations: readonly InferredOperation[]
}

/** The owners that the path of an operation names, each with the field that holds its id. */
export const withinsIn = ({ respond }: InferredOperation) =>
  withinsOf(respond.within as WithinConfig | undefined).map(one => ({ ...one, field: one.field ?? one.parameter }))

/** Whether an owner is the one who asks: the path does not name it. */
export const isAsking = ({ parameter }: WithinConfig, { path }: Operation): boolean =>
  !expressionsOf(path).includes(parameter)

type InferredAction = InferredOperation['action']
type Keys = Readonly<Record<string, Json>>

const OPTIONAL = { essential: false } as const
const CREATES = { creates: true } as const

/** The operations that a collection makes sense of, its own first. */
export function operationsOf(
  collection: Named,
  { chosen, owning, callers, sources }: KnownCollections,
  contract: Contract,
  schemas: SchemaReader,
): InferredOperation[] {
  const { path, segments, name, own, list, create, records, beside, me } = collection
  const { schema, idField } = chosen.get(name) as SchemaCandidate
  // Another view may name its items by another field: those are not found by the one that was chosen.
  const namers = collection.candidates.filter(one => one.schema === schema)
  const isNamed = namers.length === 0 || namers.some(one => one.idField === idField)
  const item: Named['item'] = isNamed ? collection.item : new Map()
  const below = isNamed ? collection.below : []
  const node = schemaNamed(schema, contract)?.node as Node
  const fields = readFields(node, schemas)
  const ownersIn = (where: string): readonly WithinConfig[] =>
    ownersOf(where, fields.properties, idField, schemas, { chosen, owning })
  const above = collection.itemPath?.replace(/\/\{[^/]*(?:\/[^{}]*)?$/, '') ?? path
  const itemOwners = ownersIn(above)
  const named = new Set(expressionsOf(path))
  const others = itemOwners.filter(({ parameter }) => !named.has(parameter))
  // The `{org}` of `/orgs/{org}/repos` is the `{owner}` of `/repos/{owner}/{repo}`.
  const owners = ownersIn(path).map(one => {
    const isInBoth = itemOwners.some(({ parameter }) => parameter === one.parameter)
    const other = isInBoth ? undefined : others.shift()
    return other === undefined ? one : { ...one, field: other.field ?? other.parameter }
  })
  // The `{owner}` of `/repos/{owner}/{repo}` is the one who asks at `/user/repos`.
  const caller = callers.get(segments.slice(0, -1).join('/'))
  const isSaid = ({ parameter }: WithinConfig) => {
    const someone = fields.properties.get(parameter)
    return someone !== undefined && schemas.names(someone).some(key => NAME.test(key))
  }
  const isOwn = caller !== undefined && others.length === 1 && others.every(isSaid) && !collection.members
  const asking = isOwn ? others.map(one => ({ ...one, field: one.field ?? one.parameter, resource: caller })) : []
  const given = create && fieldsGiven(create.operation, records)
  const out: InferredOperation[] = []
  const add = (
    operation: Operation,
    action: InferredAction,
    keys: Keys,
    because: string,
    more: Partial<InferredOperation> = {},
  ) => {
    const respond = { [action]: name, ...keys }
    // An operation at a path that calls the item's parameter otherwise may be about something else.
    const essential = operation.path === path || operation.path === collection.itemPath
    out.push({ operation, resource: name, action, essential, fixed: false, respond, because, ...more })
  }
  const owned = (where: string): Keys =>
    isBelow(where, path) && where !== collection.itemPath
      ? withinFor(where, owners, asking)
      : withinFor(where, itemOwners)
  const addList = (operation: Operation, more: Partial<InferredOperation> = {}): void => {
    const whole = replySchema(operation)
    const described = whole && records.listed(whole)
    const found = described ?? (operation === list?.operation || whole === undefined ? list?.listed : undefined)
    if (found === undefined) return
    const keys = {
      ...owned(operation.path),
      ...listKeys(operation, fields, given),
      ...wrapping(found, operation, schemas),
    }
    const under = found.keys.length === 0 ? '' : ` under ${found.keys.join('.')}`
    add(operation, 'list', keys, `lists ${schema}${under}`, more)
  }
  /** The keys of an operation on one record; `undefined` where it answers with something else. */
  const about = (operation: Operation): Keys | undefined => {
    const whole = replySchema(operation)
    const isRead = operation === item.get('GET')
    const within = owned(operation.path)
    if (whole === undefined) return answersOtherwise(operation) ? undefined : within
    if (answersEmpty(whole, schemas)) return { ...within, ...(collection.taken || isRead ? {} : { body: {} }) }
    const isNew = operation === create?.operation
    const single = isNew ? create?.single : records.shown(whole)
    // A reply to a deletion that is `{ id, deleted }` is not the record, though it has half of its fields.
    const isIts = (one: Node) => (operation.method === 'DELETE' ? schemas.areAkin(node, one) : records.isLike(one))
    const isShown = isRead || isNew || (single !== undefined && isIts(single.record))
    const hasId = single?.keys.length === 1 && schemas.fields(whole).has('id')
    if (single !== undefined && isShown) return { ...within, ...templateOf(single, hasId) }
    const told = isRead ? undefined : records.confirmation(whole, idField, isNew || operation.method === 'DELETE')
    if (told !== undefined) return { ...within, body: told }
    return single && { ...within, ...templateOf(single) }
  }
  const addOne = (
    operation: Operation | undefined,
    action: InferredAction,
    because: string,
    more: Partial<InferredOperation> = {},
    besides: Keys = {},
  ): void => {
    const keys = operation && about(operation)
    if (operation === undefined || keys === undefined) return
    const set = action === 'update' ? setByQuery(operation, fields, idField) : {}
    add(operation, action, { ...keys, ...set, ...besides }, because, more)
  }
  const addEach = (operation: Operation, more: Partial<InferredOperation> = {}): boolean => {
    const each = operation.method === 'POST' ? eachSent(operation, records) : undefined
    const keys = each && givenForEach(operation, records)
    if (keys === undefined) return false
    add(operation, 'create', { ...owned(operation.path), ...keys }, `creates each ${schema} of a list`, more)
    return true
  }
  // The caller's own list does not show the records of others.
  if (list !== undefined) addList(list.operation, isOwn ? OPTIONAL : {})
  if (create !== undefined && !addEach(create.operation))
    addOne(create.operation, 'create', `POST on the collection, answers ${schema}`)
  addOne(item.get('GET'), 'read', `one ${schema}, by ${idField}`)
  const put = item.get('PUT')
  const isMine = (one: SchemaCandidate | undefined) => one?.schema === schema && one.idField === idField
  const source = sources.find(one => isMine(chosen.get(one.name)))?.name ?? name
  const from: Keys = collection.members ? { from: source } : {}
  const creates =
    collection.members ||
    put?.responses.has('201') === true ||
    (!own.has('POST') && put?.responses.has('404') === false)
  if (put !== undefined && !creates && isPartial(put, create?.operation, records)) {
    addOne(put, 'update', 'PUT on the item, changes what it is sent')
  } else {
    addOne(
      put,
      'replace',
      creates ? 'PUT on the item, creates it too' : 'PUT on the item',
      {},
      creates ? { ...CREATES, ...from } : {},
    )
  }
  addOne(item.get('PATCH'), 'update', 'PATCH on the item')
  const post = item.get('POST')
  // Without a POST on the collection, this one creates the record that its path names.
  if (post?.body !== undefined && item.has('PUT') && !own.has('POST') && !post.responses.has('404')) {
    addOne(post, 'replace', 'POST on the item, creates it too', OPTIONAL, CREATES)
  } else {
    // If another operation changes a record, a POST may do something else, such as restoring a deleted record.
    addOne(post, 'update', 'POST on the item', item.has('PUT') || item.has('PATCH') ? OPTIONAL : {})
  }
  for (const [method, action] of item.has('GET') ? WRITING : []) {
    const operation = own.get(method)
    const keys = operation && namesInBody(operation, idField, records) ? about(operation) : undefined
    if (operation !== undefined && keys !== undefined)
      add(operation, action, keys, `${method} on the collection, with the ${idField} in the body`, OPTIONAL)
  }
  const removal = item.get('DELETE')
  if (removal !== undefined) {
    const whole = replySchema(removal)
    const keys = about(removal)
    // A text about a deleted record need not be its id.
    const isText = keys?.body === '${record.id}' && whole !== undefined && schemas.isText(whole)
    const isList = whole !== undefined && schemas.items(whole) !== undefined
    if (keys !== undefined && Array.isArray(keys.body) === isList)
      add(removal, 'delete', isText ? { ...keys, body: '' } : keys, 'DELETE on the item')
  }
  for (const operation of below) {
    const { method, path: where } = operation
    const verb = segmentsOf(where).at(-1) as string
    if (method === 'GET' || verb.includes('{')) continue
    const changes = changesByAction(verb, method, fields)
    const isIts = records.answersAkin(operation) || (operation.responses.has('204') && isSilent(operation))
    const keys = changes && isIts ? about(operation) : undefined
    if (keys !== undefined) add(operation, 'update', { ...keys, ...changes }, 'an action on the item', OPTIONAL)
  }
  const alone = isAlone(collection)
  for (const operation of me) {
    const action = [['GET', 'read'] as const, ['POST', 'update'] as const, ...WRITING].find(
      ([method]) => method === operation.method,
    )?.[1]
    const keys = action && (alone || records.answersAkin(operation)) ? about(operation) : undefined
    // `GET /things?path=…` finds one that its query describes.
    const because = alone ? `${path} alone` : operation.path === above ? `one ${schema}` : 'the one who asks'
    if (action && keys) add(operation, action, keys, because, { ...OPTIONAL, fixed: true })
  }
  for (const operation of beside.filter(one => !isItemPath(one.path))) {
    // A list under a key may be part of something else: the contacts of a new `/contacts/lists`.
    const request = requestSchema(operation)
    if (request !== undefined && schemas.items(request) !== undefined) addEach(operation, OPTIONAL)
    const whole = operation.method === 'GET' ? replySchema(operation) : undefined
    const found = whole && records.listed(whole)
    if (found !== undefined && records.isAkin(found.items)) addList(operation, OPTIONAL)
  }
  return out
}

/** The methods that change a record which their path does not name. */
const WRITING = [['PUT', 'replace'] as const, ['PATCH', 'update'] as const]

// Finds whose the records of a nested collection are: the parameters of its path, and where a record keeps each.

/** The owners that a collection's path names, in the order of its parameters. */
function ownersOf(
  path: string,
  properties: ReadonlyMap<string, Node>,
  idField: string,
  schemas: SchemaReader,
  known: KnownOwners,
): readonly WithinConfig[] {
  const segments = segmentsOf(path)
  const taken = new Set([idField])
  const last = expressionsOf(path).at(-1)
  return expressionsOf(path).map((parameter): WithinConfig => {
    const at = segments.indexOf(`{${parameter}}`)
    const before = segments[at - 1] ?? ''
    // The word before an owner at the end of a path is that of the records, and that of `/repos/{owner}/{repo}` of the second.
    const isLast = at === segments.length - 1
    const owner = before.includes('{') || isLast || segments[at + 1]?.includes('{') ? '' : before
    const field = ownerField(parameter, owner, properties, taken, schemas) ?? `{${parameter}}`
    taken.add(field)
    const resource =
      parameter === last && !isLast ? known.owning.get(nameless(segments.slice(0, at + 1).join('/'))) : undefined
    const candidate = field.includes('.') ? undefined : known.chosen.get(resource ?? '')
    const record = candidate && schemaNamed(candidate.schema, schemas.contract)?.node
    const count = record && counterOf(singular(segments[at + 1] ?? ''), readFields(record, schemas))
    return {
      parameter,
      ...(field === parameter ? {} : { field }),
      ...(candidate === undefined ? {} : { resource: resource as string }),
      ...(count === undefined ? {} : { count }),
    }
  })
}

/** Facts about all collections. */
interface KnownCollections extends KnownOwners {
  /** See `callersOf`. */
  readonly callers: ReadonlyMap<string, string>
  /** Those that show the records that others have as members. */
  readonly sources: readonly Named[]
}

/** The resources that a path may name as owners. */
interface KnownOwners {
  readonly chosen: ReadonlyMap<string, SchemaCandidate>
  /** The names of those that must exist, by the places of their items. */
  readonly owning: ReadonlyMap<string, string>
}

/**
 * The resources whose records must exist to own others, by the places of their items. An owner must exist only if clients can find
 * it right above, at `/sites` for `/sites/{id}/maps`, or create and read it, as `/repos/{owner}/{repo}`. Not an account's cards
 * where any account is accepted and no card can be created: their list is empty for most accounts.
 */
export function owningItems(
  collections: readonly Named[],
  paths: readonly (readonly string[])[],
  schemas: SchemaReader,
): ReadonlyMap<string, string> {
  const owning = new Map<string, string>()
  for (const collection of [...collections].sort((a, b) => a.segments.length - b.segments.length)) {
    const { name, path, segments, itemPath, item, list, create, records, candidates } = collection
    const below = nameless([...segments, '{}'].join('/'))
    const place = itemPath === undefined ? below : nameless(segmentsOf(itemPath).join('/'))
    if (place !== below && create !== undefined && item.has('GET')) owning.set(place, name)
    if (list === undefined || ownsMost(segments, paths)) continue
    const [record] = records.known
    const properties = record === undefined ? NO_FIELDS : schemas.fields(record)
    const idField = candidates[0]?.idField ?? ''
    const owners = ownersOf(path, properties, idField, schemas, NO_OWNERS)
    const isFound = ({ parameter, field = parameter }: WithinConfig): boolean => {
      const at = segments.indexOf(`{${parameter}}`)
      return isUnshown(field) || owning.has(nameless(segments.slice(0, at + 1).join('/')))
    }
    if (create !== undefined || owners.every(isFound)) owning.set(below, name)
  }
  return owning
}

const NO_FIELDS: ReadonlyMap<string, Node> = new Map()
const NO_OWNERS: KnownOwners = { chosen: new Map(), owning: new Map() }

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
): string | undefined {
  const one = wordFormOf(owner)
  const wanted = [plainName(parameter), ...(one === '' ? [] : [`${one}id`, one])]
  // The kind of a message, an enum, is not the `{type}` of its channel.
  const isMeant = (name: string, node: Node, path = name): boolean =>
    !taken.has(path) && wanted.includes(plainName(name)) && schemas.isScalar(node) && schemas.enumOf(node).length === 0
  const own = [...properties].find(([name, node]) => isMeant(name, node))?.[0]
  return own ?? fieldInHead(properties, isMeant, schemas)
}

/** Whether a path begins as another one does, with any names of parameters. */
function isBelow(where: string, path: string): boolean {
  const segments = segmentsOf(where)
  return segmentsOf(path).every(
    (one, i) => one === segments[i] || (one.includes('{') && segments[i]?.includes('{') === true),
  )
}

/** The owners that the path of an operation names, by the place of their parameters. */
function withinFor(
  where: string,
  owners: readonly WithinConfig[],
  asking: readonly WithinConfig[] = [],
): { readonly within?: Json } {
  const names = expressionsOf(where)
  const all = owners.flatMap((owner, i) => {
    const parameter = names[i]
    if (parameter === undefined) return []
    return parameter === owner.parameter ? [owner] : [{ ...owner, parameter, field: owner.field ?? owner.parameter }]
  })
  all.push(...asking)
  return all.length === 0 ? {} : { within: all.length === 1 ? (all[0] as Json) : all }
}
