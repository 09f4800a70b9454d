// The times between the items of a stream, on the clock of its world.

import type { Exchange, Site } from '../../behaviours/behaviour.ts'
import { compileQuantile, type LatencyConfig } from '../../behaviours/latency.ts'
import { fixed, type Quantile } from '../../kernel/distribution.ts'
import type { Path } from '../../kernel/file/source.ts'
import { parseDuration } from '../../kernel/units.ts'
import type { Pace } from './config.ts'
import { HEARTBEAT, type Streams } from './observe.ts'

const NONE: Quantile = fixed(0)

/** Compiles a time: no time where none is written. */
export function compilePace(pace: Pace | undefined, at: Path, site: Site): Quantile {
  if (pace === undefined) return NONE
  if (typeof pace === 'string') return fixed(parseDuration(pace) ?? 0)
  const error: Site['error'] = (code, message, path = [], ...rest) =>
    site.error(code, message, [...at, ...path], ...rest)
  return compileQuantile(pace as LatencyConfig, { error }) ?? NONE
}

/**
 * Waits by the world's clock: a moved clock ends the wait when its time has come, and a frozen one holds it. Resolves early when the
 * client leaves.
 *
 * @returns whether the time has come; else a heartbeat is due
 */
export async function waitUntil(due: number, exchange: Exchange, streams: Streams | undefined): Promise<boolean> {
  const { world, request, clock } = exchange
  const { signal } = request
  if (clock !== world.clock || streams === undefined) {
    await clock.sleep(due - clock.now(), signal)
    return true
  }
  const until = streams.clock.now() + HEARTBEAT
  for (;;) {
    const left = due - clock.now()
    if (left <= 0 || signal?.aborted === true || streams.isStopped) return true
    const idle = until - streams.clock.now()
    if (idle <= 0) return false
    const { rate } = world.clock.state
    const real = rate === 0 ? idle : Math.min(left / rate, idle)
    await streams.sleep(real, world, signal)
  }
}
