// Regular expressions in linear time for any pattern and any text (RE2). The door to the library.

import { RE2JS } from 're2js'
import { searchPatiently } from '../kernel/guarded-pattern.ts'
import { exhaust, spend } from './costs.ts'

interface CompiledPattern {
  readonly expression: RE2JS
  /** The number of instructions. */
  readonly size: number
}

/** Most patterns are literals of the configuration. Emptied when full, because a pattern may be made of a request. */
const compiled = new Map<string, CompiledPattern>()
const MOST_COMPILED = 500

/** Costs of compiling, in characters looked at: for each character of a pattern, and for each instruction of its program. */
const OF_A_CHARACTER = 512
const OF_AN_INSTRUCTION = 64

/**
 * A character may be looked at by each instruction of a program, which takes some 15 ns. A search that may take more than about
 * 20 ms counts as this one, and is interrupted after `PATIENCE`.
 */
const LONG_SEARCH = 1_280_000
/** Milliseconds of processor time. */
const PATIENCE = 40

/** Whether some part of a text matches a pattern in RE2's syntax; throws a `RangeError` for an invalid one. */
export function matchesLinearly(text: string, pattern: string): boolean {
  const { expression, size } = compiled.get(pattern) ?? compileLinear(pattern)
  const work = text.length * size
  spend(Math.min(work, LONG_SEARCH))
  if (work <= LONG_SEARCH) return expression.matcher(text).find()
  const found = searchPatiently({ test: within => expression.matcher(within).find() }, text, PATIENCE)
  if (found !== undefined) return found
  // Its buffers may be in the middle of a search.
  compiled.delete(pattern)
  exhaust()
  return false
}

function compileLinear(pattern: string): CompiledPattern {
  spend(pattern.length * OF_A_CHARACTER)
  let expression: RE2JS
  try {
    expression = RE2JS.compile(pattern)
  } catch (error) {
    throw new RangeError(`invalid pattern: ${(error as Error).message}`)
  }
  if (compiled.size >= MOST_COMPILED) compiled.clear()
  const made = { expression, size: expression.programSize() }
  compiled.set(pattern, made)
  spend(made.size * OF_AN_INSTRUCTION)
  return made
}
