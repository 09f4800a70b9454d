// The surroundings of an engine in a test: no timers, and recorded warnings.

import type { Surroundings } from '../../../src/state/surroundings.ts'

export interface TestSurroundings extends Surroundings {
  readonly warnings: string[]
  /** Runs every task that repeats once. */
  tick(): void
}

export function surroundings(pid = 1, running: (pid: number) => boolean = () => true): TestSurroundings {
  const warnings: string[] = []
  const tasks = new Set<() => void>()
  let now = 0
  return {
    owner: { pid, host: 'here', started: '2026-01-01T00:00:00Z', mark: '' },
    isRunning: owner => running(owner.pid),
    now: () => (now += 1000),
    every(_, task) {
      tasks.add(task)
      return () => void tasks.delete(task)
    },
    breathe: async () => {},
    sleep: async () => {},
    warn: message => void warnings.push(message),
    warnings,
    tick() {
      for (const task of tasks) task()
    },
  }
}
