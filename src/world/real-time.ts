// Real time: its clock, its timers, and the turns that work takes in the process.

import type { Clock } from './clock.ts'

export const realClock: Clock = {
  // Looked up at each call: a test of the host may have replaced it.
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      // Node treats a time that does not fit 32 bits as none.
      const timer = setTimeout(end, Math.min(milliseconds, 2 ** 31 - 1))
      signal?.addEventListener('abort', end)
    }),
  doze: milliseconds => new Promise(resolve => void setTimeout(resolve, milliseconds).unref()),
}

/** Milliseconds that only go forward: for durations, independent of the world's clock. */
export const monotonic = (): number => performance.now()

/** Calls `task` again and again until the answer is called; never keeps the process alive by itself. */
export function every(milliseconds: number, task: () => void): () => void {
  const timer = setInterval(task, milliseconds)
  timer.unref()
  return () => clearInterval(timer)
}

/** Lets other pending work run first: requests, timers, sockets. */
export const breathe = (): Promise<void> => new Promise(resolve => void setImmediate(resolve))

/** Calls a task once the promises that are settled now have been handled, before anything else has its turn. */
export const afterPromises = (task: () => void): void => process.nextTick(task)

/** Milliseconds that work in steps takes before others have their turn. */
const TURN = 10

/** Returns a function to call at each step of asynchronous work: it lets others have their turn if it is due. */
export function breatheWhenDue(): () => Promise<void> {
  let since = monotonic()
  return async () => {
    if (monotonic() - since < TURN) return
    await breathe()
    since = monotonic()
  }
}
