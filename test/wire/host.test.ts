// The library leaves the process that uses it as it was: after it is imported, and after a mock has been started, called and
// closed.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { LIBRARY } from '../support/built-program.ts'

const CONFIG = {
  contract: {
    openapi: '3.1.0',
    info: { title: 'Greetings', version: '1' },
    paths: {
      '/hello/{name}': {
        parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string', pattern: '^[a-z]+$' } }],
        get: { operationId: 'hello', responses: { 200: { description: 'Hello' } } },
      },
    },
  },
  operations: { hello: { respond: { status: 200, body: { text: 'hello ${request.method}' } } } },
}

const PROGRAM = `
  import dns from 'node:dns'
  import events from 'node:events'
  import http from 'node:http'
  import https from 'node:https'
  import { syncBuiltinESMExports } from 'node:module'
  import net from 'node:net'
  import stream from 'node:stream'
  import tls from 'node:tls'
  import v8 from 'node:v8'

  // The flags of V8 cannot be read, and would apply to the whole process.
  const flags = []
  v8.setFlagsFromString = flag => flags.push(flag)
  syncBuiltinESMExports()

  const membersOf = thing => Reflect.ownKeys(thing).map(key => {
    const { value, get } = Reflect.getOwnPropertyDescriptor(thing, key)
    return [String(key), get ?? (typeof value === 'object' ? undefined : value)]
  })
  const globals = Object.getOwnPropertyNames(globalThis).filter(name => /^[A-Z]/.test(name) && globalThis[name])
  const constructors = [
    ...globals.map(name => [name, globalThis[name]]),
    ...Object.entries({ EventEmitter: events, ...http, ...net, ...stream, ...tls }),
  ].filter(([name, value]) => typeof value === 'function' && /^[A-Z]/.test(name))
  const state = () => new Map([
    ['globals', Object.getOwnPropertyNames(globalThis)],
    ...constructors.map(([name, value]) => [name, membersOf(value)]),
    ...constructors.flatMap(([name, { prototype }]) => prototype ? [[name + '.prototype', membersOf(prototype)]] : []),
    ...Object.entries({ Reflect, Math, JSON, dns, events, http, https, net, v8 }).map(([name, value]) => [name, membersOf(value)]),
    ['environment', Object.entries(process.env)],
    ['folder', process.cwd()],
    ['title', process.title],
    ['umask', process.umask()],
    ['listeners', process.eventNames().map(name => [String(name), process.listenerCount(name)])],
    ['warnings', events.defaultMaxListeners],
    ['stack traces', Error.stackTraceLimit],
    ['agents', [http.globalAgent, https.globalAgent].map(agent => [agent.keepAlive, agent.maxSockets, Object.keys(agent.options)])],
  ])
  const before = state()
  const changes = () => {
    const after = state()
    return [...before].flatMap(([name, value]) => {
      // Functions are compared by identity.
      const now = after.get(name)
      const same = (a, b) => Array.isArray(a) ? Array.isArray(b) && a.length === b.length && a.every((x, i) => same(x, b[i])) : Object.is(a, b)
      return same(value, now) ? [] : [name]
    })
  }
  const { startGateway, understudy } = await import(process.argv[1])
  const imported = changes()
  const config = JSON.parse(process.argv[2])
  const gateway = await startGateway({ config })
  const statuses = []
  for (const [path, init] of [['/hello/you'], ['/hello/7'], ['/hello/you', { method: 'POST', body: 'x' }]]) {
    statuses.push((await new Promise((resolve, reject) => {
      http.request(gateway.url + path, { agent: false, ...init }, reply => reply.resume().on('end', () => resolve(reply.statusCode))).on('error', reject).end()
    })))
  }
  await new Promise((resolve, reject) => http.get(gateway.control + '/metrics', { agent: false }, reply => reply.resume().on('end', resolve)).on('error', reject))
  await gateway.close()
  understudy({ config }).close()
  await new Promise(resolve => setTimeout(resolve, 100))
  const handles = process.getActiveResourcesInfo().filter(name => !/^(Timeout|Immediate|PipeWrap|TTYWrap)$/.test(name))
  process.stdout.write(JSON.stringify({ imported, started: changes(), flags, statuses, handles }))
`

test('importing the library, and starting and closing a mock, changes nothing in the process', () => {
  const args = ['--input-type=module', '--eval', PROGRAM, pathToFileURL(LIBRARY).href, JSON.stringify(CONFIG)]
  // The program ends by itself: nothing keeps it alive.
  const output = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 })
  assert.deepEqual(JSON.parse(output), { imported: [], started: [], flags: [], statuses: [200, 400, 405], handles: [] })
})
