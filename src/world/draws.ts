// Chance that can be repeated: a draw is a hash of its purpose, not the next number of a stream.

import type { JsonObject } from '../kernel/json.ts'
import type { CollectionOptions, Id, NewId } from './records/types.ts'
import { indexKeyOf, withId } from './records/values.ts'

/**
 * A number in [0, 1) that depends on the seed, the operation, how many requests of that operation came before, and the
 * purpose, and on nothing else: what happens in between changes no fate.
 */
export function draw(seed: number, operation: string, ordinal: number, purpose: string): number {
  return hash(`${operation}\n${purpose}`, Math.imul(seed, 0x9e3779b1) ^ Math.imul(ordinal, 0x85ebca6b)) / 2 ** 32
}

/** A version-4 UUID (RFC 9562) that depends on the seed, the collection and the ordinal alone. */
export function drawUuid(seed: number, collection: string, ordinal: number): string {
  const hex = words(`${collection}\n${ordinal}`, seed)
  const variant = ((Number.parseInt(hex[16] as string, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}

/**
 * 128 bits of a text, as hexadecimal digits: four hashes that feed one another (cyrb128). Four of 32 bits each that walked
 * the same text side by side would all collide at once, and sixty thousand records are enough for that.
 */
function words(text: string, seed: number): string {
  let [a, b, c, d] = [1779033703 ^ seed, 3144134277, 1013904242, 2773480762]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = b ^ Math.imul(a ^ code, 597399067)
    b = c ^ Math.imul(b ^ code, 2869860233)
    c = d ^ Math.imul(c ^ code, 951274213)
    d = a ^ Math.imul(d ^ code, 2716044179)
  }
  a = Math.imul(c ^ (a >>> 18), 597399067)
  b = Math.imul(d ^ (b >>> 22), 2869860233)
  c = Math.imul(a ^ (c >>> 17), 951274213)
  d = Math.imul(b ^ (d >>> 19), 2716044179)
  a ^= b ^ c ^ d
  return [a, b ^ a, c ^ a, d ^ a].map(word => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

/** 32 bits that differ, most likely, where texts do. */
export const digest = (text: string): number => hash(text, 0)

/** 32 bits of a text: FNV-1a, then the finaliser of MurmurHash3, so that neighbours share nothing. */
function hash(text: string, seed: number): number {
  let h = 0x811c9dc5 ^ seed
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

// The id of a new record where ids are not counted: a UUID, or text of the id's own form.

/** How many ids are tried for a new record before none is taken to be free. */
const MOST_DRAWS = 100_000

/**
 * The next id that is drawn and that no record has, as one drawn before may have; `undefined` where ids are counted.
 *
 * @param creations how many records were created
 */
export function drawId(
  { name, seed, assign, newId, idField, within = [] }: CollectionOptions,
  creations: number,
  fields: JsonObject,
  taken: { has(key: Id): boolean },
): { id: Id; ordinal: number } | undefined {
  const make: NewId | undefined = assign === 'uuid' ? ordinal => drawUuid(seed, name, ordinal) : newId
  if (make === undefined) return undefined
  for (let ordinal = creations + 1; ordinal <= creations + MOST_DRAWS; ordinal++) {
    const id = make(ordinal)
    const key = within.length === 0 ? id : (indexKeyOf(withId(idField, id, fields), idField, within) as Id)
    if (!taken.has(key)) return { id, ordinal }
  }
  throw new Error(`no free ${idField} was found for a record of ${name}`)
}
