// Starts the program and collects its output.

import { type ChildProcess, spawn } from 'node:child_process'
import { PROGRAM } from '../support/built-program.ts'

export function understudy(...args: string[]): ChildProcess & { output(): string } {
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...args], {
    env: { ...process.env, NO_COLOR: '1' },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', chunk => (text += chunk))
  return Object.assign(child, { output: () => text })
}

export const FREE_PORTS = ['--port', '0', '--control-port', '0']

/** Returns the origin of the API that the program serves, once it has said so. */
export const originOf = (child: { output(): string }): string | undefined =>
  /API +(http:\/\/[^/\s]+)/.exec(child.output())?.[1]
