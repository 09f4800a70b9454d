// Makes the record of a write request: unwraps it, completes it, validates it against the schemas of the resource and of the
// replies that show it, and mends what a valid request could not know.

import { isJson, type Operation, responseFor, successStatus } from '../../contract/contract.ts'
import { describeField, type Field } from '../../contract/schema/field.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { Decimal, isObject, type Json, type JsonObject, put } from '../../kernel/json.ts'
import type { BrokenRule } from '../../kernel/problem.ts'
import { withField } from '../../world/record-field.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { checkRecord, type Make, type Making, type Resource, withoutOwners } from '../resource.ts'
import type { ActionConfig } from './config.ts'
import { compileValue, SOME_REQUEST } from './expressions.ts'
import { mend } from './mend.ts'
import { type Asked, compileUnwrap, mediaOf, readAsked, readRenamed, recordPath, rename, schemaBelow } from './shape.ts'
import { freshOf, momentOf, stampOf } from './values.ts'

export interface Draft {
  /** The client's values for the record. */
  given(exchange: Exchange): Json
  /** The same with `readOnly` fields: an id that a path does not have names the record. */
  sent(exchange: Exchange): Json
  /** Returns whether the request has a record: `{}` has none where requests wrap it in an optional key. */
  hasRecord(exchange: Exchange): boolean
  readonly compose: Compose
  /** Required references that requests do not have, with their resources. */
  readonly supplied: readonly (readonly [field: string, resource: string])[]
  /** Whether a request may contain the record's id, be it `readOnly`. */
  readonly namesRecord: boolean
  /** Whether the request schema has the id, or allows any field. */
  readonly saysId: boolean
  /** Whether a client must send the id of a new record. */
  readonly wantsId: boolean
  /** Returns the record to store, or its broken rules. */
  fit(record: JsonObject, exchange: Exchange): JsonObject | readonly BrokenRule[]
}

export const isSound = (fitted: JsonObject | readonly BrokenRule[]): fitted is JsonObject => !Array.isArray(fitted)

export function compileDraft(
  resource: Resource,
  config: ActionConfig,
  kind: 'create' | 'replace' | 'update',
  site: Site,
): Draft {
  const requested = compileUnwrap(config.body, resource, site)
  const renamed = readRenamed(requested.node, resource, site.contract)
  const asked = readAsked(requested.node, site.contract, renamed)
  const compose = compileCompose(resource, asked, compileSet(config, resource, site), kind, site)
  const schema = mediaOf(site)?.schema
  const views = kind === 'create' ? viewsOf(config, resource, site) : []
  // A change that removes a required field is the client's mistake.
  const refuses = kind === 'update' ? (name: string) => asked.empty || asked.declares(name) : asked.wants
  const recordIn = (body: Json | undefined): Json =>
    body === undefined ? {} : rename(requested.unwrap(body) as Json, renamed)
  const given = ({ body }: Exchange): Json => recordIn(body)
  const isValid = ({ body }: Exchange) =>
    body === undefined || schema === undefined || schema.check(body, true) === undefined
  const idNames = [resource.idField, resource.idField.split('.', 1)[0] as string]
  return {
    given,
    sent: ({ sent, body }) => recordIn(sent ?? body),
    hasRecord: ({ body }) => requested.isIn(body),
    compose,
    supplied: [...resource.references].flatMap(([field, { to }]) =>
      resource.schema.shape.required.has(field) && !asked.wants(field) ? [[field, to] as const] : [],
    ),
    namesRecord: idNames.some(name => asked.has(name)),
    saysId: asked.empty || idNames.some(name => asked.knows(name)),
    wantsId: resource.assign === 'client' && wantsId(resource, asked, site),
    fit(whole, exchange) {
      const { unshown } = resource
      const record = unshown.length === 0 ? whole : withoutOwners(unshown, whole)
      const fitted = fitRecord(record, exchange)
      if (fitted === record) return whole
      return isSound(fitted) ? keepOwners(resource, fitted, whole) : fitted
    },
  }

  function fitRecord(record: JsonObject, exchange: Exchange): JsonObject | readonly BrokenRule[] {
    const broken = checkRecord(resource, record)
    if (broken === undefined && views.length === 0) return record
    if (!isValid(exchange)) return broken ?? record
    const said = given(exchange)
    const fields = isObject(said) ? (said as JsonObject) : {}
    const isGiven = kind === 'update' || requested.isIn(exchange.body)
    const about = { declares: asked.declares, refuses: isGiven ? refuses : () => false }
    const whole = broken === undefined ? record : mend(record, fields, resource.schema, about, exchange)
    if (whole === undefined || checkRecord(resource, whole) !== undefined) return broken ?? []
    let current = whole
    for (const view of views) {
      // A view omits fields that the record keeps.
      const shown = mend(current, fields, view, { ...about, keepsOthers: true }, exchange)
      if (shown !== undefined && checkRecord(resource, shown) === undefined) current = shown
    }
    return current
  }
}

/** Returns whether the client may choose the id: not if it is `readOnly`, or if the request schema lacks it. */
function wantsId({ schema, idField }: Resource, asked: Asked, { contract }: Site): boolean {
  const node = schema.shape.properties.get(idField)
  if (node === undefined || describeField(idField, contract.use(node)).readOnly) return false
  return asked.wants(idField) || (asked.empty && schema.shape.required.has(idField))
}

/** Returns the other schemas that replies show the record by: of this operation, and of the one that reads it. */
function viewsOf({ body }: ActionConfig, resource: Resource, { operation, contract, readers }: Site): SchemaUse[] {
  const reader = contract.operations.find(
    ({ method, path }) => method === 'GET' && path === readers.get(resource.name)?.[0],
  )
  const own = contract.identify(resource.schema.node)
  const views = new Map<string, SchemaUse>()
  for (const one of reader === undefined ? [operation] : [operation, reader]) {
    const node = schemaBelow(replyNode(one), recordPath(body), contract)
    if (node === undefined) continue
    const identity = contract.identify(node)
    if (identity !== own) views.set(identity, contract.use(node))
  }
  return [...views.values()]
}

function replyNode(operation: Operation): SchemaUse['node'] | undefined {
  const response = responseFor(operation, successStatus(operation, 200, 201))
  return [...(response?.content ?? [])].find(([type]) => isJson(type))?.[1].schema?.node
}

/** The fields that the operation sets. */
function compileSet({ set = {} }: ActionConfig, resource: Resource, site: Site): ReadonlyMap<string, Make> {
  const makes = new Map<string, Make>()
  const { schema, name } = resource
  for (const [field, value] of Object.entries(set)) {
    const node = schema.shape.properties.get(field)
    if (node === undefined) {
      const hint = suggest(field, schema.shape.properties.keys())
      site.error('unknown-field', `the records of ${name} have no field "${field}"`, ['set', field], hint, 'key')
      continue
    }
    let sound = true
    const make = compileValue(value, node, site.contract, [field], (path, message, hint) => {
      site.error('unknown-expression', message, ['set', ...path], hint)
      sound = false
    })
    if (!sound) continue
    makes.set(field, make)
    if (make.scoped === true) continue
    const [violation] = site.contract.use(node).check(make(SOME_REQUEST), true) ?? []
    if (violation === undefined) continue
    const message = `this value breaks the schema of ${name}: /${field}${violation.pointer} ${violation.message}`
    site.error('invalid-default', message, ['set', field])
  }
  return makes
}

// Composes the record that a write stores from the client's values, the configuration, and values that only a server knows.
// The origin of each field is decided at load.

/** @param old the current record, if it is not new */
export type Compose = (given: Json | undefined, exchange: Exchange, old?: JsonObject) => JsonObject

interface FieldSource {
  readonly name: string
  /** Fields that every write sets. They replace those of the client. */
  readonly set: Make | undefined
  /** Whether a record keeps its value if the client sends none. */
  readonly keeps: boolean
  /** Values for a new record that would lack the field. */
  readonly unsaid: Make | undefined
  /** Whether the field is an integer: `5.0` is 5 there. */
  readonly whole: boolean
}

/**
 * @param kind `update` receives the whole record with the client's changes
 * @param set the fields that this operation sets besides the resource's
 */
export function compileCompose(
  resource: Resource,
  asked: Asked,
  set: ReadonlyMap<string, Make>,
  kind: 'create' | 'replace' | 'update',
  site: Site,
): Compose {
  const { schema, idField, assign, unknownFields, defaults } = resource
  const { properties, required, open } = schema.shape
  const sources = [...properties].flatMap(([name, node]): FieldSource[] => {
    if (name === idField)
      return assign === 'client' ? [{ name, set: undefined, keeps: false, unsaid: undefined, whole: true }] : []
    const field = describeField(name, site.contract.use(node))
    // A `writeOnly` field such as a password is in no reply, so no record keeps it.
    if (field.writeOnly) return []
    const sayable = (asked.empty || asked.knows(name)) && !field.readOnly
    const stamp = stampOf(field)
    const needed = (required.has(name) && !asked.wants(name)) || field.readOnly || (stamp !== undefined && !asked.empty)
    // A required reference to a record is not invented.
    const named = resource.references.has(name) && !field.types.includes('null') && !field.types.includes('array')
    const fresh = kind === 'create' && needed && !named && isWanted(field, required)
    const touched = stamp === 'updated' && kind !== 'create' && !sayable ? momentOf(field) : undefined
    return [
      {
        name,
        set: set.get(name) ?? resource.set.get(name) ?? (touched && (({ clock }) => touched(clock.now()))),
        keeps: !sayable || (kind === 'replace' && required.has(name) && !asked.wants(name)),
        whole: field.types.includes('integer') && !field.types.includes('number'),
        unsaid: defaults.get(name) ?? (fresh ? freshOf(field) : undefined),
      },
    ]
  })
  const needsScope = sources.some(({ set, unsaid }) => set?.scoped === true || unsaid?.scoped === true)
  const keepsAll = open || unknownFields !== 'drop'
  // A required field without a description is a known field.
  const undescribed = [...required].filter(name => name !== idField && !properties.has(name))
  return (body, exchange, old) => {
    const given = isObject(body) ? (body as JsonObject) : NO_FIELDS
    const making = needsScope ? makingOf(exchange, site) : exchange
    const out: Record<string, Json> = {}
    for (const { name, set, keeps, unsaid, whole } of sources) {
      const value = set?.(making)
      if (value !== undefined) put(out, name, value)
      else if (Object.hasOwn(given, name))
        put(out, name, whole && given[name] instanceof Decimal ? Number(given[name]) : (given[name] as Json))
      else if (old === undefined) {
        if (unsaid !== undefined) keep(out, name, unsaid(making))
      } else if (keeps && Object.hasOwn(old, name)) put(out, name, old[name] as Json)
    }
    const others = keepsAll ? Object.keys(given) : undescribed
    for (const name of others) {
      if (name === idField || properties.has(name) || !Object.hasOwn(given, name)) continue
      put(out, name, given[name] as Json)
    }
    // A client cannot remove fields that the server assigned.
    if (old !== undefined && !keepsAll) {
      for (const name of Object.keys(old)) {
        if (!Object.hasOwn(out, name) && name !== idField && !properties.has(name)) put(out, name, old[name] as Json)
      }
    }
    return out
  }
}

/** The exchange with the scope of its expressions. */
const makingOf = (exchange: Exchange, { expressions }: Site): Making => ({
  clock: exchange.clock,
  uuid: purpose => exchange.uuid(purpose),
  draw: purpose => exchange.draw(purpose),
  scope: expressions.scope(exchange),
})

const keep = (out: Record<string, Json>, name: string, value: Json | undefined): void => {
  if (value !== undefined) put(out, name, value)
}

/** An optional time of a new record has not happened yet: `deletedAt`. */
const isWanted = (field: Field, required: ReadonlySet<string>): boolean =>
  required.has(field.name) || stampOf(field) !== undefined || !LATER.test(field.name)
const LATER = /(?:d|n)[_-]?(?:at|on|date|time|by)$/i

const NO_FIELDS: JsonObject = {}

/** Returns the fields of a changed record with the unshown owners that it had. */
export function keepOwners({ unshown }: Resource, fields: JsonObject, old: JsonObject): JsonObject {
  if (unshown.length === 0) return fields
  const record = withoutOwners(unshown, fields)
  return unshown.reduce((all, field) => {
    const owner = old[field]
    return owner === undefined ? all : withField(field, owner, all)
  }, record)
}
