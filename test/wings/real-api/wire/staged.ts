// A staging server of three invoices, and a gateway over it that may be started again.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway } from '../../../../src/index.ts'
import { STAGED_CONTRACT, StagingServer, stagedConfiguration } from '../staging.ts'

const closing: (() => unknown)[] = []
/** Closes all that was started. Call it in `after`. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close()
}

/** Starts a staging server of three invoices, and writes a configuration over it. */
export async function stand(more = '') {
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

export const amounts = ({
  body,
}: {
  readonly body: { readonly data: readonly { readonly amount: number }[] }
}): number[] => body.data.map(({ amount }) => amount)
