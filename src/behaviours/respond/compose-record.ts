// Composes the record that a write stores from the client's values, the configuration, and values that only a server knows.
// The origin of each field is decided at load.

import { describeField, type Field } from '../../contract/answer/field.ts'
import { Decimal, isObject, type Json, type JsonObject, put } from '../../kernel/json.ts'
import type { Exchange, Site } from '../behaviour.ts'
import type { Asked } from './asked.ts'
import type { Make, Making } from './expressions.ts'
import { freshOf } from './fresh.ts'
import { momentOf, stampOf } from './moments.ts'
import type { Resource } from './resource.ts'

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
