// A Redis server for one test file, on a free port, with a folder that is removed afterwards.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-ports.ts'

const PROGRAM = ['redis-server', 'valkey-server'].find(name => spawnSync(name, ['--version']).error === undefined)

/** For `test(name, { skip: NO_REDIS }, …)`: the reason why Redis is not available; `false` if it is. */
export const NO_REDIS: string | false = PROGRAM === undefined ? 'redis-server is not installed' : false

export class RedisServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'understudy-redis-'))
  readonly #args: readonly string[]
  #child: ChildProcess | undefined
  port = 0

  constructor(...args: string[]) {
    this.#args = args
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /**
   * Starts it, again on the same port. Keeps every write that it acknowledged, also when it is killed, unless the arguments
   * say otherwise: with `appendfsync everysec`, the default, Redis delays writes to the file while the disk is busy.
   */
  async start(): Promise<this> {
    for (let attempt = 0; ; attempt++) {
      if (this.port === 0) this.port = await freePort()
      const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder]
      const kept = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'no']
      const child = spawn(PROGRAM as string, [...args, ...kept, ...this.#args])
      this.#child = child
      const ready = new Promise<boolean>(resolve => {
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          if (text.includes('Ready to accept connections')) resolve(true)
        })
        child.once('exit', () => resolve(false))
      })
      if (await ready) return this
      if (attempt === 3) throw new Error('redis-server did not start')
      this.port = 0
    }
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal)
  }

  /** Kills it. Acknowledged writes are in its file. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null) return
    child.kill('SIGCONT')
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  async remove(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true })
  }

  /** Sends a command as on the command line. Returns the raw reply. */
  async command(line: string): Promise<string> {
    const socket = connect(this.port, '127.0.0.1').setEncoding('utf8')
    try {
      socket.write(`${line}\r\n`)
      const [reply] = (await once(socket, 'data')) as [string]
      return reply.trim()
    } finally {
      socket.destroy()
    }
  }
}
