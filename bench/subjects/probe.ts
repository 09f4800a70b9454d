// Is loaded into every subject before its code. Reports to the bench over IPC the time and memory that the process has used.

import { getHeapCodeStatistics } from 'node:v8'

/** The usage that the bench asks for before and after every sample. It is cheap to determine: microseconds. */
export interface Usage {
  /** User and system time of the process since its start, in microseconds. */
  readonly cpu: number
  /** The maximum of resident bytes since its start. */
  readonly peak: number
}

export type Question = 'usage' | 'heap'

process.on('message', (question: Question) => {
  if (question === 'usage') process.send?.({ usage: usage() })
  else if (question === 'heap') process.send?.({ heap: heap() })
})
// Listening must not keep a subject alive.
process.channel?.unref()

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpu: user + system, peak: process.resourceUsage().maxRSS * 1024 }
}

/**
 * Live bytes of the heap after a full collection, without compiled code, which grows for thousands of reloads and is not a
 * leak.
 */
function heap(): number {
  // The second collection frees what the first one released.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics()
  return heapUsed + external - code - bytecode
}
