// The longest step of the event loop in processor time, which a busy machine hardly changes.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { until } from '../support/until.ts'
import { type Program, startProgram } from './program.ts'

/** Milliseconds: several times what was measured on a slow machine, and a fraction of what work without a bound takes. */
const BOUND = 2000

interface Steps {
  /** The longest, in milliseconds. */
  readonly longest: number
  readonly steps: number
}

/** Runs the program with a document, and gives a function that returns the steps since its last call. */
export async function withSteps(
  args: (folder: string) => readonly string[],
  run: (program: Program, folder: string, steps: () => Promise<Steps>) => Promise<string>,
): Promise<string> {
  // Elsewhere the processor time of one thread cannot be read.
  if (!existsSync('/proc/self/schedstat')) return 'skipped: there is no /proc'
  const folder = mkdtempSync(join(tmpdir(), 'understudy-steps-'))
  try {
    const file = join(folder, 'steps.json')
    const watcher = pathToFileURL(join(import.meta.dirname, 'longest-step.mjs'))
    watcher.searchParams.set('file', file)
    const program = await startProgram('ignore', args(folder), ['--import', watcher.href])
    const steps = async () => {
      rmSync(file, { force: true })
      program.child.kill('SIGUSR2')
      await until(() => existsSync(file))
      return JSON.parse(readFileSync(file, 'utf8')) as Steps
    }
    try {
      await steps()
      return await run(program, folder, steps)
    } finally {
      await program.stop()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export function outcomeOf({ longest, steps }: Steps, what: string): string {
  assert.ok(longest < BOUND, `the longest of ${steps} steps took ${longest} ms of processor time`)
  return `${what}, the longest of ${steps} steps took ${longest.toFixed(0)} ms of processor time`
}
