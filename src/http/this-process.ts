// The identity of this process, whether another one still runs (for locks), and whether its parents do. `npm start` puts a shell
// in between, which passes no signal on: a server that npm started would otherwise keep its port when npm is killed.

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { attempted } from '../kernel/memo.ts'
import type { ProcessIdentity } from '../state/surroundings.ts'

const STARTED = new Date(Date.now() - process.uptime() * 1000).toISOString()

export const thisProcess = (): ProcessIdentity => ({
  pid: process.pid,
  host: hostname(),
  started: STARTED,
  mark: startMark(process.pid),
})

/** Whether a process of this machine runs, and is not a later one that got its id. */
export function isRunning({ pid, mark = '' }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process runs, too.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const currentMark = startMark(pid)
  return currentMark === '' || mark === '' || currentMark === mark
}

/** Distinguishes a process from a later one with the same id: its start in ticks since the boot. Empty except on Linux. */
const startMark = (pid: number): string => procFields(pid)[19] ?? ''

const parentOf = (pid: number): string | undefined => procFields(pid)[1]

/** Returns the fields of a process in `/proc`, from its state on; none on systems other than Linux. */
function procFields(pid: number): readonly string[] {
  const text = attempted(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? ''
  // The name of the program is in brackets and may contain any character.
  return text === '' ? [] : text.replace(/^.*\) /s, '').split(' ')
}

/** How often to look, in milliseconds. */
const INTERVAL = 250

interface Parents {
  readonly parent: number
  /** The parent of the parent, if the system provides it. */
  readonly starter: string | undefined
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
