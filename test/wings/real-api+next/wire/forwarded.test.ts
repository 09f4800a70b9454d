import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startGateway } from '../../../../src/index.ts'
import type { NextReport } from '../../../../src/wings/next/types.ts'
import { until } from '../../../support/until.ts'
import { edited, GATEWAY, NOW, PAIRS } from '../../next/pairs.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))

test('the fields that a caller receives of the real API are those that are judged', async () => {
  const upstream = createServer((request, reply) => {
    reply.setHeader('content-type', 'application/json')
    reply.end(
      JSON.stringify(request.url?.endsWith('/b') ? { id: 'b', name: 'Max' } : { id: 'a', name: 'Rex', chip: '7' }),
    )
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const { port } = upstream.address() as AddressInfo
  after(() => upstream.close())
  const pair = PAIRS.find(({ change }) => change.startsWith('a field of a reply is removed'))
  writeFileSync(join(home, 'openapi.yaml'), NOW)
  writeFileSync(join(home, 'fewer.yaml'), edited(pair?.edits ?? []))
  const forward = `upstream: { url: 'http://127.0.0.1:${port}' }\ndefaults: { respond: { forward: {} } }\n`
  writeFileSync(join(home, 'forwards.yaml'), `${GATEWAY}next: ./fewer.yaml\n${forward}`)
  const gateway = await startGateway({ config: join(home, 'forwards.yaml') })
  try {
    for (const [id, consumer] of [
      ['a', 'ann'],
      ['b', 'bob'],
    ]) {
      await (await fetch(`${gateway.url}/pets/${id}`, { headers: { 'x-key': `key-of-${consumer}` } })).text()
    }
    const rows = await until(async () => {
      const { requests, ...report } = (await (await fetch(`${gateway.control}/next`)).json()) as NextReport
      return requests === 2 && report.rows.filter(({ calls }) => calls > 0)
    })
    assert.deepEqual(rows.map(({ consumer, verdict }) => [consumer, verdict]).sort(), [
      ['ann', 'may-break'],
      ['bob', 'safe'],
    ])
  } finally {
    await gateway.close()
  }
})
