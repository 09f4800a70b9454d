// Makes the record of a write request: finds it in the body, composes it from the client's values, the configuration and values
// that only a server knows, validates it against the schemas of the resource and of the replies that show it, and mends what
// a valid request could not know. The origin of each field is decided at load.

import type { Node } from '../../contract/documents.ts'
import { describeField } from '../../contract/schema/field.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import type { BrokenRule } from '../../kernel/http.ts'
import { Decimal, isObject, type Json, type JsonObject, memberAt, put } from '../../kernel/json.ts'
import { orderPairs, pairsIn } from '../../sample/pairs.ts'
import { withField } from '../../world/records/values.ts'
import type { Exchange, Site } from '../behaviour.ts'
import type { Refer } from '../references.ts'
import { checkRecord, fieldsOf, type Make, type Resource, withoutOwners } from '../resource.ts'
import type { RespondConfig } from './config.ts'
import {
  type Asked,
  type Inside,
  readAsked,
  readInside,
  readRenamed,
  recordPath,
  recordReader,
  requestedRecord,
  requestMedia,
  schemaBelow,
  successSchema,
  withPart,
} from './shape.ts'
import { compileFields, freshOf, mend, SOME_REQUEST, stampOf, writeMomentOf } from './values.ts'

type WriteKind = 'create' | 'replace' | 'update'
export type RecordMaker = ReturnType<typeof compileMaker>

/** Compiles the parts that make the record of a write request. */
export function compileMaker(resource: Resource, config: RespondConfig, kind: WriteKind, site: Site) {
  const { schema, idField, unshown } = resource
  const { node, path, part } = requestedRecord(config.body, resource, site)
  const renamed = readRenamed(node, resource, site)
  const asked = readAsked(node, site.contract, renamed, part)
  const inside = node && readInside(node, resource, site)
  const views = kind === 'create' ? viewsOf(config, resource, site) : []
  const body = requestMedia(site.operation)?.schema
  // A change that removes a required field is the client's mistake.
  const refuses = kind === 'update' ? (name: string) => asked.empty || asked.declares(name) : asked.wants
  const isPlain = renamed.size === 0 && !inside
  const recordIn = (sent: Json | undefined): Json => {
    const record = withPart((memberAt(sent, path) as Json | undefined) ?? (sent === undefined ? {} : sent), part)
    if (isPlain || !isObject(record)) return record
    const out: Record<string, Json> = {}
    const inner: Record<string, Json> = {}
    for (const [name, value] of Object.entries(record as JsonObject))
      put(inside?.names.includes(name) ? inner : out, renamed.get(name) ?? name, value)
    return inside ? { ...out, [inside.key]: inner } : out
  }
  const isWhole = path.length === 0 && !part && isPlain
  const given = ({ body }: Exchange): Json => (isWhole && body) || recordIn(body)
  const hasRecord = (exchange: Exchange): boolean => memberAt(exchange.body, path) !== undefined
  const mended = (record: JsonObject, broken: BrokenRule[] | undefined, exchange: Exchange) => {
    const isValid = exchange.body === undefined || body?.check(exchange.body, true) === undefined
    if (!isValid) return broken ?? record
    const fields = fieldsOf(given(exchange))
    const isGiven = kind === 'update' || hasRecord(exchange)
    const declares = (name: string) => name === inside?.key || asked.declares(name)
    const about = { declares, refuses: isGiven ? refuses : () => false }
    const whole = broken === undefined ? record : mend(record, fields, schema, about, exchange)
    if (whole === undefined || checkRecord(resource, whole) !== undefined) return broken ?? []
    let current = whole
    for (const view of views) {
      // A view omits fields that the record keeps.
      const shown = mend(current, fields, view, { ...about, keepsOthers: true }, exchange)
      if (shown !== undefined && checkRecord(resource, shown) === undefined) current = shown
    }
    return current
  }
  const idNames = [idField, idField.split('.', 1)[0] as string]
  const sources = sourcesOf(resource, asked, compileSet(config, resource, site), kind, site)
  return {
    /** Returns the client's values for the record. */
    given,
    /** Returns the same with `readOnly` fields: an id that a path does not have names the record. */
    sent: (exchange: Exchange) => recordIn(exchange.sent ?? exchange.body),
    /** Returns whether the request has a record: `{}` has none where requests wrap it in an optional key. */
    hasRecord,
    compose: compileCompose(resource, sources, inside, asked, site),
    /** Required references that requests do not have, with their resources. */
    supplied: [...resource.references].flatMap(([field, { to }]) =>
      schema.shape.required.has(field) && !asked.wants(field) ? [[field, to] as const] : [],
    ),
    /** Whether a request may contain the record's id, be it `readOnly`. */
    namesRecord: idNames.some(asked.has),
    /** Whether the request schema has the id, or allows any field. */
    saysId: asked.empty || idNames.some(asked.knows),
    /** Whether a client must send the id of a new record. */
    wantsId: resource.assign === 'client' && wantsId(resource, asked, site),
    /** Returns the record to store, or its broken rules. */
    fit(fields: JsonObject, exchange: Exchange): JsonObject | BrokenRule[] {
      const record = unshown.length === 0 ? fields : withoutOwners(unshown, fields)
      const broken = checkRecord(resource, record)
      if (broken === undefined && views.length === 0) return fields
      const fitted = mended(record, broken, exchange)
      if (fitted === record) return fields
      return Array.isArray(fitted) ? fitted : keepOwners(resource, fitted, fields)
    },
  }
}

/** Returns whether the client may choose the id: not if it is `readOnly`, or if the request schema lacks it. */
function wantsId({ schema, idField }: Resource, asked: Asked, { contract }: Site): boolean {
  const node = schema.shape.properties.get(idField)
  if (node === undefined || describeField(idField, contract.use(node)).readOnly) return false
  return asked.wants(idField) || (asked.empty && schema.shape.required.has(idField))
}

/** Returns the other schemas that replies show the record by: of this operation, and of the one that reads it. */
function viewsOf({ body }: RespondConfig, resource: Resource, site: Site): SchemaUse[] {
  const { operation, contract } = site
  const own = contract.identify(resource.schema.node)
  const path = recordPath(body)
  // A confirmation shows no record.
  if (body !== undefined && path.length === 0) return []
  const views = new Map<string, SchemaUse>()
  for (const one of [operation, recordReader(resource, site) ?? operation]) {
    const node = schemaBelow(successSchema(one, 200, 201)?.node, path, contract)
    if (node !== undefined && contract.identify(node) !== own) views.set(contract.identify(node), contract.use(node))
  }
  return [...views.values()]
}

/** The fields that the operation sets. */
function compileSet({ set }: RespondConfig, { name, schema }: Resource, { contract, error, expressions }: Site) {
  const makes = compileFields(
    set,
    schema.shape,
    { contract, language: expressions.ofRecords },
    `the records of ${name} have`,
    (code, message, path, ...rest) => error(code, message, ['set', ...path], ...rest),
  )
  for (const [field, make] of makes) {
    const node = schema.shape.properties.get(field) as Node
    const value = make.scoped ? make.sample : make(SOME_REQUEST)
    const violations = value === undefined ? undefined : contract.use(node).check(value, true)
    // Only the type of an expression is known.
    const violation = violations?.find(({ keyword }) => !make.scoped || keyword === 'type')
    if (violation === undefined) continue
    const message = `this value breaks the schema of ${name}: /${field}${violation.pointer} ${violation.message}`
    error('invalid-default', message, ['set', field])
  }
  return makes
}

/** @param old the current record, if it is not new */
type Compose = (given: Json | undefined, exchange: Exchange, old?: JsonObject) => JsonObject

interface FieldSource {
  readonly name: string
  /** Fields that every write sets. They replace those of the client. */
  readonly set?: Make | undefined
  /** Whether a record keeps its value if the client sends none. */
  readonly keeps: boolean
  /** Whether a replaced record gets the value of a new one. */
  readonly isAssumed: boolean
  /** Values for a new record that would lack the field. */
  readonly unsaid?: Make | undefined
  /** Whether the field is an integer: `5.0` is 5 there. */
  readonly whole: boolean
  /** Returns a value that was sent without its `writeOnly` parts, which no record keeps. */
  prune(value: Json): Json
}

/**
 * The origin of each field.
 *
 * @param set the fields that this operation sets besides the resource's
 */
function sourcesOf(
  resource: Resource,
  asked: Asked,
  set: ReadonlyMap<string, Make>,
  kind: WriteKind,
  { contract, references }: Site,
): readonly FieldSource[] {
  const { schema, idField, assign, defaults, filled } = resource
  const { properties, required } = schema.shape
  const refers = references.fields(schema.node)
  return [...properties].flatMap(([name, node]): FieldSource[] => {
    if (name === idField && assign !== 'client') return []
    const use = contract.use(node)
    const prune = (value: Json): Json => use.prune(value)
    if (name === idField) return [{ name, set: set.get(name), keeps: false, isAssumed: false, whole: true, prune }]
    const field = describeField(name, use)
    // A `writeOnly` field such as a password is in no reply, so no record keeps it.
    if (field.writeOnly) return []
    const sayable = (asked.empty || asked.knows(name)) && !field.readOnly
    const stamp = stampOf(field)
    // A new record has each field in `filled` that its request does not give, as it has the required ones.
    const isFilled = filled.has(name)
    const needed =
      isFilled || (required.has(name) && !asked.wants(name)) || field.readOnly || (stamp !== undefined && !asked.empty)
    // A default of the schema is what the server assumes if a request leaves the field out.
    const isAssumed =
      kind !== 'update' && sayable && (field.default ?? null) !== null && field.allows(field.default as Json)
    // A required reference to a record is not invented.
    const named = resource.references.has(name) && !field.types.includes('null') && !field.types.includes('array')
    // An optional time of a new record has not happened yet: `deletedAt`.
    const wanted = required.has(name) || isFilled || stamp !== undefined || !isOfLater(name)
    const touched = stamp === 'updated' && kind !== 'create' && !sayable ? writeMomentOf(field) : undefined
    const own = set.get(name) ?? resource.set.get(name) ?? (touched && (({ clock }) => touched(clock.now())))
    const fixed = defaults.get(name)
    const isMade = (isAssumed || (kind === 'create' && needed)) && !named && wanted && fixed === undefined
    const fresh = () => namingRecords(freshOf(field), refers.get(name))
    return [
      {
        name,
        set: own,
        keeps: !sayable || (kind === 'replace' && (required.has(name) ? !asked.wants(name) : filled.has(name))),
        whole: field.types.includes('integer') && !field.types.includes('number'),
        prune,
        isAssumed,
        unsaid: fixed ?? (!isMade ? undefined : needed && !isFilled ? fresh() : lazily(fresh)),
      },
    ]
  })
}

/** A generated value names existing records. */
const namingRecords = (make: Make | undefined, refer: Refer | undefined): Make | undefined =>
  make === undefined || refer === undefined
    ? make
    : making => refer(make(making) ?? null, Math.floor(making.draw('references') * 1000))

/** Most collections of a large document are never created in. */
function lazily(compile: () => Make | undefined): Make {
  let make: Make | undefined
  return making => {
    make ??= compile() ?? (() => undefined)
    return make(making)
  }
}

function compileCompose(
  resource: Resource,
  sources: readonly FieldSource[],
  inside: Inside,
  asked: Asked,
  site: Site,
): Compose {
  const { schema, idField, unknownFields } = resource
  const { properties, required, open } = schema.shape
  const needsScope = sources.some(one => one.set?.scoped === true || one.unsaid?.scoped === true)
  const keepsAll = open || unknownFields !== 'drop'
  const own = new Set([idField, ...properties.keys()])
  // A required field without a description is a known field.
  const undescribed = [...required].filter(name => !own.has(name))
  const isKnown = (name: string) => own.has(name) || required.has(name) || asked.has(name)
  const warn = resource.warnsOfUnknown && !keepsAll ? compileUnknownWarning(resource, isKnown) : undefined
  const made = new Set(sources.filter(one => one.unsaid !== undefined).map(({ name }) => name))
  const pairs = pairsIn([...properties.keys()]).filter(pair => pair.some(name => made.has(name)))
  // The time of a creation stays, and that of its end follows it.
  const lower = new Set(pairs.map(([low]) => low))
  return (body, exchange, old) => {
    const given = fieldsOf(body)
    warn?.(given, exchange, old)
    if (needsScope) site.expressions.scope(exchange)
    const out: Record<string, Json> = {}
    for (const { name, set, keeps, isAssumed, unsaid, whole, prune } of sources) {
      let value = set?.(exchange)
      if (value === undefined) {
        if (Object.hasOwn(given, name)) {
          value = prune(given[name] as Json)
          if (whole && value instanceof Decimal) value = Number(value)
          if (name === inside?.key && isObject(value)) {
            // The client's part has what only the server gives it.
            const rest: Record<string, Json> = { ...fieldsOf(old?.[name] ?? unsaid?.(exchange)) }
            for (const one of inside.names) delete rest[one]
            value = { ...rest, ...(value as JsonObject) }
          }
        } else if (old === undefined || isAssumed) value = unsaid?.(exchange)
        else if (keeps && Object.hasOwn(old, name)) value = old[name]
      }
      if (value !== undefined) put(out, name, value)
    }
    for (const name of keepsAll ? Object.keys(given) : undescribed) {
      if (!own.has(name) && Object.hasOwn(given, name)) put(out, name, given[name] as Json)
    }
    if (old === undefined && pairs.length > 0) {
      const change = (name: string, value: Json) =>
        void (lower.has(name) || Object.hasOwn(given, name) || put(out, name, value))
      orderPairs(pairs, name => out[name], change)
    }
    // A client cannot remove fields that the server assigned.
    if (old !== undefined && !keepsAll) {
      for (const name of Object.keys(old)) {
        if (!Object.hasOwn(out, name) && !own.has(name)) put(out, name, old[name] as Json)
      }
    }
    return out
  }
}

/** The unknown fields that one warning names. */
const MOST_UNKNOWN = 10

/** Warns the client of the unknown fields of its body. A changed record may have some that no client gave it. */
function compileUnknownWarning({ name: resource }: Resource, isKnown: (name: string) => boolean) {
  return (given: JsonObject, exchange: Exchange, old: JsonObject = {}): void => {
    const unknown = Object.keys(given).filter(name => !isKnown(name) && !Object.hasOwn(old, name))
    if (unknown.length === 0) return
    const names = unknown.slice(0, MOST_UNKNOWN).map(name => JSON.stringify(name))
    const more = unknown.length > MOST_UNKNOWN ? ` and ${unknown.length - MOST_UNKNOWN} more` : ''
    exchange.warn(`unknown fields of ${resource} were dropped: ${names.join(', ')}${more}`)
  }
}

/** Names of events that make a record: `issued_at`, `registeredOn`. */
const FIRST_EVENTS = /creat|updat|modif|issu|regist|insert|added|submit|request|plac|order|post|open|join|own|record/i

/** Whether a field tells of an event that has not happened to a new record: `deletedAt`, `closed_by`. */
export const isOfLater = (name: string): boolean =>
  /(?:d|n)[_-]?(?:at|on|date|time|by)$/i.test(name) && !FIRST_EVENTS.test(name)

/** Returns the fields of a changed record with the unshown owners that it had. */
export function keepOwners({ unshown }: Resource, fields: JsonObject, old: JsonObject): JsonObject {
  let out = withoutOwners(unshown, fields)
  for (const field of unshown) {
    const owner = old[field]
    if (owner !== undefined) out = withField(field, owner, out)
  }
  return out
}
