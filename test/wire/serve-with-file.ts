// Starts programs whose state is in a file. They are killed, and the files removed, after the tests.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { PROGRAM } from '../support/built-program.ts'
import { NOTES } from './replicas.ts'

/** For the top of a file of tests. */
export function programsWithFile() {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  const children: ChildProcess[] = []
  after(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })
  let files = 0

  const gatewayWith = (state: string) =>
    `${NOTES.replace(/notes: \{ schema: Note.*\}/, RESOURCE).replace('limit: 5/h', 'limit: 2/h')}\nstate: ${state}\n`
  const RESOURCE =
    'notes: { schema: Note, seed: ./notes.yaml, states: { field: status, from: { draft: { sent: { after: 30d } } } } }'

  /** Makes a folder with a configuration whose state file is in it. */
  function project(state = '{ file: ./state, sync: always }') {
    const config = join(folder, `${++files}.yaml`)
    writeFileSync(config, gatewayWith(state.replace('./state', `./${files}.state`)))
    writeFileSync(join(folder, 'notes.yaml'), '[{ id: 1, text: seed, status: draft }]')
    return { config, state: join(folder, `${files}.state`) }
  }

  function start(config: string, ...args: string[]) {
    const child = spawn(
      process.execPath,
      [PROGRAM, 'serve', config, '--port', '0', '--control-port', '0', '--log-level', 'warn', ...args],
      {
        env: { ...process.env, NO_COLOR: '1' },
      },
    )
    children.push(child)
    let text = ''
    const ended = once(child, 'close')
    const served = new Promise<void>(resolve => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', chunk => {
          text += chunk
          if (text.includes('curl')) resolve()
        })
      }
    })
    return { child, ended, served, output: () => text }
  }

  async function serve(config: string, ...args: string[]) {
    const program = start(config, ...args)
    await Promise.race([program.served, program.ended.then(() => assert.fail(program.output()))])
    const api = /API +(\S+)/.exec(program.output())?.[1] as string
    const control = /Control plane +(\S+)/.exec(program.output())?.[1] as string
    const send = async (line: string, body?: object, headers: Record<string, string> = {}) => {
      const [method, path] = line.split(' ') as [string, string]
      const url = path.startsWith('control:') ? control + path.slice(8) : api + path
      const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }
      const reply = await fetch(url, { method, headers, ...json })
      const text = await reply.text()
      return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) }
    }
    const kill = async () => {
      program.child.kill('SIGKILL')
      await program.ended
    }
    return { ...program, send, kill }
  }
  return { folder, project, serve, start }
}
