import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, suite, test } from 'node:test'
import { type Log, silentLog } from '../../src/gateway/log.ts'
import type { LoadOptions } from '../../src/load/load.ts'
import { start } from '../../src/start.ts'
import { realClock } from '../../src/world/clock.ts'
import { loadPlan } from '../support/load.ts'
import { until } from '../support/until.ts'
import { type Asked, ask } from './ask.ts'
import { Raw } from './raw.ts'

const AUTHORIZED = { authorization: 'Bearer demo-key' }
const PORTS = { host: '127.0.0.1', port: 0, controlHost: '127.0.0.1', controlPort: 0, controlToken: undefined }

/** Serves a copy of the shipped configuration that tests change, and watches it. */
async function serveCopy({
  watch = false,
  home = mkdtempSync(join(tmpdir(), 'understudy-')),
  file = 'config/gateway.yaml',
  files = {},
} = {}) {
  cpSync('config', join(home, dirname(file)), { recursive: true })
  cpSync('fixtures', join(home, dirname(file), '../fixtures'), { recursive: true })
  for (const [name, text] of Object.entries<string>(files)) writeFileSync(join(home, dirname(file), name), text)
  const said: string[] = []
  const log: Log = {
    ...silentLog,
    requests: false,
    info: (_, message) => void said.push(message),
    warn: (_, message) => void said.push(message),
    error: (_, message) => void said.push(message),
  }
  const load = (options?: LoadOptions) => loadPlan(file, home, {}, options)
  const loaded = load()
  assert.ok(loaded.plan)
  const started = await start(loaded.plan, loaded, load, { clock: realClock, log, watch, listen: PORTS })
  const { serving } = started
  const url = `${serving.origin}/v1`
  after(async () => {
    await started.close()
    rmSync(home, { recursive: true })
  })
  const path = (name: string) => join(home, dirname(file), name)
  return {
    said,
    path,
    url,
    get: (target: string): Promise<Asked> => ask(url + target, { headers: AUTHORIZED }),
    post: (body: object): Promise<Asked> => {
      const headers = { ...AUTHORIZED, 'content-type': 'application/json' }
      return ask(`${url}/pets`, { method: 'POST', headers, body: JSON.stringify(body) })
    },
    metric: async (name: string) => {
      const { text } = await ask(`${serving.controlOrigin}/metrics`)
      return text
        .split('\n')
        .find(line => line.startsWith(`${name} `))
        ?.split(' ')[1]
    },
    reset: () => ask(`${serving.controlOrigin}/reset`, { method: 'POST' }),
    reload: () => ask(`${serving.controlOrigin}/reload`, { method: 'POST' }),
    /** Changes a file in place. */
    edit(name: string, from: string | RegExp, to: string): void {
      const text = readFileSync(path(name), 'utf8')
      assert.notEqual(text.replace(from, to), text, `${from} is not in ${name}`)
      writeFileSync(path(name), text.replace(from, to))
    },
  }
}

const NO_ORDERS = 'listOrders: { respond: { status: 501 } }'
const BUSY = 'listOrders: { respond: { status: 503 } }'

suite('a watched file is reloaded', { concurrency: true }, () => {
  for (const [how, change] of [
    ['written in place', (path: string, text: string) => writeFileSync(path, text)],
    [
      'replaced by another',
      (path: string, text: string) => {
        writeFileSync(`${path}.new`, text)
        renameSync(`${path}.new`, path)
      },
    ],
    [
      'removed and made again',
      (path: string, text: string) => {
        rmSync(path)
        setTimeout(() => writeFileSync(path, text), 1000)
      },
    ],
  ] as const) {
    test(`when the file is ${how}, and created records stay`, async () => {
      const { get, post, path, said } = await serveCopy({ watch: true })
      assert.equal((await post({ name: 'Rex', categoryId: 1 })).status, 201)
      assert.equal((await get('/store/orders')).status, 501)
      const file = path('gateway.yaml')
      change(file, readFileSync(file, 'utf8').replace(NO_ORDERS, BUSY))
      await until(async () => (await get('/store/orders')).status === 503)
      assert.equal((await get('/pets/51')).status, 200)
      assert.equal(said.at(-1), 'the configuration was reloaded')
    })
  }

  test('when a link to the folder of the file is swapped', async () => {
    const home = mkdtempSync(join(tmpdir(), 'understudy-'))
    for (const name of ['one', 'two']) mkdirSync(join(home, name))
    symlinkSync('one', join(home, 'current'))
    const { get } = await serveCopy({ watch: true, home, file: 'current/config/gateway.yaml' })
    cpSync(join(home, 'one'), join(home, 'two'), { recursive: true })
    const other = join(home, 'two/config/gateway.yaml')
    writeFileSync(other, readFileSync(other, 'utf8').replace(NO_ORDERS, BUSY))
    symlinkSync('two', join(home, 'next'))
    renameSync(join(home, 'next'), join(home, 'current'))
    await until(async () => (await get('/store/orders')).status === 503)
  })

  test('when it is included, and when a new one matches a pattern', async () => {
    const shipped = readFileSync('config/gateway.yaml', 'utf8')
    const include = 'include:\n  - ./orders.yaml\n  - ./more-*.yaml\n'
    const { get, path, said } = await serveCopy({
      watch: true,
      files: {
        'gateway.yaml': shipped + include,
        'orders.yaml': `operations:\n  ${BUSY}\n`,
        'more-a.yaml': 'seed: 1\n',
      },
    })
    assert.equal((await get('/store/orders')).status, 503)
    writeFileSync(path('orders.yaml'), `operations:\n  ${NO_ORDERS}\n`)
    await until(async () => (await get('/store/orders')).status === 501)
    writeFileSync(path('more-b.yaml'), `operations:\n  ${BUSY.replace('503', '502')}\n`)
    await until(async () => (await get('/store/orders')).status === 502)
    writeFileSync(path('more-b.yaml'), 'operations:\n  listOrder: {}\n')
    await until(() => /more-b\.yaml:2:3 error unknown-operation/.test(said.at(-1) ?? ''))
    assert.equal((await get('/store/orders')).status, 502)
    rmSync(path('more-b.yaml'))
    await until(async () => (await get('/store/orders')).status === 501)
  })

  test('but the last good configuration is kept while the file is broken', async () => {
    const { get, edit, said, metric } = await serveCopy({ watch: true })
    const SUCCESS = 'understudy_config_last_reload_successful'
    assert.equal(await metric(SUCCESS), '1')
    edit('openapi.yaml', 'maximum: 100', 'maximum: [')
    await until(async () => (await metric(SUCCESS)) === '0')
    assert.equal((await get('/pets')).status, 200)
    assert.match(said.at(-1) ?? '', /the last good one keeps serving/)
    assert.match(said.at(-1) ?? '', /config\/openapi\.yaml:\d+:\d+ error syntax/)
    edit('openapi.yaml', 'maximum: [', 'maximum: 5')
    await until(async () => (await metric(SUCCESS)) === '1')
    assert.equal((await get('/pets?limit=6')).status, 400)
  })
})

suite('a contract in several files', { concurrency: true }, () => {
  const schema = '{ content: { application/json: { schema: { $ref: Thing.yaml } } } }'
  const files = {
    'openapi.yaml': `
openapi: 3.0.3
info: { title: Things, version: "1" }
servers: [{ url: /v1 }]
paths:
  /things: { $ref: things.yaml }
  /things/{id}: { $ref: thing.yaml }
  /notes: { $ref: notes.yaml }`,
    'things.yaml': `
get: { responses: { 200: { description: ok, content: { application/json: { schema: { type: array, items: { $ref: Thing.yaml } } } } } } }
post: { requestBody: ${schema}, responses: { 201: { description: ok, ${schema.slice(2)} } }`,
    'thing.yaml': `
parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
get: { responses: { 200: { description: ok, ${schema.slice(2)} } }`,
    'several.yaml': `
contract: ./openapi.yaml
resources: { things: { schema: Thing, seed: { generate: 5 } } }
operations:
  GET /things: { respond: { list: things } }
  POST /things: { respond: { create: things } }
  GET /things/{id}: { respond: { read: things } }
`,
    'Thing.yaml': 'type: object\nproperties:\n  id: { type: integer, readOnly: true }\n  name: { type: string }',
  }
  const serveFiles = () => serveCopy({ file: 'config/several.yaml', files })
  const add = async ({ url }: Awaited<ReturnType<typeof serveFiles>>) => {
    const headers = { 'content-type': 'application/json' }
    const { status, text } = await ask(`${url}/things`, { method: 'POST', headers, body: '{"name":"Rex"}' })
    assert.deepEqual([status, text], [201, '{"id":6,"name":"Rex"}'])
  }

  for (const [how, change, told] of [
    [
      'broken',
      (path: string) => writeFileSync(path, `${files['Thing.yaml']}\n  age: [`),
      'config/Thing.yaml:5:8 error syntax',
    ],
    ['missing', (path: string) => rmSync(path), 'config/things.yaml:2:114 error no-such-file'],
    ['empty', (path: string) => writeFileSync(path, ''), 'config/things.yaml:2:114 error empty-file'],
  ] as const) {
    test(`is not reloaded while one of them is ${how}`, async () => {
      const served = await serveFiles()
      const { get, path, reload, said } = served
      await add(served)
      change(path('Thing.yaml'))
      const { status, text } = await reload()
      assert.equal(status, 422, text)
      assert.ok(said.at(-1)?.includes(told), said.at(-1))
      assert.match((await get('/things/6')).text, /Rex/)
      writeFileSync(path('Thing.yaml'), files['Thing.yaml'])
      assert.equal((await reload()).status, 200)
      assert.match((await get('/things/6')).text, /Rex/)
    })
  }

  test('is reloaded without a file that was missing from the start', async () => {
    const { get, edit, reload } = await serveFiles()
    assert.equal((await get('/notes')).status, 404)
    edit('things.yaml', '201', '202')
    assert.equal((await reload()).status, 200)
    edit('openapi.yaml', 'thing.yaml', 'thimg.yaml')
    const { status, text } = await reload()
    assert.deepEqual([status, /config\/thimg\.yaml/.test(text)], [422, true])
  })
})

test('a changed fixture applies at the next reset', async () => {
  const { get, edit, reload, reset } = await serveCopy()
  edit('../fixtures/pets.yaml', 'name: Rex', 'name: Max')
  assert.equal((await reload()).status, 200)
  assert.match((await get('/pets/1')).text, /Rex/)
  await reset()
  assert.match((await get('/pets/1')).text, /Max/)
})

test('a request during a reload ends with its first configuration', async () => {
  const { get, edit, reload } = await serveCopy()
  edit('gateway.yaml', NO_ORDERS, 'listOrders: { latency: { fixed: 700ms }, respond: { status: 501 } }')
  assert.equal((await reload()).status, 200)
  const early = get('/store/orders')
  await get('/pets')
  edit('gateway.yaml', 'listOrders: { latency: { fixed: 700ms }, respond: { status: 501 } }', BUSY)
  assert.equal((await reload()).status, 200)
  assert.equal((await get('/store/orders')).status, 503)
  assert.equal((await early).status, 501)
})

test('a new resource, filter, operation and limit take effect', async () => {
  const { get, post, edit, reload } = await serveCopy()
  await post({ name: 'Rex', categoryId: 77 })
  edit('gateway.yaml', 'filter: [status]', 'filter: [status, categoryId]')
  edit('gateway.yaml', 'body: 1MB', 'body: 60B')
  edit(
    'gateway.yaml',
    /resources:\n/,
    'resources:\n  orders: { schema: Pet, seed: [{ id: 9, name: one, categoryId: 1 }] }\n',
  )
  edit('gateway.yaml', NO_ORDERS, 'listOrders: { respond: { list: orders } }')
  edit(
    'openapi.yaml',
    /( +)- name: status\n/,
    '$1- { name: categoryId, in: query, schema: { type: integer, format: int64 } }\n$1- name: status\n',
  )
  const { status, text } = await reload()
  assert.equal(status, 200, text)
  assert.equal((await get('/pets?categoryId=77')).text, '[{"id":51,"name":"Rex","categoryId":77,"status":"available"}]')
  assert.equal((await get('/store/orders')).text, '[{"id":9,"name":"one","categoryId":1}]')
  assert.equal((await post({ name: 'a'.repeat(60), categoryId: 1 })).status, 413)
})

test('a lower maxRecords removes the oldest created records', async () => {
  const { get, post, edit, reload } = await serveCopy()
  for (const name of ['a', 'b', 'c']) await post({ name, categoryId: 1 })
  edit('gateway.yaml', 'maxRecords: 100000', 'maxRecords: 51')
  assert.equal((await reload()).status, 200)
  const statuses = await Promise.all([1, 50, 51, 52, 53].map(async id => (await get(`/pets/${id}`)).status))
  assert.deepEqual(statuses, [200, 200, 404, 404, 200])
})

test('new limits of headers and time apply to the next connection', async () => {
  const { url, edit, reload } = await serveCopy()
  edit('gateway.yaml', 'body: 1MB', 'headers: 1kB, request: 300ms')
  assert.equal((await reload()).status, 200)
  const long = new Raw(url).send(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(1500)}\r\n\r\n`)
  assert.equal((await long.replies())[0]?.status, 431)
  const slow = new Raw(url).send('GET /v1/pe')
  assert.equal((await slow.replies())[0]?.status, 408)
})

test('https that is switched on is reported to need a restart', async () => {
  const { edit, reload, said, get } = await serveCopy()
  edit('gateway.yaml', 'port: 4010', 'tls: self-signed, port: 4010')
  assert.equal((await reload()).status, 200)
  assert.deepEqual(
    said.filter(line => line.includes('restart')).map(line => /\w[^"]*restart[^"]*/.exec(line)?.[0]),
    ['listen.tls has changed by more than its files; restart to apply it'],
  )
  assert.equal((await get('/pets')).status, 200)
})

test('a changed port is reported to need a restart', async () => {
  const { edit, reload, said, get } = await serveCopy()
  edit('gateway.yaml', 'port: 4010', 'port: 4020')
  assert.equal((await reload()).status, 200)
  assert.ok(
    said.some(line => /port has changed; restart to listen on it/.test(line)),
    said.join(),
  )
  assert.equal((await get('/pets')).status, 200)
})
