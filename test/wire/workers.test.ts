import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

const CONTRACT = `
contract:
  openapi: 3.1.0
  info: { title: Greetings, version: "1" }
  paths:
    /hello:
      get:
        operationId: hello
        responses: { "200": { description: Hello., content: { application/json: { schema: { type: object } } } } }
`
const saying = (word: string) =>
  `${CONTRACT}operations: { hello: { respond: { status: 200, body: { hello: ${word} } } } }\n`

function understudy(...args: string[]): ChildProcess & { output(): string } {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli.ts', 'serve', ...args], {
    env: { ...process.env, NO_COLOR: '1' },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', chunk => (text += chunk))
  return Object.assign(child, { output: () => text })
}

/** Asks again and again until there is an answer; a test that waits for ever is ended by its runner. */
async function until<Answer>(ask: () => Promise<Answer | undefined> | Answer | undefined): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

test('workers are refused where they would share records, and what would be shared is shown', async () => {
  const child = understudy('--workers', '2', '--port', '0', '--control-port', '0')
  const [code] = await once(child, 'exit')
  assert.equal(code, 1)
  assert.match(
    child.output(),
    /config\/gateway\.yaml:\d+:\d+ error shared-state: several workers cannot share the records of "pets"/,
  )
})

describe('two workers', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'understudy-')), 'gateway.yaml')
  let child: ReturnType<typeof understudy>
  let api = ''
  let control = ''
  const metric = async (line: RegExp) => {
    const page = await (await fetch(`${control}/metrics`)).text()
    return line.exec(page)?.[1]
  }

  before(async () => {
    writeFileSync(file, saying('world'))
    child = understudy(file, '--workers', '2', '--port', '0', '--control-port', '0', '--no-watch')
    api = await until(() => /API +(http:\S+)/.exec(child.output())?.[1])
    control = await until(() => /Control plane +(http:\S+)/.exec(child.output())?.[1])
  })
  after(() => void child.kill('SIGKILL'))

  test('answer on one port, and their requests are counted together', async () => {
    for (let i = 0; i < 6; i++) {
      const response = await fetch(`${api}/hello`, { headers: { connection: 'close' } })
      assert.deepEqual(await response.json(), { hello: 'world' })
    }
    assert.equal(await metric(/^http_server_request_duration_seconds_count\{.*operation="hello"\} (\d+)$/m), '6')
    assert.equal(await metric(/^understudy_workers (\d+)$/m), '2')
    assert.equal(await metric(/^understudy_build_info\{.*\} (\d+)$/m), '1')
  })

  test('a reload and a reset reach both', async () => {
    writeFileSync(file, saying('moon'))
    assert.equal((await fetch(`${control}/reload`, { method: 'POST' })).status, 200)
    assert.equal((await fetch(`${control}/reset`, { method: 'POST' })).status, 204)
    const greeting = async () => {
      const response = await fetch(`${api}/hello`, { headers: { connection: 'close' } })
      return ((await response.json()) as { hello: string }).hello
    }
    // Connections are dealt out in turn: as many as these reach both.
    await until(async () => {
      const said = new Set([await greeting(), await greeting(), await greeting(), await greeting()])
      return said.size === 1 && said.has('moon') ? true : undefined
    })
  })

  test('one that is killed is replaced, and counted', async () => {
    const pid = /"worker":(\d+)[^\n]*a worker serves/.exec(child.output())?.[1]
    const requests = /^http_server_request_duration_seconds_count\{.*operation="hello"\} (\d+)$/m
    const before = Number(await metric(requests))
    process.kill(Number(pid), 'SIGKILL')
    await until(async () =>
      (await metric(/^understudy_worker_replacements_total (\d+)$/m)) === '1' ? true : undefined,
    )
    assert.equal(Number(await metric(requests)), before, 'what it has told stays counted')
    await until(() => (child.output().match(/a worker serves/g)?.length === 3 ? true : undefined))
    assert.equal((await fetch(`${api}/hello`)).status, 200)
  })

  test('state that is not there cannot be steered', async () => {
    assert.equal((await fetch(`${control}/worlds`)).status, 404)
    assert.equal((await fetch(`${control}/config`)).status, 200)
    const { paths } = (await (await fetch(`${control}/openapi.json`)).json()) as { paths: Record<string, unknown> }
    assert.deepEqual(Object.keys(paths).sort(), [
      ...['/config', '/healthz', '/metrics', '/openapi.json', '/plan', '/readyz', '/reload', '/reset'],
    ])
  })

  test('all of them stop at SIGTERM, and the exit code is 0', async () => {
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
  })
})
