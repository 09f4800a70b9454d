// The fields of a new record that no request has and that follow from its caller, its address or its other fields.

import type { Field } from '../../contract/schema/field.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { ANYBODY } from '../exchange.ts'
import type { Make } from '../resource.ts'

/** The one who has made a record. */
const CALLER = /^(?:owner|author|user|creator|created_?by)$/i
/** The names of a caller. */
const NAME = /^(?:login|(?:user_?|nick_?)?name|handle)$/i

const namesOfCaller = (someone: object): [string, Json][] => Object.entries(someone).filter(([key]) => NAME.test(key))

/**
 * Returns a function that makes the caller of a request, with the name of the consumer; without a consumer always the same one.
 * `undefined` for another field.
 */
export function callerOf({ name, allows, generate }: Field): Make | undefined {
  if (!CALLER.test(name)) return undefined
  return ({ consumer }) => {
    const someone = generate(1)
    if (consumer === undefined || consumer === ANYBODY.name) return someone
    const isPerson = isObject(someone)
    const names = isPerson ? namesOfCaller(someone).map(([key]) => [key, consumer]) : []
    const named = isPerson ? { ...(someone as JsonObject), ...Object.fromEntries(names) } : consumer
    return allows(named) ? named : someone
  }
}

/** Makes a field of a record whose id is known. */
export type Derive = (record: JsonObject, url: string) => Json | undefined

/** A link to the record, or to something below it: `html_url`, `commentsUrl`. */
const LINK =
  /^(?:html_?|api_?|self_?|(?!avatar|image|icon|logo|photo|thumb|home|hook|callback|mirror)([a-z]+?)_?)?(?:ur[il]|href|link)$/i

/**
 * Returns a function that makes a field out of the other fields and the address of its record: `html_url`, `full_name`.
 * `undefined` for another field.
 */
export function derivedOf({ name: field, allows }: Field): Derive | undefined {
  const link = LINK.exec(field)
  if (link === null && !/^full_?name$/i.test(field)) return undefined
  return ({ name, owner }, url) => {
    const by = isObject(owner) ? namesOfCaller(owner)[0]?.[1] : owner
    const text = link === null ? (by === undefined ? name : `${by}/${name}`) : [url, link[1] ?? []].flat().join('/')
    // The format `url` refuses addresses of this machine.
    return [text, String(text).replace(/^http:..[^/]*/, 'https://example.com')].find(
      one => one !== undefined && allows(one),
    )
  }
}
