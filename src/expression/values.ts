// Converts between JSON and the values of the expression language, in which an integer is a bigint and a time is a moment.

import { type Json, put } from '../kernel/json.ts'
import { timeOf, timestamp } from '../world/clock.ts'

/** A JSON value for an expression. Integers become bigints, because the language has no other integers. */
export function toExpression(value: Json | undefined): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(toExpression)
  if (value === null || typeof value !== 'object') return value
  const out: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) define(out, name, toExpression(member as Json))
  return out
}

/** The result of an expression as JSON. A timestamp is RFC 3339 text; a value that JSON lacks, such as bytes, is text. */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  const time = timeOf(value)
  if (time !== undefined) return Number.isNaN(time) ? null : timestamp(time)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(toJson)
  if (value instanceof Set) return [...value].map(toJson)
  const out: Record<string, Json> = {}
  const entries = value instanceof Map ? value.entries() : isPlain(value) ? Object.entries(value) : undefined
  if (entries === undefined) return String(value)
  for (const [name, member] of entries) put(out, String(name), toJson(member))
  return out
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && (value.constructor === Object || value.constructor === undefined)

/** Sets a member, `__proto__` too, as data. */
const define = (out: Record<string, unknown>, name: string, value: unknown): void => {
  if (name === '__proto__') Object.defineProperty(out, name, { value, enumerable: true, writable: true })
  else out[name] = value
}
