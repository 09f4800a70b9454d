// Loaded into every subject before its own code: tells the bench, over IPC, what the process has used so far.

import { getHeapCodeStatistics } from 'node:v8'

/** What is asked before and after every sample: to answer takes microseconds, however large the heap. */
export interface Usage {
  /** User and system time of the process since it began, in microseconds. */
  readonly cpu: number
  /** Bytes resident at most, since it began. */
  readonly peak: number
}

/** What is there once garbage has been collected: to answer looks at the whole heap. */
export interface Memory {
  /** Bytes resident. */
  readonly rss: number
  /**
   * Bytes live on the heap; without the code that the engine compiles of what runs often, which goes on growing for thousands
   * of reloads and is nobody's leak.
   */
  readonly heap: number
}

export type Question = 'usage' | 'memory'

process.on('message', (question: Question) => {
  if (question === 'usage') process.send?.({ usage: usage() })
  else if (question === 'memory') process.send?.({ memory: memory() })
})
// Listening must not be what keeps a subject alive.
process.channel?.unref()

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpu: user + system, peak: process.resourceUsage().maxRSS * 1024 }
}

function memory(): Memory {
  // What the first collection releases, the second finds.
  globalThis.gc?.()
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics()
  return { rss, heap: heapUsed + external - code - bytecode }
}
