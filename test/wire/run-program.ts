// Runs the program as a process, and collects its output.

import { type ChildProcess, spawn } from 'node:child_process'
import { PROGRAM } from '../support/built-program.ts'

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Starts the program with nothing in its environment but `PATH` and `environment`. */
export function run(args: readonly string[], environment: Record<string, string> = {}) {
  return follow(process.execPath, [PROGRAM, ...args], environment)
}

/** Starts the program with files of at most 4 kB, as where a disk is full. */
export const runWithSmallFiles = (args: readonly string[]) =>
  follow('sh', ['-c', 'ulimit -f 8; exec "$@"', 'sh', process.execPath, PROGRAM, ...args])

function follow(command: string, args: readonly string[], environment: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH ?? '', ...environment }
  const child: ChildProcess = spawn(command, args, { env })
  let out = ''
  let err = ''
  child.stderr?.on('data', chunk => {
    err += chunk
  })
  const ended = new Promise<Ended>(resolve => child.on('close', code => resolve({ code, out, err })))
  /** Resolves when standard output contains the text; rejects if it ends before. */
  const until = (text: string) =>
    new Promise<string>((resolve, reject) => {
      child.stdout?.on('data', () => out.includes(text) && resolve(out))
      void ended.then(({ err }) => reject(new Error(`it ended without "${text}": ${err}`)))
    })
  child.stdout?.on('data', chunk => {
    out += chunk
  })
  const untilError = (text: string) =>
    new Promise<void>(resolve => {
      const look = () => err.includes(text) && resolve()
      child.stderr?.on('data', look)
      look()
    })
  return {
    ended,
    until,
    untilError,
    stop: () => child.kill('SIGTERM'),
    kill: () => child.kill('SIGKILL'),
    interrupt: () => child.kill('SIGINT'),
  }
}
