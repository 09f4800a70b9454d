// Hints for an unknown key: a similar key, the block that it belongs to, or a missing indent.

import { suggest } from '../kernel/diagnostic.ts'
import { isObject } from '../kernel/json.ts'
import type { Schema } from '../kernel/schema.ts'
import type { Path } from '../kernel/source.ts'
import { ownWord } from './foreign-words.ts'

/** A key at the top level that follows an empty block probably lacks its indent. */
export function underEmptyBlock(key: string, path: Path, value: unknown, schema: Schema): string | undefined {
  if (path.length !== 1 || !isObject(value)) return undefined
  const { properties = {} } = schema as { properties?: Record<string, Block> }
  const empty = Object.keys(properties).filter(name => (value as Record<string, unknown>)[name] === null)
  // There may be a hundred thousand unknown keys.
  if (empty.length === 0) return undefined
  const order = orderOf(value)
  const at = (name: string): number => order.get(name) ?? Number.POSITIVE_INFINITY
  const before = Object.keys(properties)
    .filter(name => at(name) < at(key))
    .sort((a, b) => at(a) - at(b))
    .at(-1)
  if (before === undefined || (value as Record<string, unknown>)[before] !== null) return undefined
  return isObject(properties[before]?.additionalProperties) ? `indent it to put it under "${before}"` : undefined
}

/** The places of a value's keys, computed once for all of them. */
const orders = new WeakMap<object, ReadonlyMap<string, number>>()

function orderOf(value: object): ReadonlyMap<string, number> {
  const known = orders.get(value)
  if (known !== undefined) return known
  const order = new Map(Object.keys(value).map((name, at) => [name, at]))
  orders.set(value, order)
  return order
}

/** Suggests a similar key, or the block that has the key, or the list of keys. */
export function suggestKey(key: string, known: readonly string[], schema: Schema): string | undefined {
  const own = ownWord(key, known)
  if (own !== undefined) return `write "${own}" here`
  const near = suggest(key, known)
  if (near?.startsWith('did you mean') || known.includes(key)) return near
  const homes = homesOf(key, schema)
  return homes.length > 0 && homes.length <= 4 ? `put it under ${homes.join(' or ')}` : near
}

/** Joins names: `defaults, tags or operations`. */
export const listed = (homes: readonly string[]): string => {
  const names = homes.map(home => home.replace(/: NAME$/, ''))
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** Returns the top-level blocks that have a key. */
export function homesOf(key: string, schema: Schema): string[] {
  const { properties = {} } = schema as { properties?: Record<string, Block> }
  return Object.entries(properties).flatMap(([name, block]) => {
    if (Object.hasOwn(block.properties ?? {}, key)) return [name]
    const { additionalProperties: each } = block
    return isObject(each) && Object.hasOwn((each as Block).properties ?? {}, key) ? [`${name}: NAME`] : []
  })
}

interface Block {
  readonly properties?: Record<string, unknown>
  readonly additionalProperties?: unknown
}
