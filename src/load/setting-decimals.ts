// Decimals of a gateway file: those of records and of bodies keep their digits, all others are numbers to calculate with.

import { Decimal, isObject } from '../kernel/json.ts'
import { roundBeyondExamples } from '../schema/example-decimals.ts'

/** Keys of a resource whose values become parts of records. */
const RECORDS: ReadonlySet<string> = new Set(['seed', 'defaults', 'set'])

/**
 * Replaces each `Decimal` of a parsed gateway file by the nearest double, in place, except in `seed`, `defaults` and `set` of a
 * resource, in `respond.body`, and in the examples of an inline contract.
 */
export function roundSettings(value: unknown): void {
  if (!isObject(value)) return
  for (const [key, part] of Object.entries(value)) {
    if (key === 'contract') roundBeyondExamples(part)
    else if (key === 'resources' && isObject(part)) for (const block of Object.values(part)) roundResource(block)
    else round(part, key)
  }
}

function roundResource(block: unknown): void {
  if (!isObject(block)) return
  for (const [key, part] of Object.entries(block)) if (!RECORDS.has(key)) roundMember(block, key, part)
}

/** @param owner the key of `value` */
function round(value: unknown, owner: string): void {
  if (Array.isArray(value)) for (const [i, item] of value.entries()) roundMember(value, i, item, owner)
  else if (isObject(value)) {
    for (const [key, part] of Object.entries(value)) {
      if (owner !== 'respond' || key !== 'body') roundMember(value, key, part, key)
    }
  }
}

function roundMember(holder: object, key: string | number, part: unknown, owner = String(key)): void {
  if (part instanceof Decimal) (holder as Record<string | number, unknown>)[key] = Number(part)
  else round(part, owner)
}
