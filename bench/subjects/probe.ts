// Loaded into every subject before its own code: tells the bench, over IPC, what the process has used so far.

export interface Usage {
  /** User and system time of the process since it began, in microseconds. */
  readonly cpu: number
  /** Bytes: resident now, resident at most, and live on the heap. */
  readonly rss: number
  readonly peakRss: number
  readonly heap: number
}

process.on('message', (message: { readonly usage?: boolean; readonly collect?: boolean }) => {
  if (message.usage !== true) return
  if (message.collect === true) globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, external } = process.memoryUsage()
  const usage: Usage = {
    cpu: user + system,
    rss,
    peakRss: process.resourceUsage().maxRSS * 1024,
    heap: heapUsed + external,
  }
  process.send?.({ usage })
})
// Listening must not be what keeps a subject alive.
process.channel?.unref()
