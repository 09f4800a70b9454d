// The Model Context Protocol with its own client: over HTTP with and without a token, and over the input and output of a program.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { silentLog } from '../../../../src/gateway/log.ts'
import { start } from '../../../../src/start.ts'
import { WINGS } from '../../../../src/wings.ts'
import { realClock } from '../../../../src/world/clock.ts'
import { PROGRAM } from '../../../support/built-program.ts'
import { loadPlan } from '../../../support/load.ts'
import { ask } from '../../../wire/ask.ts'

const TOKEN = 'a-token-of-agents'
const clients: Client[] = []
const closing: (() => Promise<unknown>)[] = []
after(async () => {
  for (const client of clients) await client.close()
  for (const close of closing) await close()
})

interface Addresses {
  readonly url: string
  readonly control: string
}

async function serve(controlToken?: string): Promise<Addresses> {
  const load = () => loadPlan('config/gateway.yaml', '.', {})
  const loaded = load()
  assert.ok(loaded.plan)
  const { serving, close } = await start(loaded.plan, loaded, load, {
    wings: WINGS,
    clock: realClock,
    log: silentLog,
    watch: false,
    listen: { host: '127.0.0.1', port: 0, controlHost: '127.0.0.1', controlPort: 0, controlToken },
  })
  closing.push(() => close({ grace: 0 }))
  return { url: serving.origin, control: serving.controlOrigin }
}

async function connect(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1' })
  clients.push(client)
  await client.connect(transport)
  return client
}

const overHttp = (gateway: Addresses, headers: Record<string, string> = {}) =>
  new StreamableHTTPClientTransport(new URL(`${gateway.control}/mcp`), { requestInit: { headers } })

const overProgram = (args: readonly string[], env: Record<string, string> = {}) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...args],
    env: { PATH: process.env.PATH ?? '', ...env },
    stderr: 'pipe',
  })

/** The text that a tool answers. */
async function call(client: Client, name: string, values: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: values })
  const [part] = content as { type: string; text: string }[]
  return { text: part?.text ?? '', isError: isError === true }
}

for (const [way, open] of [
  ['over HTTP', (gateway: Addresses) => overHttp(gateway)],
  ['by the command', (gateway: Addresses) => overProgram(['--control', gateway.control])],
] as const) {
  suite(`an agent ${way}`, () => {
    let gateway: Addresses
    let client: Client
    before(async () => {
      gateway = await serve()
      client = await connect(open(gateway))
    })

    test('finds a tool for each operation of the control plane, and of which it may be careless', async () => {
      const { tools } = await client.listTools()
      const names = tools.map(({ name }) => name)
      for (const name of ['getVersion', 'listRequests', 'setClock', 'createRecord', 'giveAnswer']) {
        assert.ok(names.includes(name), name)
      }
      for (const name of ['getMetrics', 'getHealth', 'getReadiness', 'getRoot', 'streamRequests']) {
        assert.equal(names.includes(name), false, name)
      }
      const readOnly = (wanted: string) => tools.find(({ name }) => name === wanted)?.annotations?.readOnlyHint
      assert.deepEqual([readOnly('listRequests'), readOnly('reset')], [true, false])
      // Clients of large models accept no other names.
      for (const { name, inputSchema } of tools) {
        assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
        for (const argument of Object.keys(inputSchema.properties ?? {}))
          assert.match(argument, /^[a-zA-Z0-9_.-]{1,64}$/)
      }
    })

    test('writes a record that the API then serves, and finds the request', async () => {
      const place = { name: 'default', collection: 'pets', id: '4711' }
      const pet = { id: 4711, name: 'Agent Smith', categoryId: 1, status: 'sold' }
      assert.equal((await call(client, 'putRecord', { ...place, body: pet })).isError, false)
      const headers = { authorization: 'Bearer demo-key' }
      const reply = await fetch(`${gateway.url}/v1/pets/4711`, { headers })
      assert.equal(((await reply.json()) as { name: string }).name, 'Agent Smith')
      const { text } = await call(client, 'listRequests', { operation: 'getPet', status: '200', limit: 1 })
      assert.match(text, /"path":"\/v1\/pets\/4711"/)
    })

    test('gives the members of a family by name', async () => {
      const members = { 'header.user-agent': 'nobody' }
      // The journal keeps no header here: the control plane has read the member, and says so.
      const { text, isError } = await call(client, 'verifyRequests', { header_members: members, max: 0 })
      assert.equal(isError, true)
      assert.match(text, /the journal does not keep the header user-agent/)
    })

    test('is told what is wrong with a call', async () => {
      const mistaken = await call(client, 'setClock', { name: 'default', body: { instant: 'tomorow' } })
      assert.equal(mistaken.isError, true)
      assert.match(mistaken.text, /"status":400/)
      const nowhere = await call(client, 'getRecord', { name: 'default', collection: 'pets', id: '../../version' })
      assert.equal(nowhere.isError, true)
      await assert.rejects(client.callTool({ name: 'launch', arguments: {} }), /no tool is called "launch"/)
    })
  })
}

suite('with a token', () => {
  let gateway: Addresses
  before(async () => {
    gateway = await serve(TOKEN)
  })

  test('an agent without it is refused', async () => {
    await assert.rejects(connect(overHttp(gateway)))
    const { status, headers } = await ask(`${gateway.control}/mcp`, { method: 'POST', body: '{}' })
    assert.equal(status, 401)
    assert.match(String(headers['www-authenticate']), /^Bearer realm="control plane"/)
  })

  test('an agent with it may use every tool', async () => {
    const client = await connect(overHttp(gateway, { authorization: `Bearer ${TOKEN}` }))
    assert.match((await call(client, 'getVersion')).text, /"name":"understudy"/)
  })

  test('the command sends the one of its environment', async () => {
    const transport = overProgram(['--control', gateway.control], { UNDERSTUDY_CONTROL_TOKEN: TOKEN })
    const client = await connect(transport)
    assert.match((await call(client, 'getVersion')).text, /"name":"understudy"/)
  })

  test('the command without it says what is missing', async () => {
    const transport = overProgram(['--control', gateway.control])
    let told = ''
    transport.stderr?.on('data', chunk => {
      told += chunk
    })
    await assert.rejects(connect(transport))
    assert.match(told, /answered 401; set UNDERSTUDY_CONTROL_TOKEN/)
  })
})
