// Finds what each operation of a collection does: list, create, read, change or delete records, and whose.

import type { Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { replySchema } from '../../contract/success.ts'
import type { Json } from '../../kernel/json.ts'
import { schemaNamed } from '../../load/seed/seed.ts'
import type { SchemaCandidate } from './candidates.ts'
import { isAlone, type Named } from './collections.ts'
import { listKeys, wrapping } from './list.ts'
import { type InferredOwner, isBelow, type OwningItems, ownersAt, ownersOf } from './owners.ts'
import {
  answersEmpty,
  answersOtherwise,
  FieldReader,
  isItemPath,
  isSilent,
  requestSchema,
  type SchemaReader,
  segmentsOf,
} from './schema.ts'
import { eachSent, fieldsGiven, namesInBody, setByAction, templateForEach, templateOf } from './writes.ts'

export interface InferredOperation {
  readonly operation: Operation
  readonly resource: string
  readonly action: 'list' | 'create' | 'read' | 'replace' | 'update' | 'delete'
  /** Whether the resource is of no use without it. */
  readonly essential: boolean
  /** Whether it is about one record that its path does not name: `/me`. */
  readonly fixed: boolean
  /** The owners that its path names. */
  readonly owners: readonly InferredOwner[]
  /** The value of `respond`, without the owners and the id of a fixed record. */
  readonly respond: Keys
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

type InferredAction = InferredOperation['action']
type Keys = Readonly<Record<string, Json>>

/** The methods that change a record which their path does not name. */
const WRITING = [['PUT', 'replace'] as const, ['PATCH', 'update'] as const]
const OPTIONAL = { essential: false } as const

/** Finds the operations that a collection makes sense of, its own first. */
export class OperationFinder {
  readonly #collection: Named
  readonly #schema: string
  readonly #idField: string
  readonly #schemas: SchemaReader
  readonly #node: Node
  readonly #fields: FieldReader
  readonly #owners: readonly InferredOwner[]
  readonly #itemOwners: readonly InferredOwner[]
  /** Empty where another view's field was chosen: these paths name the records by another one. */
  readonly #item: Named['item']
  readonly #below: Named['below']
  readonly #operations: InferredOperation[] = []

  constructor(collection: Named, candidate: SchemaCandidate, owning: OwningItems, schemas: SchemaReader) {
    const { schema, idField } = candidate
    this.#collection = collection
    this.#schema = schema
    this.#idField = idField
    this.#schemas = schemas
    this.#node = schemaNamed(schema, schemas.contract)?.node as Node
    this.#fields = new FieldReader(this.#node, schemas)
    const namers = collection.candidates.filter(other => other.schema === schema)
    const isNamed = namers.length === 0 || namers.some(other => other.idField === idField)
    this.#item = isNamed ? collection.item : new Map()
    this.#below = isNamed ? collection.below : []
    const above = collection.itemPath?.replace(/\/\{[^/]*(?:\/[^{}]*)?$/, '') ?? collection.path
    const ownersIn = (path: string) => ownersOf(path, this.#fields.properties, idField, schemas, owning)
    this.#owners = ownersIn(collection.path)
    this.#itemOwners = ownersIn(above)
  }

  operations(): readonly InferredOperation[] {
    const { list, create, own } = this.#collection
    if (list !== undefined) this.#addList(list.operation)
    if (create !== undefined && !this.#addEach(create.operation))
      this.#addOne(create.operation, 'create', `POST on the collection, answers ${this.#schema}`)
    this.#addOne(this.#item.get('GET'), 'read', `one ${this.#schema}, by ${this.#idField}`)
    this.#addChanges()
    for (const [method, action] of this.#item.has('GET') ? WRITING : []) {
      const operation = own.get(method)
      if (operation === undefined || !namesInBody(operation, this.#idField, this.#collection.records)) continue
      this.#addOne(operation, action, `${method} on the collection, with the ${this.#idField} in the body`, OPTIONAL)
    }
    this.#addDeletion()
    this.#addActions()
    this.#addFixed()
    this.#addBeside()
    return this.#operations
  }

  #add(
    operation: Operation,
    action: InferredAction,
    keys: Keys,
    because: string,
    more: Partial<InferredOperation> = {},
  ): void {
    const { name, path, itemPath } = this.#collection
    const respond = { [action]: name, ...keys }
    // An operation at a path that calls the item's parameter otherwise may be about something else.
    const essential = operation.path === path || operation.path === itemPath
    const owners = this.#ownersAt(operation.path)
    this.#operations.push({
      operation,
      resource: name,
      action,
      essential,
      fixed: false,
      owners,
      respond,
      because,
      ...more,
    })
  }

  #ownersAt(where: string): readonly InferredOwner[] {
    const { path, itemPath } = this.#collection
    return ownersAt(where, isBelow(where, path) && where !== itemPath ? this.#owners : this.#itemOwners)
  }

  #addList(operation: Operation, more: Partial<InferredOperation> = {}): void {
    const { create, records } = this.#collection
    const whole = replySchema(operation)
    const listed = whole && records.listed(whole)
    if (listed === undefined) return
    const given = create && fieldsGiven(create.operation, records)
    const keys = { ...listKeys(operation, this.#fields, given), ...wrapping(listed, operation, this.#schemas) }
    const under = listed.keys.length === 0 ? '' : ` under ${listed.keys.join('.')}`
    this.#add(operation, 'list', keys, `lists ${this.#schema}${under}`, more)
  }

  #addOne(
    operation: Operation | undefined,
    action: InferredAction,
    because: string,
    more: Partial<InferredOperation> = {},
    besides: Keys = {},
  ): void {
    const keys = operation && this.#replyOf(operation)
    if (operation !== undefined && keys !== undefined)
      this.#add(operation, action, { ...keys, ...besides }, because, more)
  }

  /** Returns the template of the reply of an operation on one record; `undefined` where it answers with something else. */
  #replyOf(operation: Operation): Keys | undefined {
    const { create, records } = this.#collection
    const whole = replySchema(operation)
    const isRead = operation === this.#item.get('GET')
    if (whole === undefined) return answersOtherwise(operation) ? undefined : {}
    if (answersEmpty(whole, this.#schemas)) return isRead ? {} : { body: {} }
    const isNew = operation === create?.operation
    const single = isNew ? create?.single : records.shown(whole)
    // A reply to a deletion that is `{ id, deleted }` is not the record, though it has half of its fields.
    const isIts = (node: Node) =>
      operation.method === 'DELETE' ? this.#schemas.areAkin(this.#node, node) : records.isLike(node)
    const isShown = isRead || isNew || (single !== undefined && isIts(single.record))
    const hasId = single?.keys.length === 1 && this.#schemas.fields(whole).has('id')
    if (single !== undefined && isShown) return templateOf(single, hasId)
    const isSure = isNew || operation.method === 'DELETE'
    const told = isRead ? undefined : records.confirmation(whole, this.#idField, isSure)
    return told === undefined ? single && templateOf(single) : { body: told }
  }

  #addEach(operation: Operation, more: Partial<InferredOperation> = {}): boolean {
    const { records } = this.#collection
    const each = operation.method === 'POST' ? eachSent(operation, records) : undefined
    const keys = each && templateForEach(operation, records)
    if (keys === undefined) return false
    this.#add(operation, 'create', keys, `creates each ${this.#schema} of a list`, more)
    return true
  }

  /** Adds PUT, PATCH and POST on the item. */
  #addChanges(): void {
    const { own } = this.#collection
    const item = this.#item
    const [put, post] = [item.get('PUT'), item.get('POST')]
    const creates = put?.responses.has('201') === true || (!own.has('POST') && put?.responses.has('404') === false)
    if (creates) this.#addOne(put, 'replace', 'PUT on the item, creates it too', {}, { creates })
    else this.#addOne(put, 'replace', 'PUT on the item')
    this.#addOne(item.get('PATCH'), 'update', 'PATCH on the item')
    // If another operation changes a record, a POST may do something else, such as restoring a deleted record.
    this.#addOne(post, 'update', 'POST on the item', item.has('PUT') || item.has('PATCH') ? OPTIONAL : {})
  }

  #addDeletion(): void {
    const removal = this.#item.get('DELETE')
    const keys = removal && this.#replyOf(removal)
    if (removal === undefined || keys === undefined) return
    const whole = replySchema(removal)
    // A text about a deleted record need not be its id.
    const isText = keys.body === '${record.id}' && whole !== undefined && this.#schemas.isText(whole)
    const isList = whole !== undefined && this.#schemas.items(whole) !== undefined
    if (Array.isArray(keys.body) === isList)
      this.#add(removal, 'delete', isText ? { ...keys, body: '' } : keys, 'DELETE on the item')
  }

  /** Adds the actions below the item whose name says what they set. */
  #addActions(): void {
    for (const operation of this.#below) {
      const verb = segmentsOf(operation.path).at(-1) as string
      if (operation.method !== 'POST' && operation.method !== 'PUT') continue
      const set = verb.includes('{') ? undefined : setByAction(verb, this.#fields)
      const isSilentSuccess = operation.responses.has('204') && isSilent(operation)
      if (set === undefined || !(isSilentSuccess || this.#collection.records.answersAkin(operation))) continue
      this.#addOne(operation, 'update', 'an action on the item', OPTIONAL, { set })
    }
  }

  /** Adds the operations about one record that no path names. */
  #addFixed(): void {
    const { me, path, records } = this.#collection
    const alone = isAlone(this.#collection)
    const actions = [['GET', 'read'] as const, ['POST', 'update'] as const, ...WRITING]
    for (const operation of me) {
      const action = actions.find(([method]) => method === operation.method)?.[1]
      if (action === undefined || !(alone || records.answersAkin(operation))) continue
      const because = alone ? `${path} alone` : 'the one who asks'
      this.#addOne(operation, action, because, { ...OPTIONAL, fixed: true })
    }
  }

  /** Adds the lists and creates one segment below the collection: `/books/findByStatus`. */
  #addBeside(): void {
    const { beside, records } = this.#collection
    for (const operation of beside.filter(({ path }) => !isItemPath(path))) {
      // A list under a key may be part of something else: the contacts of a new `/contacts/lists`.
      const request = requestSchema(operation)
      if (request !== undefined && this.#schemas.items(request) !== undefined) this.#addEach(operation, OPTIONAL)
      const whole = operation.method === 'GET' ? replySchema(operation) : undefined
      const listed = whole && records.listed(whole)
      if (listed !== undefined && records.isAkin(listed.items)) this.#addList(operation, OPTIONAL)
    }
  }
}
