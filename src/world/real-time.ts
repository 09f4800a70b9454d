// Real time: durations, intervals, and the turns that work takes in the process.

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
