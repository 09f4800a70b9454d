// Bounds the ways in which a schema compares one value: thirty schemas, each of which refers to the next one twice, make a
// thousand million comparisons of every value, and a chain of thirty thousand references is as deep as no stack.

import type { ReferenceEdge } from './translation-context.ts'

/** The maximum number of schemas that one value is compared with: some 20 ms. A public document has a few thousand. */
const MOST_WAYS = 100_000
/** The maximum length of a chain of such references: compiling one of them goes through all that follow. */
const LONGEST_CHAIN = 32

/** The reason for opening a schema: the end of a sentence that begins with "this schema". */
export type TooMuch =
  | `refers to others in more than ${number} ways`
  | `begins a chain of more than ${number} references`

export class Ways {
  readonly #counts = new Map<string, number>()
  readonly #chains = new Map<string, number>()
  readonly #edgesOf: (key: string) => readonly ReferenceEdge[]
  readonly #open: (key: string, why: TooMuch) => void

  /** @param open makes the schema of a key accept every value */
  constructor(edgesOf: (key: string) => readonly ReferenceEdge[], open: (key: string, why: TooMuch) => void) {
    this.#edgesOf = edgesOf
    this.#open = open
  }

  /** Opens the schemas below a key that would compare a value in too many ways. Iterative, since chains may be long. */
  bound(key: string): void {
    const path: { readonly key: string; readonly left: ReferenceEdge[]; ways: number; chain: number }[] = []
    const enter = (one: string) => {
      // A cycle counts once.
      this.#counts.set(one, 1)
      path.push({ key: one, left: [...this.#edgesOf(one)], ways: 1, chain: 0 })
    }
    if (!this.#counts.has(key)) enter(key)
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const edge = at.left.at(-1)
      if (edge !== undefined && !this.#counts.has(edge.to)) {
        enter(edge.to)
        continue
      }
      at.left.pop()
      if (edge?.inPlace === true) {
        at.ways += this.#counts.get(edge.to) as number
        // A schema that is still being counted, in a cycle, has none.
        at.chain = Math.max(at.chain, 1 + (this.#chains.get(edge.to) ?? 0))
      }
      if (edge !== undefined) continue
      const why = reasonToOpen(at)
      if (why !== undefined) this.#open(at.key, why)
      this.#counts.set(at.key, why === undefined ? at.ways : 1)
      this.#chains.set(at.key, why === undefined ? at.chain : 0)
      path.pop()
    }
  }
}

function reasonToOpen({ ways, chain }: { readonly ways: number; readonly chain: number }): TooMuch | undefined {
  if (ways > MOST_WAYS) return `refers to others in more than ${MOST_WAYS} ways`
  return chain > LONGEST_CHAIN ? `begins a chain of more than ${LONGEST_CHAIN} references` : undefined
}
