// Loaded into every subject before its own code: tells the bench, over IPC, what the process has used so far.

import { getHeapCodeStatistics } from 'node:v8'

/** What is asked before and after every sample: to answer takes microseconds, however large the heap. */
export interface Usage {
  /** User and system time of the process since it began, in microseconds. */
  readonly cpu: number
  /** Bytes resident at most, since it began. */
  readonly peak: number
}

export type Question = 'usage' | 'heap'

process.on('message', (question: Question) => {
  if (question === 'usage') process.send?.({ usage: usage() })
  else if (question === 'heap') process.send?.({ heap: heap() })
})
// Listening must not be what keeps a subject alive.
process.channel?.unref()

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpu: user + system, peak: process.resourceUsage().maxRSS * 1024 }
}

/**
 * Bytes live on the heap, to find which looks at all of it; without the code that the engine compiles of what runs often,
 * which goes on growing for thousands of reloads and is nobody's leak.
 */
function heap(): number {
  // What the first collection releases, the second finds.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics()
  return heapUsed + external - code - bytecode
}
