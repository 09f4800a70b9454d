// The program as a process: its output, its replies, its exit code. `cli-options.test.ts` has more cases. Starting the program is
// slow, so these run concurrently.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { run } from './run-program.ts'

const scratch = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(scratch, { recursive: true }))

suite('the command line', { concurrency: true }, () => {
  test('serve prints addresses, consumers and operations, answers, and exits with 0 on SIGTERM', async () => {
    const program = run(['serve', '--port', '0', '--log-level', 'silent'], { PORT: '1', CONTROL_PORT: '0' })
    const banner = await program.until('curl')
    assert.match(banner, /^\nUnderstudy \d+\.\d+\.\d+ stands in for Pet Store Service 1\.0\.0\n/)
    assert.match(banner, /Consumers +demo, frontend, retired\n/)
    assert.match(banner, /GET +\/v1\/pets\/\{petId\} +getPet +read pets .* deprecated 2025-12-05, sunset 2030-12-05\n/)
    const [, url] = /API +(http:\S+)/.exec(banner) ?? []
    const reply = await fetch(`${url}/pets`, { headers: { authorization: 'Bearer demo-key' } })
    assert.equal(reply.status, 200)
    assert.equal(((await reply.json()) as unknown[]).length, 20)
    program.stop()
    const { code, err } = await program.ended
    assert.deepEqual({ code, err }, { code: 0, err: '' })
  })

  test('check prints every mistake to standard error and exits with 1', async () => {
    const file = join(scratch, 'gateway.yaml')
    writeFileSync(file, 'contract: ./openapi.yaml\nlimits: { body: 1000 }\nsead: 1\n')
    const { code, out, err } = await run(['check', file]).ended
    assert.deepEqual({ code, out }, { code: 1, out: '' })
    assert.match(err, /gateway\.yaml:2:17 error missing-unit: /)
    assert.match(err, /gateway\.yaml:3:1 error unknown-key: /)
  })

  test('an invalid command line exits with 2', async () => {
    const { code, out, err } = await run(['serve', '--prot', '1']).ended
    const text = 'understudy: serve has no option --prot; did you mean "--port"?\nTry: understudy --help\n'
    assert.deepEqual({ code, out, err }, { code: 2, out: '', err: text })
  })
})
