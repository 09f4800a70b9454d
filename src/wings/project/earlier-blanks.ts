// The blanks of the exchanges that a recording has already. Where the same traffic is recorded again, its secrets get the same blanks.

import type { HarExchange } from '../../gateway/journal/har.ts'
import { getOrMake } from '../../kernel/memo.ts'

type Masked = Pick<HarExchange, 'method' | 'path' | 'query' | 'request' | 'reply'>

const BLANKS = /masked-\d+(?:@example\.com)?/gi
const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*/g

/** A part of a masked exchange with blanks, behind what tells it from others. */
interface Part {
  /** Its text without the blanks. */
  readonly key: string
  readonly blanks: readonly string[]
}

function partsOf({ method, path, query, request, reply }: Masked): readonly Part[] {
  const textOf = ({ body }: typeof request) => (typeof body === 'string' ? body.replace(TIMES, '') : '')
  const sent = `${method} ${path} ${query} ${textOf(request)} ${reply.status}`
  return [sent, `${sent} ${textOf(reply)}`].flatMap((text): Part[] => {
    const blanks = text.match(BLANKS)
    return blanks === null ? [] : [{ key: text.replace(BLANKS, ''), blanks }]
  })
}

export class EarlierBlanks {
  /** The blanks of each occurrence of a part, by its text without them. */
  readonly #parts = new Map<string, (readonly string[])[]>()
  /** How often a part has occurred since. */
  readonly #used = new Map<string, number>()

  add(exchange: Masked): void {
    for (const { key, blanks } of partsOf(exchange))
      getOrMake(this.#parts, key, (): (readonly string[])[] => []).push(blanks)
  }

  /** Returns the blanks of an exchange that was masked anew, with those that its secrets had at the same occurrence. */
  pairsFor(exchange: Masked): (readonly [blank: string, earlier: string])[] {
    if (this.#parts.size === 0) return []
    return partsOf(exchange).flatMap(({ key, blanks }) => {
      const used = this.#used.get(key) ?? 0
      this.#used.set(key, used + 1)
      const earlier = this.#parts.get(key)?.[used] ?? []
      return blanks.flatMap((blank, i) => {
        const other = earlier[i]
        return other === undefined || blank === other ? [] : [[blank, other] as const]
      })
    })
  }
}
