import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, suite, test } from 'node:test'
import { ask } from './ask.ts'
import { Raw } from './raw.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
const config = join(home, 'gateway.yaml')
writeFileSync(
  config,
  `contract:
  openapi: 3.1.0
  info: { title: Slow, version: "1" }
  paths:
    /slow: { get: { operationId: slow, responses: { 200: { description: Late } } } }
    /never: { get: { operationId: never, responses: { 200: { description: Later } } } }
operations:
  slow: { latency: { fixed: 2500ms }, respond: { status: 200 } }
  never: { latency: { fixed: 60s }, respond: { status: 200 } }
`,
)

interface Spawned {
  readonly child: ChildProcess
  readonly url: string
  readonly control: string
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>
}

async function serve(): Promise<Spawned> {
  const args = ['--import', 'tsx', resolve('src/cli.ts'), 'serve', config, '--port', '0', '--control-port', '0']
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LOG_LEVEL: 'silent' },
  })
  after(() => child.kill('SIGKILL'))
  const ended = new Promise<number | string | null>(resolve =>
    child.once('exit', (code, signal) => resolve(code ?? signal)),
  )
  let text = ''
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    text += chunk
    const [, url] = /API +(http:\S+)/.exec(text) ?? []
    const [, control] = /Control plane +(http:\S+)/.exec(text) ?? []
    if (url !== undefined && control !== undefined && text.includes('curl')) {
      child.stdout?.resume()
      return { child, url, control, ended }
    }
  }
  return assert.fail(`it did not start: ${text}`)
}

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))

suite('a gateway that is told to stop', { concurrency: true }, () => {
  test('finishes what is under way, says that it is not ready, takes nothing new, and exits with 0', async () => {
    const { child, url, control, ended } = await serve()
    const slow = new Raw(url).send(GET('/slow'))
    await pause(300)
    child.kill('SIGTERM')
    await pause(300)
    const { status, body } = await ask(`${control}/readyz`)
    assert.equal(status, 503)
    assert.deepEqual(body, { status: 'stopping' })
    assert.deepEqual(await new Raw(url).send(GET('/slow')).replies(), [])
    const reply = await slow.reply()
    assert.equal(reply?.status, 200)
    assert.equal(await ended, 0)
  })

  test('does not wait for connections that ask nothing', async () => {
    const { child, url, ended } = await serve()
    const used = new Raw(url).send(GET('/nowhere'))
    assert.equal((await used.reply())?.status, 404)
    const unused = new Raw(url)
    await new Promise(resolve => unused.socket.once('connect', resolve))
    await pause(100)
    const before = performance.now()
    child.kill('SIGINT')
    assert.equal(await ended, 0)
    assert.ok(performance.now() - before < 8000, 'before the last moment')
  })

  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    test(`ends at once at the second ${signal}`, async () => {
      const { child, url, ended } = await serve()
      const never = new Raw(url).send(GET('/never'))
      await pause(200)
      child.kill(signal)
      await pause(200)
      assert.equal(child.exitCode, null)
      child.kill(signal)
      assert.equal(await ended, code)
      await never.closed()
    })
  }
})
