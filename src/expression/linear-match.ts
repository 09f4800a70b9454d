// Regular expressions in linear time for any pattern and any text (RE2). The door to the library.

import { RE2JS } from 're2js'

/** Most patterns are literals of the configuration. Emptied when full, because a pattern may be made of a request. */
const compiled = new Map<string, RE2JS>()
const MOST_COMPILED = 500

/** Whether some part of a text matches a pattern in RE2's syntax; throws a `RangeError` for an invalid one. */
export function matchesLinearly(text: string, pattern: string): boolean {
  let expression = compiled.get(pattern)
  if (expression === undefined) {
    try {
      expression = RE2JS.compile(pattern)
    } catch (error) {
      throw new RangeError(`invalid pattern: ${(error as Error).message}`)
    }
    if (compiled.size >= MOST_COMPILED) compiled.clear()
    compiled.set(pattern, expression)
  }
  return expression.matcher(text).find()
}
