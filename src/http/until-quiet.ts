// Waits until the connections that have reached a port are accepted.

import { breathe } from '../world/real-time.ts'

/** It is quiet when nothing has arrived for `QUIET`; the wait ends after `LONGEST`, both in milliseconds. */
const [QUIET, LONGEST] = [20, 1000]

/**
 * Resolves when `arrivals` has not changed for `QUIET`: closing a port resets the connections that wait there. In that time a
 * blocked event loop may have accepted nothing, so that one more turn without an arrival must pass, and this turn must be
 * shorter than `QUIET`.
 *
 * @param arrivals a number that each connection changes
 * @param isPending whether connections are still being passed on
 */
export async function untilQuiet(arrivals: () => number, isPending: () => boolean = () => false): Promise<void> {
  const end = performance.now() + LONGEST
  let seen = arrivals()
  let last = performance.now()
  let isLate = false
  for (let before = last; ; ) {
    await breathe()
    const now = performance.now()
    const wasBlocked = now - before >= QUIET && now <= end
    before = now
    const isNew = arrivals() !== seen || isPending()
    if (isLate && !isNew && !wasBlocked) return
    if (isNew) {
      if (now > end) return
      seen = arrivals()
      last = now
    }
    isLate = now >= last + QUIET
  }
}

/** Accepts the connections that wait in line, where no client is expected to connect. */
export async function acceptWaiting(): Promise<void> {
  await breathe()
  await breathe()
}
