// The blanks of the exchanges that a recording has already. Where the same traffic is recorded again, its secrets get the same blanks.

import type { HarExchange } from '../../gateway/journal/har.ts'
import { getOrMake } from '../../kernel/memo.ts'

type Masked = Pick<HarExchange, 'method' | 'path' | 'query' | 'request' | 'reply'>

const BLANKS = /masked-\d+(?:@example\.com)?/gi
const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*/g

/** Returns the parts of a masked exchange that have blanks, each behind what tells it from others. */
function partsOf({ method, path, query, request, reply }: Masked): readonly string[] {
  const textOf = ({ body }: typeof request) => (typeof body === 'string' ? body.replace(TIMES, '') : '')
  const sent = `${method} ${path} ${query} ${textOf(request)} ${reply.status}`
  return [sent, `${sent} ${textOf(reply)}`]
}

export class EarlierBlanks {
  /** The blanks of each occurrence of a part, by its text without them. */
  readonly #parts = new Map<string, string[][]>()
  /** How often a part has occurred since. */
  readonly #used = new Map<string, number>()

  add(exchange: Masked): void {
    for (const part of partsOf(exchange)) {
      const key = part.replace(BLANKS, '')
      getOrMake(this.#parts, key, (): string[][] => []).push(part.match(BLANKS) ?? [])
    }
  }

  /** Returns the blanks of an exchange that was masked anew, with those that its secrets had at the same occurrence. */
  pairsFor(exchange: Masked): (readonly [blank: string, earlier: string])[] {
    return partsOf(exchange).flatMap(part => {
      const key = part.replace(BLANKS, '')
      const used = this.#used.get(key) ?? 0
      this.#used.set(key, used + 1)
      const earlier = this.#parts.get(key)?.[used] ?? []
      return (part.match(BLANKS) ?? []).flatMap((blank, i) => {
        const other = earlier[i]
        return other === undefined || blank === other ? [] : [[blank, other] as const]
      })
    })
  }
}
