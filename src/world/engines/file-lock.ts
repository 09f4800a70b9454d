// Keeps a second process from a log file: a lock file beside it that names its owner. A lock whose owner is gone is taken.

import { closeSync, openSync, readFileSync, statSync, unlinkSync, utimesSync, writeSync } from 'node:fs'
import { type EngineSurroundings, type ProcessIdentity, StateRefused } from './engine.ts'

/** Another process uses the file. */
export class FileInUse extends StateRefused {
  override readonly name = 'FileInUse'
}

/** The owner renews its lock this often, in milliseconds: the owner on another machine can only be seen so. */
const RENEW = 2000
/** The age after which an unrenewed lock of another machine is stale. */
const STALE = 10_000

/**
 * Locks a file; throws `FileInUse` with the name of the process that uses it.
 *
 * @returns unlocks it
 */
export function lockFile(file: string, around: EngineSurroundings): () => void {
  const lock = `${file}.lock`
  for (let attempt = 0; ; attempt++) {
    try {
      const handle = openSync(lock, 'wx')
      writeSync(handle, JSON.stringify(around.owner))
      closeSync(handle)
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 3) throw error
      const owner = readOwner(lock)
      if (owner !== undefined && isAlive(owner, lock, around)) {
        const { pid, host, started } = owner
        throw new FileInUse(`${file} is used by process ${pid} on ${host}, which runs since ${started}`)
      }
      around.warn('removed the lock of a process that has ended', { file: lock, owner })
      forget(lock)
    }
  }
  const stop = around.every(RENEW, () => renew(lock, around.now()))
  return () => {
    stop()
    // Do not remove the lock of another process that took over a stale one.
    if (isSame(readOwner(lock), around.owner)) forget(lock)
  }
}

function readOwner(lock: string): ProcessIdentity | undefined {
  try {
    const owner = JSON.parse(readFileSync(lock, 'utf8')) as Partial<ProcessIdentity>
    const { pid, host, started, mark = '' } = owner
    return typeof pid === 'number' && typeof host === 'string' && typeof started === 'string'
      ? { pid, host, started, mark }
      : undefined
  } catch {
    return undefined
  }
}

function isAlive(owner: ProcessIdentity, lock: string, around: EngineSurroundings): boolean {
  if (owner.host === around.owner.host) return around.isRunning(owner)
  try {
    return around.now() - statSync(lock).mtimeMs < STALE
  } catch {
    return false
  }
}

const isSame = (a: ProcessIdentity | undefined, b: ProcessIdentity): boolean =>
  a !== undefined && a.pid === b.pid && a.host === b.host && a.started === b.started

function forget(lock: string): void {
  try {
    unlinkSync(lock)
  } catch {
    // It is gone already.
  }
}

function renew(lock: string, now: number): void {
  try {
    utimesSync(lock, now / 1000, now / 1000)
  } catch {
    // The lock was removed by hand: the log is still written.
  }
}
