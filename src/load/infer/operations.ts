// Finds what each operation of a collection does: list, create, read, change or delete records.

import type { Contract, Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { expressionsOf } from '../../contract/paths.ts'
import type { Json } from '../../kernel/json.ts'
import { outcomeOf } from './actions.ts'
import { answersEmpty, answersOtherwise, replySchema, requestSchema } from './bodies.ts'
import type { InferredCollection, Named } from './collections.ts'
import { confirmationOf } from './confirmation.ts'
import { eachSent, givenForEach } from './creates.ts'
import type { InferredOperation, SchemaCandidate } from './inference.ts'
import { listKeys, wrapping } from './list.ts'
import { ownersOf, withinFor } from './owners.ts'
import { isPartial } from './partial.ts'
import { fieldNamesOf, isItemPath, segmentsOf } from './paths.ts'
import { isLike, listedIn, nest, type Single, shownIn, singleIn } from './reply.ts'
import { fieldsGiven, namesInBody, parametersOf, setByQuery } from './requests.ts'
import type { SchemaReader } from './schema.ts'

type InferredAction = InferredOperation['action']
type Keys = Readonly<Record<string, Json>>

/** The operations that a collection makes sense of, its own first. */
export function operationsOf(
  collection: Named,
  chosen: ReadonlyMap<string, SchemaCandidate>,
  listed: ReadonlySet<string>,
  contract: Contract,
  schemas: SchemaReader,
): InferredOperation[] {
  const { path, word, name, own, list, create, records, beside, me } = collection
  const { schema, idField } = chosen.get(name) as SchemaCandidate
  // Another view may name its items by another field: those are not found by the one that was chosen.
  const namer = collection.candidates.find(one => one.schema === schema)
  const isNamed = namer === undefined || namer.idField === idField
  const item: InferredCollection['item'] = isNamed ? collection.item : new Map()
  const below = isNamed ? collection.below : []
  const node = contract.schemas.get(schema)?.node ?? (contract.at(schema) as Node)
  const shape = schemas.shape(node)
  const owners = ownersOf(path, shape.properties, idField, schemas, { chosen, listed }, parametersOf(collection))
  const given = create && fieldsGiven(create.operation, word, records, schemas)
  const out: InferredOperation[] = []
  const add = (
    operation: Operation,
    action: InferredAction,
    keys: Keys,
    because: string,
    more: Partial<InferredOperation> = {},
  ) => {
    const respond = { [action]: name, ...keys }
    out.push({ operation, resource: name, action, essential: true, fixed: false, respond, because, ...more })
  }
  const owned = (where: string): Keys => withinFor(where, path, owners)
  const addList = (operation: Operation, more: Partial<InferredOperation> = {}): void => {
    const whole = replySchema(operation)
    const described = whole === undefined ? undefined : listedIn(whole, word, schemas)
    const listed = described ?? (operation === list?.operation || whole === undefined ? list?.listed : undefined)
    if (listed === undefined) return
    const keys = {
      ...owned(operation.path),
      ...listKeys(operation, shape, schemas, given),
      ...wrapping(listed, schemas),
    }
    const under = listed.keys.length === 0 ? '' : ` under ${listed.keys.join('.')}`
    add(operation, 'list', keys, `lists ${schema}${under}`, more)
  }
  /** The keys of an operation on one record; `undefined` where it answers with something else. */
  const about = (operation: Operation): Keys | undefined => {
    const whole = replySchema(operation)
    const isRead = operation === item.get('GET')
    const own = owned(operation.path)
    if (whole === undefined) return answersOtherwise(operation) ? undefined : own
    if (answersEmpty(whole, schemas)) return { ...own, ...(collection.taken || isRead ? {} : { body: {} }) }
    const isNew = operation === create?.operation
    const single = isNew ? create?.single : shownIn(whole, word, records, schemas)
    const isShown = isRead || isNew || (single !== undefined && isLike(single.record, records, schemas))
    if (single !== undefined && isShown) return { ...own, ...bodyOf(single) }
    const told = isRead ? undefined : confirmationOf(whole, { word, ids: [idField, lastOf(item)] }, schemas)
    if (told !== undefined) return { ...own, body: told }
    return single && { ...own, ...bodyOf(single) }
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
    const set = action === 'update' ? setByQuery(operation, shape.properties, idField, schemas) : {}
    add(operation, action, { ...keys, ...set, ...besides }, because, more)
  }
  if (list !== undefined) addList(list.operation)
  const addEach = (operation: Operation, more: Partial<InferredOperation> = {}): boolean => {
    const each = operation.method === 'POST' ? eachSent(operation, records, schemas) : undefined
    const keys = each && givenForEach(operation, word, records, lastOf(item), schemas)
    if (keys === undefined) return false
    add(operation, 'create', { ...owned(operation.path), ...keys }, `creates each ${schema} of a list`, more)
    return true
  }
  if (create !== undefined && !addEach(create.operation))
    addOne(create.operation, 'create', `POST on the collection, answers ${schema}`)
  addOne(item.get('GET'), 'read', `one ${schema}, by ${idField}`)
  const put = item.get('PUT')
  const creates = put?.responses.has('201') === true || (!own.has('POST') && put?.responses.has('404') === false)
  if (put !== undefined && !creates && isPartial(put, create?.operation, word, records, schemas)) {
    addOne(put, 'update', 'PUT on the item, changes what it is sent')
  } else {
    addOne(put, 'replace', creates ? 'PUT on the item, creates it too' : 'PUT on the item', {}, creates ? CREATES : {})
  }
  addOne(item.get('PATCH'), 'update', 'PATCH on the item')
  // If another operation changes a record, a POST may do something else, such as restoring a deleted record.
  const changes = item.has('PUT') || item.has('PATCH')
  const post = item.get('POST')
  // Without a POST on the collection, this one creates the record that its path names.
  if (post?.body !== undefined && item.has('PUT') && !own.has('POST') && !post.responses.has('404')) {
    addOne(post, 'replace', 'POST on the item, creates it too', OPTIONAL, CREATES)
  } else addOne(post, 'update', 'POST on the item', changes ? OPTIONAL : {})
  if (item.has('GET')) {
    for (const [method, action] of [
      ['PUT', 'replace'],
      ['PATCH', 'update'],
    ] as const) {
      const operation = own.get(method)
      const keys = operation && namesInBody(operation, word, idField, records, schemas) ? about(operation) : undefined
      if (operation !== undefined && keys !== undefined) {
        add(operation, action, keys, `${method} on the collection, with the ${idField} in the body`, OPTIONAL)
      }
    }
  }
  const removal = item.get('DELETE')
  if (removal !== undefined) {
    const whole = replySchema(removal)
    const isRecord = isAkin(removal, word, [node], schemas)
    const keys =
      whole === undefined || isRecord
        ? about(removal)
        : { ...owned(removal.path), ...confirmation(whole, idField, schemas) }
    if (keys !== undefined && !schemas.shape(whole ?? node).items) add(removal, 'delete', keys, 'DELETE on the item')
  }
  const names = fieldNamesOf(shape.properties.keys())
  for (const operation of below) {
    const { method, path: where } = operation
    const verb = segmentsOf(where).at(-1) as string
    if (method === 'GET' || method === 'DELETE' || verb.includes('{')) continue
    const set = outcomeOf(verb, shape.properties, names, schemas)
    const keys = set && isAkin(operation, word, records, schemas) ? about(operation) : undefined
    if (keys !== undefined) add(operation, 'update', { ...keys, set: { ...set } }, 'an action on the item', OPTIONAL)
  }
  for (const operation of me) {
    const action = ({ GET: 'read', PUT: 'replace', PATCH: 'update' } as const)[operation.method]
    const keys = action && isAkin(operation, word, records, schemas) ? about(operation) : undefined
    if (action !== undefined && keys !== undefined) {
      add(operation, action, keys, 'the one who asks', { ...OPTIONAL, fixed: true })
    }
  }
  for (const operation of beside) {
    // A list under a key may be part of something else: the contacts of a new `/contacts/lists`.
    const request = requestSchema(operation)
    const isList = request !== undefined && schemas.shape(request).items !== undefined
    if (!isItemPath(operation.path) && isList) addEach(operation, OPTIONAL)
    const whole = operation.method === 'GET' && !isItemPath(operation.path) ? replySchema(operation) : undefined
    const listed = whole && listedIn(whole, word, schemas)
    if (listed !== undefined && records.some(one => schemas.areAkin(one, listed.items))) addList(operation, OPTIONAL)
  }
  return out
}

const bodyOf = ({ keys }: Single): Keys => (keys.length === 0 ? {} : { body: nest(keys, '${record.value}') })

/** The parameter that names an item. */
const lastOf = (item: InferredCollection['item']): string | undefined =>
  expressionsOf([...item.values()][0]?.path ?? '').at(-1)

/** Properties of a deletion's reply that is not the record: its id and type, and that it is deleted. */
function confirmation(whole: Node, idField: string, schemas: SchemaReader): Keys {
  const types = [...schemas.types(whole)]
  if (types.length === 1 && types[0] === 'boolean') return { body: true }
  if (types.length === 1 && types[0] === 'string') return { body: '' }
  const body: Record<string, Json> = {}
  for (const [name, node] of schemas.shape(whole).properties) {
    const types = schemas.types(node)
    if (name === idField && types.has('string')) body[name] = '${record.id}'
    else if (/^(?:is_?)?(?:deleted|success|succeeded|ok)$/i.test(name) && types.has('boolean')) body[name] = true
  }
  return { body }
}

const OPTIONAL = { essential: false } as const
const CREATES = { creates: true } as const

/** Whether an operation answers with a record of the collection. */
function isAkin(operation: Operation, word: string, records: readonly Node[], schemas: SchemaReader): boolean {
  const whole = replySchema(operation)
  const single = whole && singleIn(whole, word, records, schemas)
  return single !== undefined && records.some(one => schemas.areAkin(one, single.record))
}
