// Writes values of parameters as the texts of a request.

import type { Parameter } from '../../contract/document/parameters.ts'
import { valueFor } from '../../contract/schema/field.ts'
import { isObject, type Json, stringifyJson } from '../../kernel/json.ts'

/** The values of a parameter that the contract shows, and generated ones. */
export function valuesOf({ node, schema }: Parameter): readonly (Json | undefined)[] {
  const { examples = [], example } = isObject(node.value) ? node.value : {}
  const shown = [example, ...Object.values(examples as object).map(one => one?.value)] as (Json | undefined)[]
  return [...shown, ...[1, 2, 3].map(seed => valueFor(schema, seed))]
}

/** Returns the texts of the first value that the parameter itself reads back from one of the usual ways to write it. */
export function textsOf(parameter: Parameter, values: readonly (Json | undefined)[]): readonly string[] | undefined {
  for (const value of values) {
    if (value === undefined) continue
    for (const texts of waysToWrite(value, parameter)) {
      if (texts.every(text => text !== '') && isSound(parameter.read(texts), parameter)) return texts
    }
  }
  return undefined
}

/**
 * Returns the names and texts in the query of an object whose members are separate: `scope[type]=user`, `type=user`;
 * `undefined` for another parameter.
 */
export function spreadPairs(
  parameter: Parameter,
  values: readonly (Json | undefined)[],
): readonly [string, string][] | undefined {
  const { gather, name } = parameter
  if (gather === undefined || parameter.in !== 'query') return undefined
  for (const value of values) {
    if (!isObject(value)) continue
    const members = Object.entries(value as Record<string, Json>).flatMap(([key, one]) =>
      [one].flat().map((item): [string, string] => [key, textOf(item)]),
    )
    for (const pairs of [members.map(([key, text]): [string, string] => [`${name}[${key}]`, text]), members]) {
      const query = new Map<string, string[]>()
      for (const [key, text] of pairs) query.set(key, [...(query.get(key) ?? []), text])
      const read = gather(query)
      if (read !== undefined && isSound(read, parameter)) return pairs
    }
  }
  return undefined
}

const isSound = (read: ReturnType<Parameter['read']>, { schema }: Parameter): boolean =>
  'value' in read && schema.check(read.value, read.exact) === undefined

const textOf = (one: Json): string => encodeURIComponent(typeof one === 'string' ? one : stringifyJson(one))

function waysToWrite(value: Json, { in: place, name }: Parameter): string[][] {
  const encode = place === 'query' || place === 'cookie' ? encodeURIComponent : (text: string) => text
  const text = (one: Json) => encode(typeof one === 'string' ? one : stringifyJson(one))
  if (Array.isArray(value)) {
    const all = value.map(text)
    // A path and a cookie have one text.
    const apart = place === 'path' || place === 'cookie' ? [] : [all]
    const named = all.map(one => `${name}=${one}`)
    return [...apart, ...prefixed(name, all, named), [text(value)]]
  }
  if (!isObject(value)) {
    // A parameter with a media type is written as that: text of JSON has quotes.
    return [[text(value)], [`.${text(value)}`], [`;${name}=${text(value)}`], [encode(stringifyJson(value))]]
  }
  const pairs = Object.entries(value as Record<string, Json>)
  const flat = pairs.map(([key, one]) => `${encode(key)},${text(one)}`)
  const exploded = pairs.map(([key, one]) => `${encode(key)}=${text(one)}`)
  return [[text(value)], ...prefixed(name, flat, exploded), [exploded.join(',')]]
}

/** The ways to write a list in one text: as `simple`, `label` and `matrix` do, then with `explode`. */
const prefixed = (name: string, parts: readonly string[], exploded: readonly string[]): string[][] => {
  const joined = parts.join(',')
  const separate = exploded.map(one => (one.startsWith(`${name}=`) ? one.slice(name.length + 1) : one))
  return [[joined], [`.${joined}`], [`;${name}=${joined}`], [`.${separate.join('.')}`], [`;${exploded.join(';')}`]]
}
