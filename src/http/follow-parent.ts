// Notices that the program which started this one is gone. `npm start` puts a shell in between, which passes no signal on: a
// server that npm started would otherwise keep its port when npm is killed.

import { readFileSync } from 'node:fs'

/** How often to look, in milliseconds. */
const INTERVAL = 250

export interface Parents {
  readonly parent: number
  /** The parent of the parent, if the system provides it. */
  readonly starter: number | undefined
}

/** Returns the ancestors of this process. Call it first, because they may end during loading. */
export function findParents(): Parents {
  return { parent: process.ppid, starter: parentOf(process.ppid) }
}

/**
 * Calls `gone` once when the parent process, or on Linux the parent's parent, has ended.
 *
 * @returns stops looking
 */
export function followParents({ parent, starter }: Parents, gone: () => void): () => void {
  const timer = setInterval(() => {
    if (process.ppid === parent && (starter === undefined || parentOf(parent) === starter)) return
    clearInterval(timer)
    gone()
  }, INTERVAL)
  timer.unref()
  return () => clearInterval(timer)
}

/** Returns the parent of a process from `/proc`, if the system has it. */
function parentOf(pid: number): number | undefined {
  try {
    // The name of the program is in brackets and may contain any character; the state and the parent follow it.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return Number(parent)
  } catch {
    return undefined
  }
}
