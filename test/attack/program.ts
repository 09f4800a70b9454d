// The program in a process of its own, with whatever standard output and error it is given.

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PROGRAM } from '../support/built-program.ts'

export interface Program {
  readonly child: ChildProcess
  readonly url: string
  readonly control: string
  /** The status of a request to the API, with a key. */
  status(path: string): Promise<number>
  /** The value of a metric without labels. */
  metric(name: string): Promise<number>
  /** Ends it with SIGTERM; the exit code, or the signal where it had to be killed. */
  stop(): Promise<number | string | null>
}

const KEY = { authorization: 'Bearer demo-key' }

/** Starts the shipped configuration, and resolves once it answers. */
export async function startProgram(
  stdio: StdioOptions,
  args: readonly string[] = [],
  node: readonly string[] = [],
): Promise<Program> {
  const [port, controlPort] = [await freePort(), await freePort()]
  const file = args.some(arg => arg.endsWith('.yaml')) ? [] : ['config/gateway.yaml']
  const all = [...node, PROGRAM, 'serve', ...file, ...args]
  const child = spawn(process.execPath, [...all, '--port', `${port}`, '--control-port', `${controlPort}`], {
    stdio,
    env: { PATH: process.env.PATH ?? '' },
  })
  const ended = new Promise<number | string | null>(resolve =>
    child.once('exit', (code, signal) => resolve(code ?? signal)),
  )
  const control = `http://127.0.0.1:${controlPort}`
  const url = `http://127.0.0.1:${port}`
  let over = false
  void ended.then(() => {
    over = true
  })
  for (let tries = 0; ; tries++) {
    if (
      await fetch(`${control}/readyz`).then(
        reply => reply.ok,
        () => false,
      )
    )
      break
    if (over || tries === 300) {
      child.kill('SIGKILL')
      throw new Error(`it ended before it served, or does not serve: ${await ended}`)
    }
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return {
    child,
    url,
    control,
    status: async path => {
      const reply = await fetch(url + path, { headers: KEY, signal: AbortSignal.timeout(10_000) })
      await reply.arrayBuffer()
      return reply.status
    },
    metric: async name => {
      const page = await (await fetch(`${control}/metrics`)).text()
      return Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (.*)$`, 'm').exec(page)?.[1])
    },
    stop: async () => {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
      const code = await ended
      clearTimeout(timer)
      return code
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}
