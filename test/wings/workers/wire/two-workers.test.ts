import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { CONTRACT as THINGS } from '../../../simulate.ts'
import { fileOf } from '../../../support/in-process.ts'
import { pause, until } from '../../../support/until.ts'
import { FREE_PORTS, understudy } from '../../../wire/start-program.ts'

const CONTRACT = `
listen: { expose: [metrics] }
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

describe('two workers', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'understudy-')), 'gateway.yaml')
  let child: ReturnType<typeof understudy>
  let api = ''
  let control = ''
  const metric = async (line: RegExp, origin = control) => {
    const page = await fetch(`${origin}/metrics`, { headers: { connection: 'close' } })
    return line.exec(await page.text())?.[1]
  }

  before(async () => {
    writeFileSync(file, saying('world'))
    child = understudy(file, '--workers', '2', '--port', '0', '--control-port', '0', '--no-watch')
    api = await until(() => /API +(http:\S+)/.exec(child.output())?.[1])
    control = await until(() => /Control plane +(http:\S+)/.exec(child.output())?.[1])
  })
  after(() => void child.kill('SIGKILL'))

  test('two workers answer on one port, and their requests are counted together', async () => {
    for (let i = 0; i < 6; i++) {
      const response = await fetch(`${api}/hello`, { headers: { connection: 'close' } })
      assert.deepEqual(await response.json(), { hello: 'world' })
    }
    assert.equal(await metric(/^http_server_request_duration_seconds_count\{.*operation="hello"\} (\d+)$/m), '6')
    assert.equal(await metric(/^understudy_workers (\d+)$/m), '2')
    assert.equal(await metric(/^understudy_build_info\{.*\} (\d+)$/m), '1')
    // The port of the API shows the same page, by either worker.
    for (let i = 0; i < 2; i++) {
      assert.equal(await metric(/^http_server_request_duration_seconds_count\{.*operation="hello"\} (\d+)$/m, api), '6')
      assert.equal(await metric(/^understudy_workers (\d+)$/m, api), '2')
    }
  })

  test('a reload, also by SIGHUP, and a reset reach both workers', async () => {
    writeFileSync(file, saying('moon'))
    assert.equal((await fetch(`${control}/reload`, { method: 'POST' })).status, 200)
    assert.equal((await fetch(`${control}/reset`, { method: 'POST' })).status, 204)
    const greeting = async () => {
      const response = await fetch(`${api}/hello`, { headers: { connection: 'close' } })
      return ((await response.json()) as { hello: string }).hello
    }
    // Connections are distributed in turn, so this many reach both workers.
    const allSay = (word: string) =>
      until(async () => {
        const said = new Set([await greeting(), await greeting(), await greeting(), await greeting()])
        return said.size === 1 && said.has(word) ? true : undefined
      })
    await allSay('moon')
    writeFileSync(file, saying('sun'))
    child.kill('SIGHUP')
    await allSay('sun')
  })

  test('a killed worker is replaced, and the replacement is counted', async () => {
    const pid = /"worker":(\d+)[^\n]*a worker serves/.exec(child.output())?.[1]
    const requests = /^http_server_request_duration_seconds_count\{.*operation="hello"\} (\d+)$/m
    const before = Number(await metric(requests))
    process.kill(Number(pid), 'SIGKILL')
    await until(async () => (await metric(/^understudy_worker_replacements_total (\d+)$/m)) === '1')
    assert.equal(Number(await metric(requests)), before, 'what it has told stays counted')
    await until(() => child.output().match(/a worker serves/g)?.length === 3)
    assert.equal((await fetch(`${api}/hello`)).status, 200)
  })

  const workers = () =>
    [...child.output().matchAll(/"worker":(\d+)[^\n]*a worker serves/g)].map(([, pid]) => Number(pid))
  const serving = () => {
    const ended = [...child.output().matchAll(/"worker":(\d+)[^\n]*a worker ended/g)].map(([, pid]) => Number(pid))
    return workers().filter(pid => !ended.includes(pid))
  }
  /** Kills the newest worker, and resolves once another serves in its place. */
  const killOne = async (meanwhile?: () => void) => {
    const before = workers()
    process.kill(before.at(-1) as number, 'SIGKILL')
    meanwhile?.()
    await until(() => workers().length > before.length)
  }

  test('the counts of a killed worker are kept', async () => {
    const requests = /^http_server_request_duration_seconds_count\{.*operation="hello"\} (\d+)$/m
    // Workers report by themselves several times a second, more slowly on a busy machine. A request for the metrics would collect
    // the counts, so the test cannot poll: another round waits twice as long.
    for (let patience = 1000, kept = false; !kept; patience *= 2) {
      assert.ok(patience < 60_000, 'counts were lost in every round')
      const before = Number(await metric(requests))
      for (let i = 0; i < 20; i++) {
        assert.equal((await fetch(`${api}/hello`, { headers: { connection: 'close' } })).status, 200)
      }
      await pause(patience)
      await killOne()
      kept = Number(await metric(requests)) === before + 20
    }
  })

  test('the control plane answers while workers are killed', async () => {
    let asking = true
    const statuses = new Set<number>()
    const asked = Array.from({ length: 4 }, async (_, i) => {
      while (asking) {
        const [path, method] = i === 0 ? ['/reload', 'POST'] : i === 1 ? ['/reset', 'POST'] : ['/metrics', 'GET']
        const reply = await fetch(control + path, { method })
        await reply.arrayBuffer()
        statuses.add(reply.status)
        // Without a pause the calls would take the processor from the workers that begin.
        await pause(10)
      }
    })
    for (let i = 0; i < 4; i++) await killOne()
    asking = false
    await Promise.all(asked)
    assert.deepEqual([...statuses].sort(), [200, 204])
    assert.equal(child.exitCode, null)
  })

  test('every connection of a killed worker is answered or closed', async () => {
    const outcomes: string[] = []
    const open = () =>
      new Promise<void>(resolve => {
        const { hostname, port } = new URL(api)
        const socket = connect(Number(port), hostname).setTimeout(120_000)
        let outcome = 'ended'
        socket.on('data', () => {
          outcome = 'answered'
          socket.destroy()
        })
        socket.on('timeout', () => {
          outcome = 'left behind'
          socket.destroy()
        })
        socket.on('error', () => {})
        socket.on('close', () => {
          outcomes.push(outcome)
          resolve()
        })
        socket.write('GET /hello HTTP/1.1\r\nHost: x\r\n\r\n')
      })
    for (let i = 0; i < 3; i++) {
      const opened: Promise<void>[] = []
      await killOne(() => {
        for (let n = 0; n < 32; n++) opened.push(open())
      })
      await Promise.all(opened)
    }
    assert.equal(outcomes.length, 96)
    assert.deepEqual(
      outcomes.filter(outcome => outcome === 'left behind'),
      [],
    )
    // Connections are dealt in turn: the other worker gets half of them, or more once the end is noticed.
    assert.ok(outcomes.filter(outcome => outcome === 'answered').length >= 48)
  })

  test('all workers killed together are replaced on the same port', async () => {
    const before = workers()
    for (const pid of serving()) process.kill(pid, 'SIGKILL')
    await until(() => workers().length === before.length + 2)
    assert.equal((await fetch(`${api}/hello`)).status, 200)
  })

  test('a worker whose process is held is reported not ready, and is replaced', async () => {
    const ready = async () => (await fetch(`${control}/readyz`, { headers: { connection: 'close' } })).status
    await until(async () => (await ready()) === 200)
    const before = workers()
    process.kill(serving().at(-1) as number, 'SIGSTOP')
    await until(async () => (await ready()) === 503)
    await until(() => workers().length > before.length)
    await until(async () => (await ready()) === 200)
  })

  test('workers without shared state have no routes for worlds', async () => {
    assert.equal((await fetch(`${control}/worlds`)).status, 404)
    assert.equal((await fetch(`${control}/config`)).status, 200)
    const { paths } = (await (await fetch(`${control}/openapi.json`)).json()) as { paths: Record<string, unknown> }
    assert.deepEqual(Object.keys(paths).sort(), [
      ...[
        '/',
        '/config',
        '/config/schema',
        '/config/text',
        '/contract',
        '/coverage',
        '/healthz',
        '/metrics',
        '/next',
        '/openapi.json',
        '/plan',
        '/readyz',
      ],
      ...['/reload', '/reset', '/version'],
    ])
  })

  test('all workers stop at SIGTERM, and the exit code is 0', async () => {
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
  })
})

test('workers without a shared state refuse a configuration that needs one', async t => {
  const config = fileOf(THINGS.replace(/^resources:.*\n/m, ''))
  const child = understudy(config, '--workers', '2', ...FREE_PORTS, '--no-watch')
  t.after(() => void child.kill('SIGKILL'))
  const control = await until(() => /Control plane +(http:\S+)/.exec(child.output())?.[1])
  writeFileSync(config, THINGS)
  const reply = await fetch(`${control}/reload`, { method: 'POST' })
  assert.equal(reply.status, 422)
  assert.match(await reply.text(), /shared-state.*through Redis only.*serve without --workers/)
})
