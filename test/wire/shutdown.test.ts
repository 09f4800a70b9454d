import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { PROGRAM } from '../support/built-program.ts'
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
    /quick: { post: { operationId: quick, responses: { 200: { description: At once } } } }
    /slow:
      post:
        operationId: slow
        requestBody: { required: true, content: { application/json: { schema: { type: object } } } }
        responses: { 200: { description: Late } }
    /never: { get: { operationId: never, responses: { 200: { description: Later } } } }
operations:
  quick: { respond: { status: 200 } }
  slow: { respond: { status: 200 } }
  never: { latency: { fixed: 10m }, respond: { status: 200 } }
`,
)

interface Spawned {
  readonly child: ChildProcess
  readonly url: string
  readonly control: string
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>
  /** Resolves when the log contains the text. */
  logged(text: string): Promise<void>
  /** The current log. */
  log(): string
}

async function serve(file = config, ...more: readonly string[]): Promise<Spawned> {
  const args = [PROGRAM, 'serve', file, '--port', '0', '--control-port', '0', ...more]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  after(() => child.kill('SIGKILL'))
  const ended = new Promise<number | string | null>(resolve =>
    child.once('exit', (code, signal) => resolve(code ?? signal)),
  )
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    // These tests do not need the lines of requests.
    log = (log + chunk).replace(/^\{[^\n]*"operation"[^\n]*\n/gm, '')
  })
  const logged = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => log.includes(text) && resolve()
      look()
      child.stderr?.on('data', look)
      void ended.then(() => reject(new Error(`it ended without "${text}": ${log}`)))
    })
  let text = ''
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    text += chunk
    const [, url] = /API +(http:\S+)/.exec(text) ?? []
    const [, control] = /Control plane +(http:\S+)/.exec(text) ?? []
    if (url !== undefined && control !== undefined && text.includes('curl')) {
      child.stdout?.resume()
      return { child, url, control, ended, logged, log: () => log }
    }
  }
  return assert.fail(`it did not start: ${text} ${log}`)
}

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** Sends a request. Resolves when it is under way: after the reply to a later request on another connection. */
async function begin(url: string, bytes: string): Promise<Raw> {
  const raw = new Raw(url)
  await new Promise<void>(resolve => raw.socket.write(bytes, () => resolve()))
  const later = new Raw(url).send(GET('/nowhere'))
  assert.equal((await later.reply())?.status, 404)
  later.close()
  return raw
}

interface Exchanged {
  readonly replies: number
  /** Whether the last reply had Connection: close. */
  readonly told: boolean
  readonly failure: string | undefined
}

/** Sends requests on one connection until a reply has Connection: close. */
async function keepBusy(url: string): Promise<Exchanged> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const once = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(`${url}/quick`, { method: 'POST', agent }, reply => {
        reply.resume().once('end', () => resolve(reply))
      })
      sent.once('error', reject)
      sent.end()
    })
  for (let replies = 1; ; replies++) {
    try {
      const { headers, statusCode } = await once()
      assert.equal(statusCode, 200)
      if (headers.connection === 'close') return { replies, told: true, failure: undefined }
    } catch (error) {
      return { replies, told: false, failure: String(error) }
    }
  }
}

suite('a gateway that gets SIGTERM', { concurrency: true }, () => {
  test('finishes running requests, is not ready, accepts no new ones, and exits with 0', async () => {
    const { child, url, control, ended, logged } = await serve()
    const slow = await begin(
      url,
      'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
    )
    child.kill('SIGTERM')
    await logged('stopping: /readyz answers 503, requests are served for 250 ms more')
    const { status, body } = await ask(`${control}/readyz`)
    assert.equal(status, 503)
    assert.deepEqual(body, { status: 'stopping' })
    await logged('waiting for 1 requests under way, at most 10 s')
    // The port is closed at the same time; a queued connection is reset.
    for (;;) if ((await new Raw(url).send(GET('/nowhere')).replies()).length === 0) break
    const reply = await slow.send('}').reply()
    assert.equal(reply?.status, 200)
    assert.equal(reply?.headers.connection, 'close')
    assert.equal(await ended, 0)
  })

  test('says what its workers wait for', async () => {
    const { child, url, ended, logged } = await serve(config, '--workers', '2')
    const slow = await begin(
      url,
      'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
    )
    child.kill('SIGTERM')
    await logged('waiting for 1 requests under way, at most 10 s')
    assert.equal((await slow.send('}').reply())?.headers.connection, 'close')
    assert.equal(await ended, 0)
  })

  test('says to clients of the control plane, too, that a reply is the last one', async () => {
    const patient = join(home, 'patient-control.yaml')
    writeFileSync(patient, `listen: { drain: 60s }\n${readFileSync(config, 'utf8')}`)
    const { child, control, logged } = await serve(patient)
    child.kill('SIGTERM')
    await logged('stopping')
    const [reply, ...more] = await new Raw(control).send('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n').replies()
    assert.equal(reply?.status, 503)
    assert.equal(reply?.headers.connection, 'close')
    assert.deepEqual(more, [])
  })

  test('serves late requests and closes their connections', async () => {
    const patient = join(home, 'patient.yaml')
    writeFileSync(patient, `listen: { drain: 60s }\n${readFileSync(config, 'utf8')}`)
    const { child, url, logged } = await serve(patient)
    child.kill('SIGTERM')
    await logged('stopping')
    const [reply, ...more] = await new Raw(url).send(GET('/nowhere')).replies()
    assert.equal(reply?.status, 404)
    assert.equal(reply?.headers.connection, 'close')
    assert.deepEqual(more, [])
  })

  test('does not wait for idle connections', async () => {
    const { child, url, ended, log } = await serve()
    const used = new Raw(url).send(GET('/nowhere'))
    assert.equal((await used.reply())?.status, 404)
    const unused = new Raw(url)
    await new Promise(resolve => unused.socket.once('connect', resolve))
    child.kill('SIGINT')
    assert.equal(await ended, 0)
    assert.doesNotMatch(log(), /connections were cut/)
  })

  for (const [who, more] of [
    ['one process', []],
    ['two workers', ['--workers', '2']],
  ] as const) {
    test(`resets none of 32 clients of ${who}, whose last replies have Connection: close, and refuses them after`, async () => {
      const resets: number[] = []
      // The system may suspend the process between its last look at the port and closing it: often on a machine that has ten
      // times its load, but hardly ten times in a row.
      while (resets.at(-1) !== 0 && resets.length < 10) {
        const { child, url, ended } = await serve(config, '--log-level', 'warn', ...more)
        const clients = Array.from({ length: 32 }, () => connectUntilRefused(url))
        // All are busy, and have been for a while.
        await keepBusyFor(url, 60)
        child.kill('SIGTERM')
        const exchanged = (await Promise.all(clients)).flat()
        assert.equal(await ended, 0)
        // A connection that had a reply ends with one.
        assert.deepEqual(
          exchanged.filter(({ replies, told }) => replies > 1 && !told),
          [],
        )
        resets.push(exchanged.filter(({ failure }) => failure?.includes('ECONNRESET')).length)
      }
      assert.equal(resets.at(-1), 0, `resets: ${resets.join()}`)
    })
  }

  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    test(`ends at once at the second ${signal}`, async () => {
      const { child, url, ended, logged } = await serve()
      const never = await begin(url, GET('/never'))
      child.kill(signal)
      await logged('waiting for 1 requests under way')
      assert.equal(child.exitCode, null)
      child.kill(signal)
      assert.equal(await ended, code)
      await never.closed()
    })
  }
})

/** Sends requests, on a new connection where one was closed, until no connection is accepted. */
async function connectUntilRefused(url: string): Promise<Exchanged[]> {
  const exchanged: Exchanged[] = []
  while (exchanged.at(-1)?.failure?.includes('ECONNREFUSED') !== true) exchanged.push(await keepBusy(url))
  return exchanged
}

/** Sends this many requests in sequence. */
async function keepBusyFor(url: string, requests: number): Promise<void> {
  for (let i = 0; i < requests; i++) assert.equal((await ask(`${url}/quick`, { method: 'POST' })).status, 200)
}
