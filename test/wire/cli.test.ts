// The program as a process: its output, its replies, its exit code. Starting it is slow, so there are few cases, and they run
// concurrently.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { PROGRAM } from '../support/built-program.ts'
import { until } from '../support/until.ts'

const scratch = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(scratch, { recursive: true }))

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function run(args: readonly string[], environment: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH ?? '', ...environment }
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, ...args], { env })
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
  return { ended, until, untilError, stop: () => child.kill('SIGTERM') }
}

/** Resolves with the content of a file when it exists. */
const untilWritten = async (path: string): Promise<string> => {
  await until(() => existsSync(path))
  return readFileSync(path, 'utf8')
}

suite('the command line', { concurrency: true }, () => {
  test('init writes the inferred file, and never overwrites one', async () => {
    const output = join(scratch, 'inferred.yaml')
    const first = await run(['init', 'test/golden/inference/library.yaml', '--output', output]).ended
    assert.equal(first.code, 0)
    const second = await run(['init', 'test/golden/inference/library.yaml', '--output', output]).ended
    assert.equal(second.code, 1)
    assert.match(second.err, /already exists; overwrite it with --force/)
    const checked = await run(['check', '--deep', output]).ended
    assert.equal(checked.code, 0, checked.err)
    assert.match(checked.out, /22 requests answered as the contract documents/)
  })

  test('serve --open opens the console, or says that no program can', async () => {
    const opened = join(scratch, 'opened')
    writeFileSync(
      join(scratch, 'xdg-open'),
      `#!/bin/sh\necho "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`,
      { mode: 0o755 },
    )
    const args = ['serve', '--open', '--port', '0', '--control-port', '0', '--log-level', 'silent']
    const program = run(args, { PATH: `${scratch}:${process.env.PATH}` })
    const banner = await program.until('curl')
    const [, control] = /Control plane +(\S+)/.exec(banner) ?? []
    const said = await untilWritten(opened)
    assert.equal(said, `${control}\n`)
    program.stop()
    assert.equal((await program.ended).code, 0)
    const alone = run(args, { PATH: '/nowhere' })
    await alone.until('curl')
    await alone.untilError('no browser could be opened; open http')
    alone.stop()
  })

  test('serve prints addresses, consumers and operations, answers, and exits with 0 on SIGTERM', async () => {
    const program = run(['serve', '--port', '0', '--log-level', 'silent'], { PORT: '1', CONTROL_PORT: '0' })
    const banner = await program.until('curl')
    assert.match(banner, /^\nUnderstudy \d+\.\d+\.\d+ stands in for Pet Store Service 1\.0\.0\n/)
    assert.match(banner, /Consumers +demo, frontend, retired\n/)
    assert.match(banner, /GET +\/v1\/pets\/\{petId\} +getPet +read pets .* deprecated 2025-12-05, sunset 2030-12-05\n/)
    const [, key, url] = /curl -H 'Authorization: Bearer (.*)' (http.*)/.exec(banner) ?? []
    assert.equal(key, 'demo-key')
    const reply = await fetch(url as string, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(reply.status, 200)
    assert.equal(((await reply.json()) as unknown[]).length, 20)
    program.stop()
    const { code, err } = await program.ended
    assert.deepEqual({ code, err }, { code: 0, err: '' })
  })

  test('keys from the environment or the file are not printed', async () => {
    const program = run(['serve', '--port', '0', '--control-port', '0'], { PETSTORE_API_KEY: 'hidden-key' })
    const banner = await program.until('curl')
    // The shell fills the key in.
    assert.match(banner, /^ {2}curl -H "Authorization: Bearer \$PETSTORE_API_KEY" http/m)
    program.stop()
    const { out, err } = await program.ended
    assert.doesNotMatch(out + err, /hidden-key|frontend-key|retired-key/)
  })

  test('check prints every mistake to standard error and exits with 1', async () => {
    const file = join(scratch, 'gateway.yaml')
    writeFileSync(file, 'contract: ./openapi.yaml\nlimits: { body: 1000 }\nsead: 1\n')
    const { code, out, err } = await run(['check', file]).ended
    assert.deepEqual({ code, out }, { code: 1, out: '' })
    assert.match(err, /gateway\.yaml:2:17 error missing-unit: /)
    assert.match(err, /gateway\.yaml:3:1 error unknown-key: /)
  })

  test('--strict makes warnings errors, and --base-path sets the path of the API', async () => {
    const file = join(scratch, 'odd.yaml')
    const responses = 'responses: { 200: { description: Fine } }'
    writeFileSync(
      file,
      `openapi: 3.1.0\ninfo: { title: Odd, version: "1" }\npaths:\n  /a/{id}: { get: { operationId: readA, ${responses} } }\n`,
    )
    const [lenient, strict, plan] = await Promise.all([
      run(['check', file]).ended,
      run(['check', '--strict', file]).ended,
      run(['plan', '--base-path', '/elsewhere', file]).ended,
    ])
    assert.equal(lenient.code, 0, lenient.err)
    assert.match(lenient.err, /warning undeclared-path-parameter/)
    assert.equal(strict.code, 1)
    assert.match(plan.out, / \/elsewhere\/a\/\{id\} /)
  })

  test('an invalid command line exits with 2', async () => {
    const { code, out, err } = await run(['serve', '--prot', '1']).ended
    const text = 'understudy: serve has no option --prot; did you mean "--port"?\nTry: understudy --help\n'
    assert.deepEqual({ code, out, err }, { code: 2, out: '', err: text })
  })

  test('an occupied port is named, and the program exits with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const { code, err } = await run(['serve', '--port', '0', '--control-port', `${port}`]).ended
    other.close()
    const text = `understudy: the port ${port} is taken; choose another with --port or --control-port\n`
    assert.deepEqual({ code, err }, { code: 1, err: text })
  })
})
