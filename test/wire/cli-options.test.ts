// Options of the program as a process. Starting it is slow, so these run concurrently.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { until } from '../support/until.ts'
import { run } from './run-program.ts'

const scratch = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(scratch, { recursive: true }))

/** Resolves with the content of a file when it exists. */
const untilWritten = async (path: string): Promise<string> => {
  await until(() => existsSync(path))
  return readFileSync(path, 'utf8')
}

suite('options of the command line', { concurrency: true }, () => {
  test('init writes the inferred file, and never overwrites one', async () => {
    const output = join(scratch, 'inferred.yaml')
    const first = await run(['init', 'test/golden/inference/library.yaml', '--output', output]).ended
    assert.equal(first.code, 0)
    const second = await run(['init', 'test/golden/inference/library.yaml', '--output', output]).ended
    assert.equal(second.code, 1)
    assert.match(second.err, /already exists; overwrite it with --force/)
    const checked = await run(['check', '--deep', output]).ended
    assert.equal(checked.code, 0, checked.err)
    assert.match(checked.out, /26 requests answered as the contract documents/)
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

  test('keys from the environment or the file are not printed', async () => {
    const program = run(['serve', '--port', '0', '--control-port', '0'], { PETSTORE_API_KEY: 'hidden-key' })
    const banner = await program.until('curl')
    // The shell fills the key in.
    assert.match(banner, /^ {2}curl -H "Authorization: Bearer \$PETSTORE_API_KEY" http/m)
    program.stop()
    const { out, err } = await program.ended
    assert.doesNotMatch(out + err, /hidden-key|frontend-key|retired-key/)
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
