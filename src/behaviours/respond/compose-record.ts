// The record that a write stores: what the client says, what the author says, and what only a server can know. Which field
// comes from where is decided at load.

import { describeField, type Field } from '../../answer/field.ts'
import { Decimal, isObject, type Json, type JsonObject, put } from '../../kernel/json.ts'
import type { Exchange, Site } from '../behaviour.ts'
import type { Asked } from './asked.ts'
import type { Make, Making } from './expressions.ts'
import { freshOf } from './fresh.ts'
import { momentOf, stampOf } from './moments.ts'
import type { Resource } from './resource.ts'

/** @param old the record as it is, where it is not new */
export type Compose = (given: Json | undefined, exchange: Exchange, old?: JsonObject) => JsonObject

interface Source {
  readonly name: string
  /** Made at every write, whatever the client says. */
  readonly set: Make | undefined
  /** Whether a record keeps what it has where the client says nothing. */
  readonly keeps: boolean
  /** Made where a new record would be without. */
  readonly unsaid: Make | undefined
  /** Whether the field is an integer: `5.0` is 5 there. */
  readonly whole: boolean
}

/**
 * @param kind `update` is given the whole record, changed as the client wishes
 * @param set what this operation sets, beside what the resource does
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
  const sources = [...properties].flatMap(([name, node]): Source[] => {
    if (name === idField)
      return assign === 'client' ? [{ name, set: undefined, keeps: false, unsaid: undefined, whole: true }] : []
    const field = describeField(name, site.contract.use(node))
    // No reply has it, so that no record need keep it: a password.
    if (field.writeOnly) return []
    const sayable = (asked.empty || asked.knows(name)) && !field.readOnly
    const stamp = stampOf(field)
    const needed = (required.has(name) && !asked.wants(name)) || field.readOnly || (stamp !== undefined && !asked.empty)
    // A field that names a record, and that cannot be empty, is not made up.
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
  // What a schema requires without describing it is not unknown to it.
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
    // What the server gave of itself, a client cannot take away.
    if (old !== undefined && !keepsAll) {
      for (const name of Object.keys(old)) {
        if (!Object.hasOwn(out, name) && name !== idField && !properties.has(name)) put(out, name, old[name] as Json)
      }
    }
    return out
  }
}

/** The exchange, with what an expression sees of it. */
const makingOf = (exchange: Exchange, { expressions }: Site): Making => ({
  clock: exchange.clock,
  uuid: purpose => exchange.uuid(purpose),
  draw: purpose => exchange.draw(purpose),
  scope: expressions.scope(exchange),
})

const keep = (out: Record<string, Json>, name: string, value: Json | undefined): void => {
  if (value !== undefined) put(out, name, value)
}

/** Something that a new record need not have has not happened to it yet: `deletedAt`. */
const isWanted = (field: Field, required: ReadonlySet<string>): boolean =>
  required.has(field.name) || stampOf(field) !== undefined || !LATER.test(field.name)
const LATER = /(?:d|n)[_-]?(?:at|on|date|time|by)$/i

const NO_FIELDS: JsonObject = {}
