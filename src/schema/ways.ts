// Bounds the ways in which a schema compares one value: thirty schemas, each of which refers to the next one twice, make a
// thousand million comparisons of every value.

import type { ReferenceEdge } from './translation-context.ts'

/** The maximum number of schemas that one value is compared with: some 20 ms. A public document has a few thousand. */
const MOST_WAYS = 100_000

export class Ways {
  readonly #counts = new Map<string, number>()
  readonly #edgesOf: (key: string) => readonly ReferenceEdge[]
  readonly #open: (key: string) => void

  /** @param open makes the schema of a key accept every value */
  constructor(edgesOf: (key: string) => readonly ReferenceEdge[], open: (key: string) => void) {
    this.#edgesOf = edgesOf
    this.#open = open
  }

  /** Opens the schemas below a key that would compare a value in too many ways. Iterative, since chains may be long. */
  bound(key: string): void {
    const path: { readonly key: string; readonly left: ReferenceEdge[]; ways: number }[] = []
    const enter = (one: string) => {
      // A cycle counts once.
      this.#counts.set(one, 1)
      path.push({ key: one, left: [...this.#edgesOf(one)], ways: 1 })
    }
    if (!this.#counts.has(key)) enter(key)
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const edge = at.left.at(-1)
      if (edge !== undefined && !this.#counts.has(edge.to)) {
        enter(edge.to)
        continue
      }
      at.left.pop()
      if (edge?.inPlace === true) at.ways += this.#counts.get(edge.to) as number
      if (edge !== undefined) continue
      const isTooMany = at.ways > MOST_WAYS
      if (isTooMany) this.#open(at.key)
      this.#counts.set(at.key, isTooMany ? 1 : at.ways)
      path.pop()
    }
  }
}
