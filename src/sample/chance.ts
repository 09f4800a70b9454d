// Random numbers for generated values: a sequence that depends on its seed alone. Independent of schemas.

export class Chance {
  #state: number

  /** @param seed any 32-bit integer */
  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** Returns the next number in [0, 1) (Mulberry32). Not for secrets. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns an integer between two others, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)] as Item
  }
}

/** Hashes a text to 32 bits (FNV-1a), so that each name has its own sequence. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}
