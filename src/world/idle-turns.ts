// Work that may wait: when it has its turn, and how much of the time it may take.

import type { Clock } from './clock.ts'
import { breathe, monotonic } from './real-time.ts'

/**
 * Returns a function that runs work when it has its turn, and says whether it does: it refuses work while `most` pieces wait or run.
 *
 * @param fail gets the error of a piece
 * @param turn resolves when a piece may begin; default: after other pending work
 */
export function createAside(
  most: number,
  fail: (error: unknown) => void,
  turn: () => Promise<void> = breathe,
): (work: () => Promise<unknown>) => boolean {
  let pieces = 0
  return work => {
    if (pieces >= most) return false
    pieces += 1
    turn()
      .then(work)
      .catch(fail)
      .finally(() => (pieces -= 1))
    return true
  }
}

/** Milliseconds that are waited for an idle process: first, and where it was busy. A look takes 0.05 ms of the processor. */
const [FIRST_PAUSE, LONG_PAUSE] = [2, 50]
/** The share of the time that work may take from a busy process. */
const SHARE = 0.01

/**
 * The turns of work that may wait: `next` resolves for one caller after the other, when the process is idle. In a busy one it resolves
 * as seldom as keeps the work to 1 % of the time.
 *
 * @param cost the milliseconds that a turn takes; `spend` adds more
 * @param done counts what the process does: it is idle where that stays the same
 */
export function createIdleTurns(clock: Pick<Clock, 'sleep' | 'doze'>, cost: number, done: () => number) {
  let last = Promise.resolve()
  /** The milliseconds until there was enough time for the work up to now. */
  let rest = 0
  const spend = (milliseconds: number): void => {
    rest += milliseconds / SHARE
  }
  const wait = async (): Promise<void> => {
    for (let [pause, isIdle] = [FIRST_PAUSE, false]; !isIdle; pause = Math.min(rest, LONG_PAUSE)) {
      const before = done()
      await (clock.doze?.(pause) ?? clock.sleep(pause))
      rest = Math.max(0, rest - pause)
      isIdle = rest === 0 || done() === before
    }
    spend(cost)
  }
  return { next: () => (last = last.then(wait)), spend }
}

/**
 * A share of the time for work: `has` says whether there is some left, and `spend` takes it. After a rest, `most` milliseconds may be
 * taken at once.
 */
export function createBudget(share: number, most: number, now = monotonic) {
  let [left, since] = [most, now()]
  return {
    has(): boolean {
      const before = since
      since = now()
      left = Math.min(most, left + (since - before) * share)
      return left > 0
    },
    spend(milliseconds: number): void {
      left -= milliseconds
    },
  }
}
