// The used part of each quota, by a world's clock.

import { Table } from './table.ts'

/**
 * A number of requests in a time in milliseconds: in windows that begin with the first, or, with `burst`, from a token
 * bucket.
 */
export interface Quota {
  readonly limit: number
  readonly window: number
  readonly burst: number | undefined
}

export interface Taken {
  readonly allowed: boolean
  /** How many more would be allowed now. */
  readonly remaining: number
  /** Milliseconds until one more is allowed, where none is; else until all of the quota is back. */
  readonly reset: number
}

/** A window: when it began, and how many it has seen. A bucket: when it was looked at, and how much time it needed then. */
interface QuotaUse {
  at: number
  count: number
}

const MOST_QUOTAS = 10_000

/** The uses of one quota, by key. */
export class Quotas extends Table<QuotaUse> {
  constructor() {
    super({ max: MOST_QUOTAS })
  }

  protected write({ at, count }: QuotaUse): unknown {
    return [at, count]
  }

  protected read(value: unknown): QuotaUse {
    const [at, count] = value as [number, number]
    return { at, count }
  }

  /** Takes one atomically, if one is left. */
  take(key: string, quota: Quota, now: number): Taken {
    const before = this.onChange && this.at(key)
    let use = this.values.get(key)
    if (use === undefined) {
      use = { at: now, count: 0 }
      this.values.set(key, use)
    }
    const taken =
      quota.burst === undefined ? takeFromWindow(use, quota, now) : takeFromBucket(use, quota, quota.burst, now)
    // One that is not allowed leaves the quota as it was, but for the time of the last look.
    if (taken.allowed) this.onChange?.(key, this.at(key), before)
    return taken
  }
}

function takeFromWindow(use: QuotaUse, { limit, window }: Quota, now: number): Taken {
  // A clock may have been set back: a window of the future is none.
  if (now >= use.at + window || now < use.at) {
    use.at = now
    use.count = 0
  }
  const allowed = use.count < limit
  if (allowed) use.count += 1
  return { allowed, remaining: limit - use.count, reset: use.at + window - now }
}

/** Tolerance of sums of fractions of a millisecond, which are not exact: a microsecond. */
const TOLERANCE = 0.001

/** The generic cell rate algorithm (ITU-T I.371): a bucket is as empty as the time it needs to be full. */
function takeFromBucket(use: QuotaUse, { limit, window }: Quota, burst: number, now: number): Taken {
  const each = window / limit
  const size = burst * each
  const missing = now < use.at ? 0 : Math.max(0, use.count - (now - use.at))
  const allowed = missing + each <= size + TOLERANCE
  use.at = now
  use.count = allowed ? missing + each : missing
  const remaining = Math.floor((size - use.count + TOLERANCE) / each)
  return { allowed, remaining, reset: allowed ? use.count : missing + each - size }
}
