// Distributions as quantile functions: they map a number in [0, 1) to a value. Pure arithmetic, without clock or randomness.

/** Returns the value below which the given share of all draws lies. */
export type Quantile = (share: number) => number

export const fixed =
  (value: number): Quantile =>
  () =>
    value

export const uniform =
  (min: number, max: number): Quantile =>
  share =>
    min + share * (max - min)

/** Values below zero become zero. */
export const normal =
  (mean: number, deviation: number): Quantile =>
  share =>
    Math.max(0, mean + deviation * normalScore(share))

const P99 = 2.3263478740408408

export function lognormal(p50: number, p99: number): Quantile {
  const deviation = Math.log(p99 / p50) / P99
  return share => p50 * Math.exp(deviation * normalScore(share))
}

/** A share in (0, 1], and the value that this share of all draws does not exceed. */
export interface Knot {
  readonly share: number
  readonly value: number
}

/**
 * A distribution that passes through the knots and rises between them: a monotone cubic in the logarithm of the value
 * (Fritsch and Carlson, 1980). At a knot it is half as steep as the flatter side, so that a sample's percentile lies near
 * the stated one.
 *
 * @param min the value at a share of 0
 * @param knots rising in both, and the values above 0
 */
export function throughPercentiles(min: number, knots: readonly Knot[]): Quantile {
  const shares = [0, ...knots.map(({ share }) => share)]
  // log(0) is −∞, so clamp to 1 µs, which a timer rounds to 0.
  const logs = [min, ...knots.map(({ value }) => value)].map(value => Math.log(Math.max(value, 0.001)))
  const last = shares.length - 1
  const secants = shares.slice(1).map((share, i) => (logs[i + 1]! - logs[i]!) / (share - shares[i]!))
  const slopes = shares.map((_, i) => {
    if (i === 0) return secants[0]!
    // The largest value is an extreme, not a neighbour: the last stretch rises late.
    return i === last ? 3 * secants[last - 1]! : Math.min(secants[i - 1]!, secants[i]!) / 2
  })
  return share => {
    if (share >= shares[last]!) return Math.exp(logs[last]!)
    let i = 0
    while (share >= shares[i + 1]!) i += 1
    const width = shares[i + 1]! - shares[i]!
    const t = (share - shares[i]!) / width
    const [y0, y1, m0, m1] = [logs[i]!, logs[i + 1]!, slopes[i]! * width, slopes[i + 1]! * width]
    return Math.exp(y0 + t * (m0 + t * (3 * (y1 - y0) - 2 * m0 - m1 + t * (2 * (y0 - y1) + m0 + m1))))
  }
}

/** Returns the quantile of the standard normal distribution, to 0.00045 (Abramowitz and Stegun, 26.2.23). */
function normalScore(share: number): number {
  if (share > 0.5) return -normalScore(1 - share)
  // A draw has 32 bits: keep half a step away from 0 and 1.
  const t = Math.sqrt(-2 * Math.log(Math.max(share, 2 ** -33)))
  const above = 2.515517 + t * (0.802853 + t * 0.010328)
  return above / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t
}
