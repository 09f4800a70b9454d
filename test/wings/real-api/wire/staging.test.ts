import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startGateway } from '../../../../src/index.ts'
import { STAGED_CONTRACT, StagingServer, stagedConfiguration } from '../staging.ts'

const closing: (() => unknown)[] = []
after(async () => {
  for (const close of closing.reverse()) await close()
})

/** Starts a staging server of three invoices, and writes a configuration over it. */
async function stand(more = '') {
  const staging = new StagingServer()
  staging.customers.set(1, { id: 1, name: 'one' })
  for (const id of [1, 2, 3]) staging.invoices.set(id, { id, customer: 1, status: 'open', amount: id })
  let hangs = false
  const server = createServer((req, res) => {
    const { status, body } = staging.answer(req.method ?? '', req.url?.slice('/api'.length) ?? '')
    if (!hangs) res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  closing.push(close)
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  closing.push(() => rmSync(folder, { recursive: true }))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  const yaml = stagedConfiguration(url, '0s', more).replace(`"${url}"`, `"${url}", timeout: 500ms`)
  writeFileSync(join(folder, 'gateway.yaml'), yaml)
  writeFileSync(join(folder, 'openapi.yaml'), STAGED_CONTRACT)
  const start = async () => {
    const gateway = await startGateway({ config: join(folder, 'gateway.yaml'), port: 0, controlPort: 0 })
    closing.push(() => gateway.close())
    const ask = async (line: string, world = 'default', body?: unknown) => {
      const [method = '', path = ''] = line.split(' ')
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const headers = { 'understudy-world': world, ...(body === undefined ? {} : { 'content-type': type }) }
      const reply = await fetch(gateway.url + path, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      })
      const text = await reply.text()
      return { status: reply.status, body: text === '' ? undefined : JSON.parse(text), headers: reply.headers }
    }
    const control = async (line: string) => {
      const [method = '', path = ''] = line.split(' ')
      return (await fetch(gateway.control + path, { method })).json() as Promise<unknown>
    }
    return { gateway, ask, control }
  }
  return { staging, close, start, hang: () => (hangs = true) }
}

const amounts = ({ body }: { readonly body: { readonly data: readonly { readonly amount: number }[] } }): number[] =>
  body.data.map(({ amount }) => amount)

test('two worlds share a staging, and neither meets the writes of the other', async () => {
  const { staging, start } = await stand()
  const { ask, control, gateway } = await start()
  assert.equal((await ask('DELETE /invoices/1', 'a')).status, 204)
  assert.equal((await ask('PATCH /invoices/2', 'a', { amount: 20 })).status, 200)
  assert.equal((await ask('POST /invoices', 'b', { customer: 1, status: 'paid', amount: 9 })).status, 201)
  assert.deepEqual(amounts(await ask('GET /invoices', 'a')), [20, 3])
  assert.deepEqual(amounts(await ask('GET /invoices', 'b')), [1, 2, 3, 9])
  assert.deepEqual(amounts(await ask('GET /invoices')), [1, 2, 3])
  const shown = (await control('GET /worlds/a/collections/invoices')) as readonly Record<string, unknown>[]
  assert.deepEqual(
    shown.map(one => [one.id, one['{deleted}'], one['{upstream}']]),
    [
      [1, true, undefined],
      [2, undefined, { id: 2, customer: 1, status: 'open', amount: 2 }],
    ],
  )
  await gateway.world('a').reset()
  assert.deepEqual(amounts(await ask('GET /invoices', 'a')), [1, 2, 3])
  assert.ok(
    staging.asked.every(one => one.startsWith('GET ')),
    staging.asked.join(),
  )
})

test('the changes of a world outlast a restart where its state is kept in a file', async () => {
  const { staging, start } = await stand('state: { file: ./state, sync: always }')
  const first = await start()
  await Promise.all([
    first.ask('DELETE /invoices/1', 'a'),
    first.ask('PATCH /invoices/2', 'a', { amount: 20 }),
    first.ask('POST /invoices', 'a', { customer: 1, status: 'paid', amount: 9 }),
  ])
  await first.gateway.close()
  staging.invoices.set(4, { id: 4, customer: 1, status: 'open', amount: 4 })
  const second = await start()
  assert.deepEqual(amounts(await second.ask('GET /invoices', 'a')), [20, 3, 4, 9])
  assert.deepEqual(amounts(await second.ask('GET /invoices', 'b')), [1, 2, 3, 4])
})

test('a staging that is late or away costs 504 and 502, and nothing that the world has', async () => {
  const { start, hang, close } = await stand('state: { history: true }')
  const { ask } = await start()
  await ask('PATCH /invoices/2', 'a', { amount: 20 })
  hang()
  const late = ask('GET /invoices/1', 'a')
  assert.equal((await ask('GET /invoices/2', 'a')).status, 200, 'no other request waits')
  assert.equal((await late).status, 504)
  close()
  const away = await ask('GET /invoices/1', 'a')
  assert.deepEqual([away.status, away.headers.get('content-type')], [502, 'application/problem+json'])
  assert.equal((await ask('DELETE /invoices/2', 'a')).status, 204)
})
