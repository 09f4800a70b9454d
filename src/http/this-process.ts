// The identity of this process, and whether another one still runs: for locks.

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { ProcessIdentity } from '../world/engines/engine.ts'

const STARTED = new Date(Date.now() - process.uptime() * 1000).toISOString()

export const thisProcess = (): ProcessIdentity => ({
  pid: process.pid,
  host: hostname(),
  started: STARTED,
  mark: markOf(process.pid),
})

/** Whether a process of this machine runs, and is not a later one that got its id. */
export function isRunning({ pid, mark = '' }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process runs, too.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const found = markOf(pid)
  return found === '' || mark === '' || found === mark
}

/** Distinguishes a process from a later one with the same id: its start in ticks since the boot. Empty except on Linux. */
function markOf(pid: number): string {
  try {
    // The name of the program, in brackets, may hold blanks.
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? ''
    )
  } catch {
    return ''
  }
}
