// Waits until no client connects any more, before a port is closed: closing it resets the connections that wait there.

/** It is quiet when nothing has arrived for `QUIET`; the wait ends after `LONGEST`, both in milliseconds. */
const [QUIET, LONGEST] = [20, 1000]

/** Resolves in a later turn of the event loop, after it has accepted the connections that waited. */
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/**
 * Resolves when `arrivals` has not changed for `QUIET`. In that time a blocked event loop may have accepted nothing, so that
 * one more turn without an arrival must pass, and this turn must be shorter than `QUIET`.
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
    await turn()
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
  await turn()
  await turn()
}
