// Several measurements of one thing.

export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: percentile(sorted, 0.5), min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN }
}

/** The median of sorted numbers. */
export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Returns the median, and the values between which half of them are. */
export function middleOf(values: readonly number[]): {
  readonly value: number
  readonly half: [from: number, to: number]
} {
  const sorted = values.toSorted((a, b) => a - b)
  return { value: percentile(sorted, 0.5), half: [percentile(sorted, 0.25), percentile(sorted, 0.75)] }
}
