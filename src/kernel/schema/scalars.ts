// Judgements of scalars that the validator and the generator share.

const sets = new WeakMap<readonly unknown[], ReadonlySet<unknown>>()

/** Returns the values of a long `enum` as a set. */
export function scalarsOf(list: readonly unknown[]): ReadonlySet<unknown> {
  let set = sets.get(list)
  if (set === undefined) {
    set = new Set(list)
    sets.set(list, set)
  }
  return set
}

/**
 * Returns whether a number is a multiple of another as their decimal texts are: 19.99 is one of 0.01. As doubles it is not,
 * because 19.99 / 0.01 is 1998.9999999999998.
 */
export function isMultipleOf(value: number, step: number): boolean {
  const times = value / step
  if (Number.isInteger(times)) return true
  if (!Number.isFinite(times) || (Number.isInteger(value) && Number.isInteger(step))) return false
  // Fifteen digits are what a double keeps of a decimal.
  return Number((Math.round(times) * step).toPrecision(15)) === Number(value.toPrecision(15))
}
