// The one who asks: in the fields of a new record that no request has, and among the records that can be read by their names.

import type { Field } from '../../contract/schema/field.ts'
import { isObject, type Json, type JsonObject, mapValues } from '../../kernel/json.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { ANYBODY } from '../exchange.ts'
import type { Make, Resource } from '../resource.ts'
import { isUnshown } from './config.ts'

/** The one who has made a record. */
export const CALLER = /^(?:owner|author|user|creator|(?:creat|post|submitt)ed_?by)$/i
/** The names of a caller. */
export const NAME = /^(?:login|(?:user_?|nick_?)?name|handle)$/i

/**
 * Returns a function that makes the caller of a request, with the name of the consumer; without a consumer always the same one.
 * `undefined` for another field.
 */
export function callerOf({ name, allows, generate }: Field): Make | undefined {
  if (!CALLER.test(name)) return undefined
  return ({ consumer }) => {
    const someone = generate(1)
    if (consumer === undefined || consumer === ANYBODY.name) return someone
    const named = isObject(someone) ? calledAs(someone as JsonObject, consumer) : consumer
    return allows(named) ? named : someone
  }
}

/** The resource of one record without an id, which is about the one who asks: `GET /user`. */
const ASKING = /^(?:me|self|user|account|profile)$/i

/** Returns someone with another name: `{ login: "acme" }`. */
export const calledAs = (someone: JsonObject, to: Json): JsonObject =>
  mapValues(someone, (own, key) => (NAME.test(key) && typeof own === typeof to ? to : (own as Json)))

/** Returns a function for the one who asks: the first record of a resource without an id, `GET /user`; `undefined` without one. */
export function askingIn(resources: Site['resources']) {
  const name = [...resources.values()].find(one => ASKING.test(one.name) && isUnshown(one.idField))?.name
  if (name === undefined) return undefined
  return async (exchange: Exchange): Promise<JsonObject | undefined> => {
    const records = exchange.records(name)
    const { last } = await records.list({ filters: [], limit: 1 })
    return last === undefined ? undefined : (await records.read(last))?.value
  }
}

/** Returns a record in which no flag is set: `following`. */
export const flagsOff = (record: JsonObject): JsonObject =>
  mapValues(record, own => (own === true ? false : own) as Json)

/** Returns a record with the fields that someone has, too. */
export const asSomeone = (record: JsonObject, someone: JsonObject): JsonObject =>
  mapValues(record, (own, name) => (typeof own === typeof someone[name] ? someone[name] : own) as Json)

/**
 * Returns a function that has a new record say what is known of the one who asks, or of the owner in the path, which it keeps in
 * braces; `undefined` if that is nothing.
 */
export function compileAsking({ filled }: Resource, { resources }: Site) {
  const callers = new Set([...filled].filter(name => CALLER.test(name)))
  if (callers.size === 0) return undefined
  const asking = askingIn(resources)
  return async (fields: JsonObject, exchange: Exchange): Promise<JsonObject> => {
    const isAnybody = (exchange.consumer ?? ANYBODY.name) === ANYBODY.name
    const someone = (isAnybody && (await asking?.(exchange))) || {}
    return mapValues(fields, (own, name) => {
      if (!callers.has(name) || !isObject(own)) return own as Json
      const owner = fields[`{${name}}`]
      return owner === undefined ? asSomeone(flagsOff(own as JsonObject), someone) : calledAs(own as JsonObject, owner)
    })
  }
}
