import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { until } from '../../../support/until.ts'
import { run, runWithSmallFiles } from '../../../wire/run-program.ts'
import { portOf } from '../../real-api/wire/forwarding.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-recording-'))
/** A real API: it keeps notes, and answers compressed. */
const notes = new Map<number, object>([[1, { id: 1, text: 'first' }]])
let server: Server
let slowRequests = 0
let api: string

before(async () => {
  server = createServer((req, res) => {
    let sent = ''
    req.on('data', part => {
      sent += part
    })
    req.on('end', () => {
      const { method, url = '', headers } = req
      const id = Number(/^\/notes\/(\d+)$/.exec(url)?.[1])
      const answer = (status: number, body?: unknown) => {
        const text = gzipSync(JSON.stringify(body ?? null))
        const fields = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
        res.writeHead(status, body === undefined ? {} : fields).end(body === undefined ? '' : text)
      }
      if (url === '/slow') {
        slowRequests += 1
        return
      }
      if (headers.authorization !== 'Bearer the-secret-key') return answer(401, { message: 'no key' })
      if (url === '/notes' && method === 'GET') return answer(200, [...notes.values()])
      if (url === '/notes') {
        const note = { id: notes.size + 1, ...JSON.parse(sent) }
        notes.set(note.id, note)
        return answer(201, note)
      }
      if (!notes.has(id)) return answer(404, { message: 'none' })
      if (method === 'DELETE') return answer(notes.delete(id) ? 204 : 404)
      answer(200, notes.get(id))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  api = `http://127.0.0.1:${portOf(server)}`
})

after(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

/** Starts a recorder, and returns its addresses. */
async function recorder(name: string, more: readonly string[] = [], start: typeof run = run) {
  const output = join(folder, name)
  const ports = ['--port', '0', '--control-port', '0']
  const program = start(['record', '--upstream', api, '--output', output, ...ports, ...more])
  const said = await program.until('/recordings/stop')
  const [, proxy = '', control = ''] = /at (\S+) to [\s\S]*POST (\S+)\/recordings\/stop/.exec(said) ?? []
  const headers = { authorization: 'Bearer the-secret-key', 'content-type': 'application/json' }
  const send = async (method: string, path: string, body?: object) => {
    const reply = await fetch(proxy + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return [reply.status, await reply.text()] as const
  }
  return {
    ...program,
    output,
    control,
    origin: proxy,
    send,
    har: () => readFileSync(join(output, 'recording.har'), 'utf8'),
  }
}

test('a proxy records what passes, until its control plane stops it; the result gives every reply again', async () => {
  const { send, control, ended, output, har } = await recorder('stopped')
  assert.deepEqual(await send('GET', '/notes'), [200, '[{"id":1,"text":"first"}]'])
  assert.deepEqual(await send('POST', '/notes', { text: 'second' }), [201, '{"id":2,"text":"second"}'])
  assert.deepEqual(await send('GET', '/notes/2'), [200, '{"id":2,"text":"second"}'])
  assert.deepEqual(await send('DELETE', '/notes/1'), [204, ''])
  assert.deepEqual((await send('GET', '/notes/1'))[0], 404)
  const stopped = await fetch(`${control}/recordings/stop`, { method: 'POST' })
  const counts = { exchanges: 5, operations: 4, breaking: 0 }
  assert.deepEqual([stopped.status, await stopped.json()], [202, { file: join(output, 'recording.har'), ...counts }])
  const { code, out, err } = await ended
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /Recorded: 5 exchanges, 4 operations\n[\s\S]*\n5 of 5 recorded replies are equal\n/)
  assert.ok(!har().includes('the-secret-key'))
  assert.match(readFileSync(join(output, 'fixtures/notes.yaml'), 'utf8'), /\n- id: 2\n {2}text: second\n$/)
})

test('a signal ends a recording, and a contract says which replies break it', async () => {
  const contract = join(folder, 'notes.json')
  const body = { 'application/json': { schema: { type: 'array', items: { type: 'object', required: ['title'] } } } }
  const get = { operationId: 'listNotes', responses: { 200: { description: 'All', content: body } } }
  const paths = { '/notes': { get } }
  writeFileSync(contract, JSON.stringify({ openapi: '3.1.0', info: { title: 'Notes', version: '1' }, paths }))
  const { send, stop, ended } = await recorder('signalled', ['--contract', contract])
  await send('GET', '/notes')
  stop()
  const { code, out } = await ended
  assert.equal(code, 0)
  assert.match(out, /Recorded: 1 exchange, 1 operation, 1 of the replies break the contract\n/)
})

test('a recorder that is killed leaves a whole HAR, and the next one goes on with it', async () => {
  const first = await recorder('killed')
  await first.send('GET', '/notes')
  // An exchange is written once its reply has been passed on.
  await until(() => first.har().includes('/notes'))
  first.kill()
  await first.ended
  assert.equal(JSON.parse(first.har()).log.entries.length, 1)
  assert.equal(existsSync(join(first.output, 'gateway.yaml')), false)
  const second = await recorder('killed')
  await second.send('GET', '/notes')
  second.stop()
  const { code, out } = await second.ended
  assert.deepEqual([code, JSON.parse(second.har()).log.entries.length], [0, 2])
  assert.match(out, /\n2 of 2 recorded replies are equal\n/)
})

test('requests still pass when the disk is full, which is said once, and the recording is whole', async () => {
  const { send, stop, ended, har } = await recorder('full', [], runWithSmallFiles)
  for (let i = 0; i < 9; i++) assert.equal((await send('GET', '/notes'))[0], 200)
  stop()
  const { code, out, err } = await ended
  const kept = JSON.parse(har()).log.entries.length as number
  assert.ok(kept > 0 && kept < 9, `${kept}`)
  assert.equal(code, 1)
  assert.match(out, new RegExp(`\\nRecorded: ${kept} exchanges`))
  assert.match(err, /^understudy: nothing more is recorded \(EFBIG: .*\); requests still pass\n/)
  assert.match(err, new RegExp(`\\nunderstudy: ${9 - kept} exchanges are not in the recording; .*--from`))
})

test('a second Ctrl-C ends a recorder at once and keeps the recording', async () => {
  const { send, interrupt, ended, har, output, origin } = await recorder('twice')
  await send('GET', '/notes')
  await until(() => har().includes('/notes'))
  // The first one waits for this request.
  const slow = fetch(`${origin}/slow`).catch(() => undefined)
  await until(() => slowRequests > 0)
  interrupt()
  await new Promise(resolve => setTimeout(resolve, 200))
  interrupt()
  assert.equal((await ended).code, 130)
  await slow
  assert.equal(JSON.parse(har()).log.entries.length, 1)
  assert.equal(existsSync(join(output, 'gateway.yaml')), false)
})

test('the journal of a running gateway is recorded by the address of its control plane', async () => {
  const configuration = join(folder, 'gateway.yaml')
  const contract = {
    ...{ openapi: '3.1.0', info: { title: 'Notes', version: '1' } },
    paths: {
      '/notes': {
        get: {
          operationId: 'listNotes',
          responses: {
            200: {
              description: 'All',
              content: { 'application/json': { schema: {}, examples: { one: { value: [{ id: 1, text: 'first' }] } } } },
            },
          },
        },
      },
    },
  }
  const journal = { bodies: '64kB', headers: ['accept'] }
  writeFileSync(configuration, JSON.stringify({ contract, journal }))
  const gateway = run(['serve', configuration, '--port', '0', '--control-port', '0'])
  const said = await gateway.until('Control plane')
  const [origin = '', control = ''] = [...said.matchAll(/http:\/\/127\.0\.0\.1:\d+/g)].map(([url]) => url)
  await (await fetch(`${origin}/notes`)).text()
  const { code, out } = await run(['record', '--from', control, '--output', join(folder, 'journal')]).ended
  assert.equal(code, 0)
  assert.match(out, /1 of 1 recorded replies are equal/)
  gateway.stop()
  await gateway.ended
})
