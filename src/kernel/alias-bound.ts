// A bound for the values that aliases expand to: a few lines of YAML can stand for billions of them.

/** Returns whether a value has at most `most` values in it, counted at every alias, and no cycle. */
export function isBounded(value: unknown, most: number = MOST_VALUES): boolean {
  const sizes = new Map<object, number>()
  const sizeOf = (item: unknown): number => {
    if (typeof item !== 'object' || item === null) return 1
    const known = sizes.get(item)
    if (known !== undefined) return known
    sizes.set(item, Number.POSITIVE_INFINITY)
    let size = 1
    for (const child of Object.values(item)) size += sizeOf(child)
    sizes.set(item, size)
    return size
  }
  return sizeOf(value) <= most
}

const MOST_VALUES = 5_000_000
