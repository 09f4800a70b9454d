// The work that all expressions of a request may do together: steps of loops, and the length of the texts that functions and
// operators look at; and regular expressions in linear time (RE2). It is counted, so that equal requests get equal replies.

import { getOrMake } from '../kernel/memo.ts'
import { LinearPattern } from '../kernel/pattern.ts'
import { isMap, type Scope } from './scope.ts'
import { nodesOf, type SyntaxNode } from './syntax-tree.ts'

/** All loops of a request together may take this many steps: some ten milliseconds. */
const MOST_STEPS = 20_000
/** So much work counts as one step. Looking at a character takes 1 to 15 ns, a step some microseconds. */
const WORK_OF_A_STEP = 256

type Payer = Pick<Scope, 'spent'>

/** The request whose expression is evaluated: nothing else runs meanwhile. */
let payer: Payer = { spent: 0 }

// Made once: `||` and `&&` go on after a side that fails.
const EXHAUSTED = new RangeError(`the expressions of this request take more than ${MOST_STEPS} steps`)

/** To be called before each evaluation. Throws if the request has done too much before. */
export const chargeTo = (scope: Payer): void => {
  payer = scope
  spend(0)
}

/** Counts work, in characters looked at. Throws once the request has done too much. */
function spend(characters: number): void {
  payer.spent += characters
  if (payer.spent > MOST_STEPS * WORK_OF_A_STEP) throw EXHAUSTED
}

/** Making a character of a sample takes as long as looking at this many; the shortest takes as long as one of some characters. */
const [OF_A_SAMPLE, SHORTEST_SAMPLE] = [64, 50]

/** Counts a sample that was made. One alone is always possible, however long it is. */
export const spendOnSample = (characters: number): void =>
  spend(Math.min(Math.max(characters, SHORTEST_SAMPLE) * OF_A_SAMPLE, (MOST_STEPS * WORK_OF_A_STEP) / 4))

/** Converting a character of a value takes as long as looking at this many. */
const OF_A_CONVERSION = 4

/** Counts a record that is converted for an expression, or a result of one. */
export const spendOnConversion = (characters: number): void => spend(characters * OF_A_CONVERSION)

/** Evaluating so many parts of an expression takes as long as a step, all operands and literals included. */
const NODES_OF_A_STEP = 32

/** Making an error takes as long as this many steps. */
const OF_A_FAILURE = 8

/** Counts steps of a loop, or work that takes as long. */
const spendSteps = (steps: number): void => spend(steps * WORK_OF_A_STEP)

type Charge = (first: unknown, second: unknown) => void
type ChargeCall = (operands: readonly unknown[]) => void

/** Listing the keys of a large object takes as long as looking at this many characters for each. */
const KEY = 32
/** Comparing two values takes as long as looking at this many characters. */
const COMPARISON = 16
/** V8 searches for a longer text in time proportional to the product of both lengths. */
const LONGEST_LINEAR = 250
/** Characters that such a search compares in the time that is counted for one. */
const COMPARED_AT_ONCE = 32

/** Makes every step of a loop count, and every function and operator the length of its operands. To be called on a checked tree. */
export function boundWork(tree: SyntaxNode): void {
  for (const node of nodesOf(tree)) {
    if (node.op === 'comprehension') {
      const loop = node.args as { readonly step: SyntaxNode; condition?: (soFar: unknown) => boolean }
      const { step, condition } = loop
      const steps = Math.ceil([...nodesOf(step)].length / NODES_OF_A_STEP)
      // Not in the step: `all` and `exists` continue after one that fails.
      loop.condition = soFar => {
        spendSteps(steps)
        return condition === undefined || condition(soFar)
      }
    }
    const charge = chargeOf(node)
    const { handle } = node
    if (handle === undefined || charge === undefined) continue
    node.handle = (first, second, ...rest) => {
      // Looking at how much there is to count takes time, too.
      spend(0)
      charge(first, second)
      return handle(first, second, ...rest)
    }
  }
}

/** The library's part that evaluates. */
interface Evaluator {
  readonly run: (node: unknown, context: unknown) => unknown
  /** Returns the error of an evaluation that fails: `all`, `exists`, `||` and `&&` go on after it. */
  tryEval: (node: unknown, context: unknown) => unknown
  /** Returns the type of a value. */
  readonly debugType: (value: unknown) => unknown
  /** The same; that of a list includes the type of its first item, and so on. */
  debugTypeDeep: (value: unknown) => unknown
  readonly registry: { readonly getListType: (type: unknown) => unknown }
}

/** Makes failures that are caught count, and limits the types of values to lists of simple items. */
export function boundEvaluator(evaluator: Evaluator): void {
  evaluator.tryEval = (node, context) => {
    try {
      return evaluator.run(node, context)
    } catch (error) {
      spendSteps(OF_A_FAILURE)
      return error
    }
  }
  // The library keeps each type that it meets, makes one in time cubic in the depth, and lists the keys of a map to look at one.
  evaluator.debugTypeDeep = value => {
    const first = Array.isArray(value) ? value[0] : undefined
    if (first === undefined) return evaluator.debugType(value)
    return evaluator.registry.getListType(evaluator.debugType(first))
  }
}

function chargeOf({ op, args }: SyntaxNode): Charge | undefined {
  if (op === 'comprehension') return iterable => spend(KEY * countKeys(iterable))
  if (op !== 'call' && op !== 'rcall') return Object.hasOwn(OPERATORS, op) ? OPERATORS[op] : undefined
  const name = String((args as readonly unknown[])[0])
  const charge = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : /^get[A-Z]/.test(name) ? chargeZone : chargeAll
  return operands => charge?.(operands as readonly unknown[])
}

const textLength = (value: unknown): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : 0

const countKeys = (value: unknown): number => (isMap(value) ? Object.keys(value).length : 0)

const chargeAll: ChargeCall = operands => {
  for (const operand of operands) spend(textLength(operand))
}

const chargeSearch: ChargeCall = ([text, part]) => {
  const [length, sought] = [textLength(text), textLength(part)]
  spend(length)
  if (sought > LONGEST_LINEAR) spend((Math.max(0, length - sought) * sought) / COMPARED_AT_ONCE)
}

/** A formatter for a time zone is made for each call, and a long name of one takes long to refuse. */
const chargeZone: ChargeCall = ([, zone]) => {
  if (zone !== undefined) spend(40 * WORK_OF_A_STEP + textLength(zone) ** 2)
}

/** Changing the case of a character that is not ASCII, or making a part of a text, takes as long as looking at this many. */
const chargeParts: ChargeCall = ([text, part]) => {
  spend(3 * textLength(text))
  chargeSearch([text, part])
}

/** The costs of functions. One that is not listed costs the length of its operands. */
const FUNCTIONS: Readonly<Record<string, ChargeCall | undefined>> = {
  // These count for themselves.
  linearMatches: undefined,
  literalMatches: undefined,
  substring: undefined,
  at: undefined,
  dyn: undefined,
  type: undefined,
  startsWith: ([, part]) => spend(textLength(part)),
  endsWith: ([, part]) => spend(textLength(part)),
  contains: chargeSearch,
  indexOf: chargeSearch,
  lastIndexOf: chargeSearch,
  split: chargeParts,
  lowerAscii: chargeParts,
  upperAscii: chargeParts,
  json: chargeParts,
  size: ([value]) => spend(textLength(value) + KEY * countKeys(value)),
  join: ([list, separator]) => {
    if (!Array.isArray(list)) return
    spend(list.length * (COMPARISON + textLength(separator)))
    for (const item of list) spend(textLength(item))
  },
  // The library backtracks over digits without a unit.
  duration: ([text]) => spend(textLength(text) ** 3 / COMPARED_AT_ONCE),
  uint: ([text]) => spend(textLength(text) ** 2 / COMPARED_AT_ONCE),
}

/** Counts a comparison of two values. Those of different lengths are unequal at once. */
function chargeComparison(a: unknown, b: unknown): void {
  if (typeof a === 'string') spend(textLength(b) === a.length ? a.length : 0)
  else if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return
    spend(a.length * COMPARISON)
    for (const [i, item] of a.entries()) chargeComparison(item, b[i])
  } else if (isMap(a) && isMap(b)) {
    spend((countKeys(a) + countKeys(b)) * KEY)
    for (const [key, member] of Object.entries(a)) if (Object.hasOwn(b, key)) chargeComparison(member, b[key])
  }
}

const chargeOrder: Charge = (a, b) => spend(Math.min(textLength(a), textLength(b)))

/** Counts a key. A list or a map would become a text. */
const chargeKey: Charge = (_, key) => {
  if (typeof key === 'object') throw new RangeError('a key is a text or an integer')
  spend(textLength(key))
}

const OPERATORS: Readonly<Record<string, Charge>> = {
  '==': chargeComparison,
  '!=': chargeComparison,
  '<': chargeOrder,
  '<=': chargeOrder,
  '>': chargeOrder,
  '>=': chargeOrder,
  '[]': chargeKey,
  '[?]': chargeKey,
  '+': (a, b) => {
    for (const operand of [a, b]) spend(Array.isArray(operand) ? operand.length : textLength(operand))
  },
  in: (value, list) => {
    if (!Array.isArray(list)) return
    spend(list.length * COMPARISON)
    if (typeof value === 'string' || typeof value === 'object') for (const item of list) chargeComparison(value, item)
  },
}

/** Patterns as they are met: those of the configuration, and those that are made of a request. Emptied when full. */
const compiled = new Map<string, LinearPattern>()
const MOST_COMPILED = 500

/** Costs of compiling, in characters looked at: for each character of a pattern, and for each instruction of its program. */
const OF_A_CHARACTER = 512
const OF_AN_INSTRUCTION = 64

/** A character may be looked at by each instruction of a program. A search that may take long counts as this one. */
const LONG_SEARCH = 1_280_000

/**
 * Whether some part of a text matches a pattern in RE2's syntax; throws a `RangeError` for an invalid one.
 *
 * @param isLiteral whether the pattern is one of the configuration. Any other counts at each use, compiled or known
 */
export function matchesLinearly(text: string, pattern: string, isLiteral = false): boolean {
  if (!isLiteral) spend(pattern.length * OF_A_CHARACTER)
  if (compiled.size >= MOST_COMPILED) compiled.clear()
  const expression = getOrMake(compiled, pattern, () => compileMatch(pattern))
  if (!isLiteral) spend(expression.size * OF_AN_INSTRUCTION)
  spend(Math.min(text.length * expression.size, LONG_SEARCH))
  const found = expression.test(text)
  // All further work fails too.
  if (found === undefined) spend(Number.POSITIVE_INFINITY)
  return found ?? false
}

export function compileMatch(pattern: string): LinearPattern {
  try {
    return new LinearPattern(pattern)
  } catch (error) {
    throw new RangeError(`invalid pattern: ${(error as Error).message}`)
  }
}
