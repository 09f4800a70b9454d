// Starts the program and waits for its banner; ends it as an orchestrator would.

import { spawn } from 'node:child_process'

export interface Program {
  /** Of the API, base path included, and of the control plane. */
  readonly url: string
  readonly control: string
  /** Sends SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>
}

export async function startProgram(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Program> {
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  let text = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      text += chunk
      if (text.includes('curl ')) resolve()
    })
    void ended.then(code => reject(new Error(`it ended with ${code} before it was up:\n${text}`)))
  })
  const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
  return {
    url: find(/^ *API +(\S+)/m),
    control: find(/^ *Control plane +(\S+)/m),
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}
