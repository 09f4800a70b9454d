// The surroundings of an engine that are real, except that its warnings are collected.

import { hostname } from 'node:os'
import type { Surroundings } from '../../src/state/surroundings.ts'
import { realClock } from '../../src/world/clock.ts'
import { breathe, every } from '../../src/world/real-time.ts'

export function surroundings(): Surroundings & { readonly warnings: string[] } {
  const warnings: string[] = []
  return {
    owner: { pid: process.pid, host: hostname(), started: '', mark: '' },
    isRunning: () => true,
    now: () => Date.now(),
    every,
    breathe,
    sleep: (milliseconds, signal) => realClock.sleep(milliseconds, signal),
    warn: message => void warnings.push(message),
    warnings,
  }
}
