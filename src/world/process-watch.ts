// What the process does: the delays of its event loop, and its collections of garbage.

import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

/** The longest block of the event loop since the last call, in seconds. */
export interface LoopDelay {
  /** The median, the 99th percentile and the longest. */
  read(): { readonly half: number; readonly most: number; readonly max: number }
}

/** Milliseconds between two looks: 50 a second cost a busy process half a percent, 100 one. */
const LOOK = 20

/** Watches the event loop from now on; never keeps the process alive by itself. */
export function watchLoop(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: LOOK })
  histogram.enable()
  // Each value is the whole time between two looks, in nanoseconds.
  const seconds = (value: number): number => (Number.isFinite(value) ? Math.max(0, value / 1e9 - LOOK / 1000) : 0)
  return {
    read() {
      const { max } = histogram
      const [half, most] = [histogram.percentile(50), histogram.percentile(99)]
      const delays = { half: seconds(half), most: seconds(most), max: histogram.count === 0 ? 0 : seconds(max) }
      histogram.reset()
      return delays
    },
  }
}

/** Calls `task` after each full collection of garbage until the answer is called. */
export function afterCollections(task: () => void): () => void {
  const observer = new PerformanceObserver(list => {
    const full = constants.NODE_PERFORMANCE_GC_MAJOR
    const entries = list.getEntries() as readonly { readonly detail?: { readonly kind?: number } }[]
    if (entries.some(({ detail }) => detail?.kind === full)) task()
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}
