// The program in a separate process with given standard output and error.

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { PROGRAM } from '../support/built-program.ts'
import { freePorts } from '../support/free-ports.ts'
import { until } from '../support/until.ts'

export interface Program {
  readonly child: ChildProcess
  readonly url: string
  readonly control: string
  /** The status of a request to the API, with a key. */
  status(path: string): Promise<number>
  /** The value of a metric without labels. */
  metric(name: string): Promise<number>
  /** Ends it with SIGTERM. Resolves with the exit code, or with the signal if it had to be killed. */
  stop(): Promise<number | string | null>
}

const KEY = { authorization: 'Bearer demo-key' }

/** How often a program is started again because another one took its port. */
const TRIES = 5

/** Starts the shipped configuration, and resolves once it answers. */
export async function startProgram(
  stdio: StdioOptions,
  args: readonly string[] = [],
  node: readonly string[] = [],
): Promise<Program> {
  const file = args.some(arg => arg.endsWith('.yaml')) ? [] : ['config/gateway.yaml']
  for (let tries = 1; ; tries++) {
    // The program does not choose its port: its output may be unreadable.
    const [port, controlPort] = (await freePorts(2)) as [number, number]
    const all = [...node, PROGRAM, 'serve', ...file, ...args, '--port', `${port}`, '--control-port', `${controlPort}`]
    const child = spawn(process.execPath, all, { stdio, env: { PATH: process.env.PATH ?? '' } })
    const ended = new Promise<number | string | null>(resolve =>
      child.once('exit', (code, signal) => resolve(code ?? signal)),
    )
    const control = `http://127.0.0.1:${controlPort}`
    const isReady = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return 'ended'
      const reply = await fetch(`${control}/readyz`).catch(() => undefined)
      await reply?.arrayBuffer()
      return reply?.ok === true ? 'ready' : undefined
    }
    const outcome = await until(isReady).catch(error => {
      child.kill('SIGKILL')
      throw error
    })
    if (outcome === 'ready') return programOf(child, ended, `http://127.0.0.1:${port}`, control)
    if (tries === TRIES) throw new Error(`it ended before it served: ${await ended}`)
  }
}

const programOf = (
  child: ChildProcess,
  ended: Promise<number | string | null>,
  url: string,
  control: string,
): Program => ({
  child,
  url,
  control,
  status: async path => {
    const reply = await fetch(url + path, { headers: KEY, signal: AbortSignal.timeout(120_000) })
    await reply.arrayBuffer()
    return reply.status
  },
  metric: async name => {
    const page = await (await fetch(`${control}/metrics`)).text()
    return Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (.*)$`, 'm').exec(page)?.[1])
  },
  stop: async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 120_000)
    const code = await ended
    clearTimeout(timer)
    return code
  },
})
