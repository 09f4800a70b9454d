// The pause between two requests to a real API.

import { parseRate } from '../../kernel/units.ts'

/** Returns the milliseconds between two requests at a rate such as `10/s`; `undefined` for another text. */
export function pauseOf(text: string): number | undefined {
  const rate = parseRate(text)
  return rate === undefined || rate.count === 0 ? undefined : rate.window / rate.count
}
