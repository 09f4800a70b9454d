// The values of a long `enum` as a set: the validator and the generator look values up in the same one.

const sets = new WeakMap<readonly unknown[], ReadonlySet<unknown>>()

/** Returns the values of a list of a schema, which never changes. */
export function scalarsOf(list: readonly unknown[]): ReadonlySet<unknown> {
  let set = sets.get(list)
  if (set === undefined) {
    set = new Set(list)
    sets.set(list, set)
  }
  return set
}
