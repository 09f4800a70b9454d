// Loaded into every subject before its own code: tells the bench, over IPC, what the process has used so far.

import { getHeapCodeStatistics } from 'node:v8'

export interface Usage {
  /** User and system time of the process since it began, in microseconds. */
  readonly cpu: number
  /**
   * Bytes: resident now, resident at most, and live on the heap; without the code that the engine compiles of what runs
   * often, which goes on growing for thousands of reloads and is nobody's leak.
   */
  readonly rss: number
  readonly peakRss: number
  readonly heap: number
}

process.on('message', (message: { readonly usage?: boolean; readonly collect?: boolean }) => {
  if (message.usage !== true) return
  if (message.collect === true) globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, external } = process.memoryUsage()
  const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics()
  const usage: Usage = {
    cpu: user + system,
    rss,
    peakRss: process.resourceUsage().maxRSS * 1024,
    heap: heapUsed + external - code - bytecode,
  }
  process.send?.({ usage })
})
// Listening must not be what keeps a subject alive.
process.channel?.unref()
