// Runs the commands of the Dockerfile in a clean folder, without a container engine. Each stage has a separate folder as its
// root, and the installed Node is the base image.

import assert from 'node:assert/strict'
import { execSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, posix } from 'node:path'
import { freePort } from '../test/support/free-ports.ts'
import { startProgram } from './program.ts'

const ROOT = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'understudy-image-'))

interface Stage {
  readonly root: string
  readonly env: Record<string, string>
  workdir: string
  command: readonly string[]
  health: readonly string[]
  user: string
}

try {
  const last = build()
  assert.equal(last.user, 'node')
  assert.equal(existsSync(join(last.root, 'app/node_modules')), false, 'the bundle contains its packages')
  assert.equal(existsSync(join(last.root, 'app/src')), false, 'sources are in the image')
  const cwd = join(last.root, last.workdir)
  const below = (word: string) => (word.startsWith('/') ? join(last.root, word) : word)
  const command = last.command.map(below)
  // Another program may use the ports of the image here.
  const ports = { PORT: '0', CONTROL_PORT: `${await freePort()}` }
  const program = await startProgram(command, cwd, { ...last.env, ...ports })
  const health = () => execSync(last.health.map(below).map(quote).join(' '), { env: { ...process.env, ...ports } })
  try {
    health()
    const reply = await fetch(`${program.url}/pets`, { headers: { authorization: 'Bearer demo-key' } })
    assert.equal(reply.status, 200)
  } catch (error) {
    // Its pipes would keep this process from ending.
    await program.stop()
    throw error
  }
  assert.equal(await program.stop(), 0)
  assert.throws(health, 'a gateway that has stopped is not healthy')
  console.log('the image builds, starts, is healthy, answers and stops')
} finally {
  rmSync(scratch, { recursive: true })
}

function build(): Stage {
  const context = join(scratch, 'context')
  mkdirSync(context)
  const allowed = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  for (const name of allowed.filter(line => line.startsWith('!')).map(line => line.slice(1))) {
    cpSync(join(ROOT, name), join(context, name), { recursive: true })
  }
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const line of readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split('\n')) {
    const [, word = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (word === 'FROM') {
      const name = / AS (\w+)$/.exec(rest)?.[1] ?? 'last'
      stage = { root: join(scratch, name), env: {}, workdir: '/', command: [], health: [], user: 'root' }
      stages.set(name, stage)
    } else if (stage !== undefined) step(stage, word, rest, context, stages)
  }
  assert.ok(stage)
  return stage
}

function step(stage: Stage, word: string, rest: string, context: string, stages: ReadonlyMap<string, Stage>): void {
  const at = (path: string) => join(stage.root, posix.resolve(stage.workdir, path))
  switch (word) {
    case 'WORKDIR':
      stage.workdir = rest
      mkdirSync(at('.'), { recursive: true })
      return
    case 'ENV':
      for (const pair of rest.split(' ')) stage.env[pair.split('=', 1)[0] as string] = pair.slice(pair.indexOf('=') + 1)
      return
    case 'COPY': {
      const words = rest.split(' ')
      const from = words[0]?.startsWith('--from=') ? stages.get((words.shift() as string).slice(7))?.root : context
      const target = words.pop() as string
      for (const source of words) {
        const path = target.endsWith('/') ? at(`${target}${basename(source)}`) : at(target)
        cpSync(join(from as string, source), path, { recursive: true, verbatimSymlinks: true })
      }
      return
    }
    case 'RUN':
      execSync(rest, {
        cwd: at('.'),
        env: { ...process.env, npm_config_prefer_offline: 'true', ...stage.env },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      return
    case 'USER':
      stage.user = rest
      return
    case 'CMD':
      stage.command = JSON.parse(rest)
      return
    case 'HEALTHCHECK':
      stage.health = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4))
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
