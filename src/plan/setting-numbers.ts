// Numbers of a gateway file, of weather and of answers: those of records and of bodies keep their digits, all others are numbers
// to calculate with.

import { roundBeyondExamples } from '../contract/example-decimals.ts'
import { Decimal, isObject } from '../kernel/json.ts'

/** Keys of a resource whose values become parts of records. */
const RECORDS: ReadonlySet<string> = new Set(['seed', 'defaults', 'set'])

/** Blocks whose values may become parts of bodies: their integers keep their digits. */
const SENT: ReadonlySet<string> = new Set(['errors', 'respond', 'reply'])

/**
 * Replaces each `Decimal` and each bigint of a parsed gateway file, of weather or of an answer by the nearest double, in place.
 * Both stay in `seed`, `defaults` and `set` of a resource, in `respond.body` and in the examples of an inline contract; a
 * bigint also stays everywhere in `errors`, `respond`, `reply` and an inline contract.
 */
export function roundSettings(value: unknown): void {
  if (!isObject(value)) return
  for (const [key, part] of Object.entries(value)) {
    if (key === 'contract') roundBeyondExamples(part)
    else if (key === 'resources' && isObject(part)) for (const block of Object.values(part)) roundResource(block)
    else roundMember(value, key, part, key)
  }
}

function roundResource(block: unknown): void {
  if (!isObject(block)) return
  for (const [key, part] of Object.entries(block)) if (!RECORDS.has(key)) roundMember(block, key, part)
}

/**
 * @param owner the key of `value`
 * @param sent whether `value` is in a block of `SENT`
 */
function round(value: unknown, owner: string, sent: boolean): void {
  if (Array.isArray(value)) for (const [i, item] of value.entries()) roundMember(value, i, item, owner, sent)
  else if (isObject(value)) {
    for (const [key, part] of Object.entries(value)) {
      if (owner !== 'respond' || key !== 'body') roundMember(value, key, part, key, sent)
    }
  }
}

function roundMember(holder: object, key: string | number, part: unknown, owner = String(key), sent = false): void {
  if (part instanceof Decimal || (typeof part === 'bigint' && !sent))
    (holder as Record<string | number, unknown>)[key] = Number(part)
  else round(part, owner, sent || SENT.has(owner))
}
