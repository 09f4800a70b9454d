// Costs of the functions and operators of the expression language, which count against the budget of its loops.

import { spend, spendSteps } from './budget.ts'
import type { SyntaxNode } from './syntax-tree.ts'

type Charge = (first: unknown, second: unknown) => void
type ChargeCall = (operands: readonly unknown[]) => void

/** Listing the keys of a large object takes as long as looking at this many characters for each. */
const KEY = 8
/** Comparing two values takes as long as looking at this many characters. */
const COMPARISON = 16
/** V8 searches for a longer text in time proportional to the product of both lengths. */
const LONGEST_LINEAR = 250
/** Characters that such a search compares in the time that is counted for one. */
const COMPARED_AT_ONCE = 32

/**
 * Makes each function and operator of a tree count the length of its operands before it runs. To be called once a tree is
 * checked.
 */
export function boundWork(nodes: Iterable<SyntaxNode>): void {
  for (const node of nodes) {
    const charge = chargeOf(node)
    const { handle } = node
    if (charge === undefined || handle === undefined) continue
    const bounded = (first: unknown, second: unknown, ...rest: unknown[]): unknown => {
      charge(first, second)
      return handle(first, second, ...rest)
    }
    node.handle = (first, second, ...rest) =>
      first instanceof Promise || second instanceof Promise
        ? Promise.all([first, second]).then(([a, b]) => bounded(a, b, ...rest))
        : bounded(first, second, ...rest)
  }
}

function chargeOf({ op, args }: SyntaxNode): Charge | undefined {
  if (op === 'comprehension') return iterable => spend(KEY * keysOf(iterable))
  if (op !== 'call' && op !== 'rcall') return Object.hasOwn(OPERATORS, op) ? OPERATORS[op] : undefined
  const name = String((args as readonly unknown[])[0])
  const charge = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : /^get[A-Z]/.test(name) ? chargeZone : chargeAll
  return operands => charge?.(operands as readonly unknown[])
}

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : 0

const keysOf = (value: unknown): number =>
  typeof value === 'object' && value !== null && value.constructor === Object ? Object.keys(value).length : 0

const chargeNothing: ChargeCall = () => {}

const chargeAll: ChargeCall = operands => {
  for (const operand of operands) spend(lengthOf(operand))
}

const chargeSearch: ChargeCall = ([text, part]) => {
  const [length, sought] = [lengthOf(text), lengthOf(part)]
  spend(length)
  if (sought > LONGEST_LINEAR) spend((Math.max(0, length - sought) * sought) / COMPARED_AT_ONCE)
}

/** A formatter for a time zone is made for each call. */
const chargeZone: ChargeCall = ({ length }) => spendSteps(length > 1 ? 20 : 0)

const FUNCTIONS: Readonly<Record<string, ChargeCall>> = {
  // Counts for itself.
  linearMatches: chargeNothing,
  substring: chargeNothing,
  at: chargeNothing,
  dyn: chargeNothing,
  type: chargeNothing,
  startsWith: ([, part]) => spend(lengthOf(part)),
  endsWith: ([, part]) => spend(lengthOf(part)),
  contains: chargeSearch,
  indexOf: chargeSearch,
  lastIndexOf: chargeSearch,
  split: chargeSearch,
  size: ([value]) => spend(lengthOf(value) + KEY * keysOf(value)),
  join: ([list, separator]) => {
    if (!Array.isArray(list)) return
    spend(list.length * (COMPARISON + lengthOf(separator)))
    for (const item of list) spend(lengthOf(item))
  },
  // The library backtracks over digits without a unit.
  duration: ([text]) => spend(lengthOf(text) ** 3 / COMPARED_AT_ONCE),
  uint: ([text]) => spend(lengthOf(text) ** 2 / COMPARED_AT_ONCE),
}

/** Counts a comparison of two values. Those of different lengths are unequal at once. */
function chargeComparison(a: unknown, b: unknown): void {
  if (typeof a === 'string') spend(lengthOf(b) === a.length ? a.length : 0)
  else if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return
    spend(a.length * COMPARISON)
    for (const [i, item] of a.entries()) chargeComparison(item, b[i])
  } else if (isMap(a) && isMap(b)) {
    spend((keysOf(a) + keysOf(b)) * COMPARISON)
    for (const [key, member] of Object.entries(a)) if (Object.hasOwn(b, key)) chargeComparison(member, b[key])
  }
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && value.constructor === Object

const chargeOrder: Charge = (a, b) => spend(Math.min(lengthOf(a), lengthOf(b)))

const OPERATORS: Readonly<Record<string, Charge>> = {
  '==': chargeComparison,
  '!=': chargeComparison,
  '<': chargeOrder,
  '<=': chargeOrder,
  '>': chargeOrder,
  '>=': chargeOrder,
  '+': (a, b) => {
    for (const operand of [a, b]) spend(Array.isArray(operand) ? operand.length : lengthOf(operand))
  },
  in: (value, list) => {
    if (!Array.isArray(list)) return
    spend(list.length * COMPARISON)
    if (typeof value === 'string' || typeof value === 'object') for (const item of list) chargeComparison(value, item)
  },
}
