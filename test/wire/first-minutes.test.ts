// The first commands with a new API: files that are found, files that are written, and a command to paste.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { startGateway } from '../../src/index.ts'
import { PROGRAM } from '../support/built-program.ts'
import { until } from '../support/until.ts'
import { ask } from './ask.ts'

const scratch = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(scratch, { recursive: true }))

/** A folder with a document in it. */
function folder(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(scratch, name)
  mkdirSync(path)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(path, file, '..'), { recursive: true })
    writeFileSync(join(path, file), text)
  }
  return path
}

const LIBRARY = readFileSync('test/golden/inference/library.yaml', 'utf8')

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function run(cwd: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? '', ...environment }
  return new Promise(done => {
    execFile(process.execPath, [PROGRAM, ...args], { cwd, env }, (error, out, err) =>
      done({ code: error === null ? 0 : (error.code as unknown as number), out, err }),
    )
  })
}

/** Starts a program. Resolves with the text of its banner. */
async function start(command: string, args: readonly string[], cwd: string, environment: Record<string, string>) {
  const env = { PATH: process.env.PATH ?? '', HOME: scratch, PORT: '0', CONTROL_PORT: '0', ...environment }
  const child: ChildProcess = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let banner = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', chunk => {
      banner += chunk
      if (/^ {2}curl .*$\n/m.test(banner)) resolve()
    })
    child.on('close', () => reject(new Error(`it ended: ${banner}`)))
  })
  return { child, banner, closed: new Promise(resolve => child.on('close', resolve)) }
}

const MODELINE = /^# yaml-language-server: \$schema=(\S+)\n/

suite('the first commands', { concurrency: true }, () => {
  test('init finds the document, and check and serve find its file', async () => {
    const home = folder('found', { 'openapi.yaml': LIBRARY })
    const written = await run(home, ['init', '--schema'])
    assert.deepEqual(
      [written.code, written.out],
      [0, 'gateway.yaml and gateway.schema.json are written. Try: understudy serve\n'],
    )
    const text = readFileSync(join(home, 'gateway.yaml'), 'utf8')
    assert.equal(MODELINE.exec(text)?.[1], './gateway.schema.json')
    const schema = JSON.parse(readFileSync(join(home, 'gateway.schema.json'), 'utf8'))
    assert.ok('listAuthors' in schema.properties.operations.properties)
    const checked = await run(home, ['check'])
    assert.equal(checked.code, 0, checked.err)
    assert.match(checked.out, /^gateway\.yaml: /)
    const again = await run(home, ['init'])
    assert.deepEqual(
      [again.code, again.err],
      [1, 'understudy: gateway.yaml already exists; overwrite it with --force\n'],
    )
  })

  test('without --schema the file refers to the schema of the installed package', async () => {
    const home = folder('installed', {
      'openapi.json': JSON.stringify({ openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: {} }),
      'node_modules/understudy-gateway/config/gateway.schema.json': '{}',
    })
    const { out } = await run(home, ['init', '--output', '-'])
    assert.equal(MODELINE.exec(out)?.[1], './node_modules/understudy-gateway/config/gateway.schema.json')
  })

  test('init refers to no schema that does not exist', async () => {
    const home = folder('no-schema', { 'openapi.yaml': LIBRARY })
    const bare = (await run(home, ['init', '--output', '-'])).out
    assert.ok(bare.startsWith('# '), bare)
    assert.doesNotMatch(bare, /yaml-language-server/)
    writeFileSync(join(home, 'gateway.schema.json'), '{}')
    assert.equal(MODELINE.exec((await run(home, ['init', '--output', '-'])).out)?.[1], './gateway.schema.json')
  })

  test('a configuration in config/ has precedence over a bare document', async () => {
    const home = folder('below', { 'openapi.yaml': LIBRARY, 'config/gateway.yaml': 'contract: ../openapi.yaml\n' })
    assert.match((await run(home, ['check'])).out, /^config\/gateway\.yaml: /)
    assert.match((await run(home, ['plan'])).out, /GET +\/authors/)
  })

  test('serve without a file names the files that it looks for', async () => {
    const home = folder('empty', { 'notes.txt': '' })
    const { code, out, err } = await run(home, ['serve'])
    assert.deepEqual([code, out], [1, ''])
    assert.equal(
      err,
      'understudy: none of these files exists: gateway.yaml, config/gateway.yaml, openapi.yaml, openapi.yml, openapi.json\n' +
        'name a gateway.yaml or an OpenAPI document, or write a gateway.yaml: understudy init FILE\n',
    )
    assert.match(
      (await run(home, ['init'])).err,
      /none of these files exists: openapi\.yaml, openapi\.yml, openapi\.json\n/,
    )
    const remote = await run(home, ['serve', 'https://example.com/openapi.yaml'])
    assert.match(
      remote.err,
      /remote files are not fetched\n {2}= save it and name the file: curl -L -o openapi\.yaml https:/,
    )
  })

  test('diagnostics are JSON for programs, and annotations for a workflow', async () => {
    const home = folder('formats', { 'openapi.yaml': LIBRARY, 'gateway.yaml': 'contract: ./openapi.yaml\nsead: 1\n' })
    const json = await run(home, ['check', '--format', 'json'])
    assert.deepEqual([json.code, json.err], [1, ''])
    const { errors, warnings, diagnostics } = JSON.parse(json.out)
    assert.deepEqual([errors, warnings], [1, 0])
    assert.deepEqual(diagnostics, [
      {
        severity: 'error',
        code: 'unknown-key',
        message: 'unknown key "sead"',
        hint: 'did you mean "seed"?',
        file: 'gateway.yaml',
        line: 2,
        column: 1,
        length: 4,
      },
    ])
    const github = await run(home, ['check'], { UNDERSTUDY_FORMAT: 'github' })
    assert.equal(
      github.out,
      '::error file=gateway.yaml,line=2,col=1,endColumn=5,title=unknown-key::unknown key "sead"%0Adid you mean "seed"?\n',
    )
    writeFileSync(join(home, 'gateway.yaml'), 'contract: ./openapi.yaml\n')
    const sound = await run(home, ['check', '--format=json'])
    assert.deepEqual([sound.code, JSON.parse(sound.out)], [0, { errors: 0, warnings: 0, diagnostics: [] }])
  })

  test('schema prints the JSON Schema with the operations of the contract', async () => {
    const home = folder('schema', { 'openapi.yaml': LIBRARY })
    const { code, out } = await run(home, ['schema', 'openapi.yaml'])
    assert.equal(code, 0)
    assert.ok('GET /authors' in JSON.parse(out).properties.operations.properties)
    const general = await run(home, ['schema'])
    assert.equal(general.out, readFileSync('config/gateway.schema.json', 'utf8'))
  })

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`when npm is ended by ${signal}, the server that npm start began ends, and its port is free`, async () => {
      const { child, banner } = await start('npm', ['start', '--silent'], '.', {})
      const port = Number(/http:\/\/127\.0\.0\.1:(\d+)\/v1/.exec(banner)?.[1])
      assert.ok(await isTaken(port))
      child.kill(signal)
      await until(async () => !(await isTaken(port)))
    })
  }
})

const isTaken = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

test('--base-path overrides the base path of the file', async () => {
  const contract = {
    openapi: '3.1.0',
    info: { title: 'A', version: '1' },
    servers: [{ url: 'https://api.example.com/v1' }],
    paths: { '/a': { get: { responses: { 204: { description: 'none' } } } } },
  }
  const gateway = await startGateway({ config: { contract, listen: { basePath: '/api/v2/' } } })
  try {
    assert.ok(gateway.url.endsWith('/api/v2'))
    assert.equal((await ask(`${gateway.url}/a`)).status, 204)
    assert.equal((await ask(`${new URL(gateway.url).origin}/v1/a`)).status, 404)
  } finally {
    await gateway.close()
  }
  const home = folder('base', { 'g.yaml': JSON.stringify({ contract, listen: { basePath: '/v2' } }) })
  assert.match((await run(home, ['plan', 'g.yaml'])).out, /GET +\/v2\/a /)
  assert.match((await run(home, ['plan', 'g.yaml', '--base-path', '/v3'])).out, /GET +\/v3\/a /)
})
