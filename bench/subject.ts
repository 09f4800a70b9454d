// A server under test in a separate process: starts it, asks for its usage, ends it.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import type { Question, Usage } from './subjects/probe.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
export const HOME = fileURLToPath(new URL('..', import.meta.url))
export const RESULTS = `${HERE}results`
const BUILT = `${RESULTS}/subjects`
const CLI = `${HOME}dist/cli.js`

export interface Subject {
  readonly name: string
  readonly port: number
  /** The port of the control plane; 0 for a server without one. */
  readonly controlPort: number
  usage(): Promise<Usage>
  /** Live bytes of the heap after a collection. */
  heap(): Promise<number>
  /** Resident bytes as counted by the system. */
  resident(): number
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Iterates forwards in one round and backwards in the next, so that a drift of the machine affects all subjects alike. */
export const inTurn = <Item>(items: readonly Item[], round: number): Item[] =>
  round % 2 === 0 ? [...items] : items.toReversed()

/** Ends every subject that was not stopped, so that a failed bench leaves no process behind. */
export const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** @param about a file of recorded replies; for a proxy the port of the real API */
export const startBare = (name: 'bare-http' | 'bare-koa' | 'bare-proxy', about: string): Promise<Subject> =>
  start(name, [`${BUILT}/${name}.js`, about], child => {
    return new Promise(resolve => {
      child.on('message', ({ port }: { port?: number }) => {
        if (port !== undefined) resolve({ port, controlPort: 0 })
      })
    })
  })

/** Starts the built program on a gateway file, its request log at `warn`. */
export const startUnderstudy = (config: string, ...flags: string[]): Promise<Subject> =>
  start('understudy', [...serving(config), ...flags], announced)

/** Starts a recorder of a real API, into a folder. */
export const startRecorder = (url: string, folder: string): Promise<Subject> =>
  start(
    'recorder',
    [CLI, 'record', '--upstream', url, '--output', folder, '--port', '0', '--control-port', '0'],
    child => announced(child, /Recording .* at http:\/\/[^:]+:(\d+)/, /POST http:\/\/[^:]+:(\d+)/),
  )

/** Starts the built program as a user does, without a probe. Returns also how many milliseconds that took. */
export async function startUnprobed(
  config: string,
  ...flags: string[]
): Promise<Pick<Subject, 'port' | 'controlPort' | 'resident' | 'stop'> & { ready: number; pid: number }> {
  const began = performance.now()
  const child = spawn(process.execPath, [...serving(config), ...flags], {
    cwd: HOME,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const ports = await announced(child)
  return { ready: performance.now() - began, pid: child.pid as number, ...ports, ...outside(child) }
}

const serving = (config: string): string[] => [CLI, 'serve', config, '--port', '0', '--control-port', '0']

/** The ports, once the program says that it serves. */
const announced = (
  child: ChildProcess,
  api = /API +http:\/\/[^:]+:(\d+)/,
  control = /Control plane +http:\/\/[^:]+:(\d+)/,
): Promise<{ port: number; controlPort: number }> =>
  new Promise(resolve => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const port = api.exec(text)?.[1]
      const controlPort = control.exec(text)?.[1]
      if (port !== undefined && controlPort !== undefined) {
        resolve({ port: Number(port), controlPort: Number(controlPort) })
      }
    })
  })

async function start(
  name: string,
  args: readonly string[],
  listening: (child: ChildProcess) => Promise<{ port: number; controlPort: number }>,
): Promise<Subject> {
  const env = { ...process.env, LOG_LEVEL: 'warn' }
  const child = spawn(process.execPath, ['--expose-gc', '--import', `${BUILT}/probe.js`, ...args], {
    cwd: HOME,
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${code} before it was ready`)
  })
  const ports = await Promise.race([listening(child), died])
  died.catch(() => {})
  return {
    name,
    ...ports,
    usage: async () => (await ask(child, 'usage')).usage as Usage,
    heap: async () => (await ask(child, 'heap')).heap as number,
    ...outside(child),
  }
}

/** The operations on a process without a probe. */
const outside = (child: ChildProcess): Pick<Subject, 'resident' | 'stop'> => ({
  resident: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', `${child.pid}`], { encoding: 'utf8' })) * 1024,
  stop: async (signal = 'SIGTERM') => {
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  },
})

/** Resets a gateway, or reloads its files. */
export async function command({ controlPort }: Subject, what: 'reset' | 'reload'): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${controlPort}/${what}`, { method: 'POST' })
  if (!response.ok) throw new Error(`a ${what} was answered with ${response.status}`)
  await response.arrayBuffer()
}

async function ask(child: ChildProcess, question: Question): Promise<{ usage?: Usage; heap?: number }> {
  child.send(question)
  for (;;) {
    const [message] = await once(child, 'message')
    if (question in message) return message
  }
}
