// Chance that can be repeated: a draw is a hash of what it is for, not the next number of a stream.

/**
 * A number in [0, 1) that depends on the seed, the operation, how many requests of that operation came before, and the
 * purpose, and on nothing else: what happens in between changes no fate.
 */
export function draw(seed: number, operation: string, ordinal: number, purpose: string): number {
  return hash(`${operation}\n${purpose}`, Math.imul(seed, 0x9e3779b1) ^ Math.imul(ordinal, 0x85ebca6b)) / 2 ** 32
}

/** A version-4 UUID (RFC 9562) that depends on the seed, the collection and the ordinal alone. */
export function drawUuid(seed: number, collection: string, ordinal: number): string {
  const word = (purpose: number) => hash(`${collection}\n${ordinal}\n${purpose}`, seed).toString(16).padStart(8, '0')
  const hex = word(0) + word(1) + word(2) + word(3)
  const variant = ((Number.parseInt(hex[16] as string, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
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
