// Measures the cost of sandboxes: a thousand over a seed of a hundred thousand records, with a list and a write in each.
// Run with: node --expose-gc --import tsx bench/worlds.ts

import { mkdtempSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Gateway } from '../src/gateway/gateway.ts'
import { silentLog } from '../src/gateway/log.ts'
import { startGateway } from '../src/index.ts'
import type { Request } from '../src/kernel/http.ts'
import { loadPlan } from '../src/load/load.ts'
import { realClock } from '../src/world/clock.ts'

const RECORDS = 100_000
const SANDBOXES = 1000

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
const things = Array.from({ length: RECORDS }, (_, i) => ({ id: i + 1, name: `thing ${i}`, kind: `kind ${i % 10}` }))
writeFileSync(join(home, 'things.json'), JSON.stringify(things))
writeFileSync(
  join(home, 'gateway.yaml'),
  `
contract:
  openapi: 3.1.0
  info: { title: Things, version: "1" }
  components:
    schemas:
      Thing:
        type: object
        required: [id, name]
        properties: { id: { type: integer }, name: { type: string }, kind: { type: string } }
      Draft: { type: object, required: [name], properties: { name: { type: string }, kind: { type: string } } }
  paths:
    /things:
      get:
        operationId: listThings
        parameters:
          - { name: limit, in: query, schema: { type: integer, default: 20 } }
          - { name: kind, in: query, schema: { type: string } }
        responses: { 200: { description: Fine } }
      post:
        operationId: createThing
        requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Draft" } } } }
        responses: { 201: { description: Made } }
resources: { things: { schema: Thing, seed: ./things.json, maxRecords: 1000000 } }
operations:
  listThings: { respond: { list: things, filter: [kind], limit: limit } }
  createThing: { respond: { create: things } }
`,
)
const { plan } = loadPlan('gateway.yaml', home, {})
if (plan === undefined) throw new Error('the configuration of this bench is wrong')
const gateway = new Gateway(plan, realClock, silentLog, '0')

const draft = new TextEncoder().encode('{"name":"another","kind":"kind 3"}')
const requestOf = (method: 'GET' | 'POST', world?: string): Request => ({
  method,
  path: '/things',
  query: method === 'GET' ? 'kind=kind 3' : '',
  headers: {
    ...(world === undefined ? {} : { 'understudy-world': world }),
    ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
  },
  hasBody: method === 'POST',
  readBody: async () => ({ bytes: draft }),
  address: '127.0.0.1',
})

type Send = (one: Request) => Promise<number | undefined>
const inProcess: Send = async one => (await gateway.handle(one)).status

/** The median time of a request, in microseconds. */
async function median(count: number, make: (i: number) => Request, send: Send = inProcess): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const one = make(i)
    const started = performance.now()
    const status = await send(one)
    times.push((performance.now() - started) * 1000)
    if (status === undefined || status >= 300) throw new Error(`answered ${status}`)
  }
  return times.sort((a, b) => a - b)[count >> 1] as number
}

const collect = (globalThis as { gc?: () => void }).gc
const used = (): number => {
  collect?.()
  collect?.()
  return process.memoryUsage().heapUsed / 1e6
}

await median(5000, () => requestOf('GET'))
await median(5000, () => requestOf('POST'))
for (const method of ['GET', 'POST'] as const) {
  gateway.reset()
  const ordinary = await median(SANDBOXES, () => requestOf(method))
  const before = used()
  const first = await median(SANDBOXES, i => requestOf(method, `${method}-${i}`))
  const after = used()
  const second = await median(SANDBOXES, i => requestOf('POST', `${method}-${i}`))
  const written = used()
  console.log(
    [
      `${method}: ordinary ${ordinary.toFixed(1)} µs`,
      `first of a sandbox ${first.toFixed(1)} µs (× ${(first / ordinary).toFixed(2)})`,
      `a write after it ${second.toFixed(1)} µs`,
      `${SANDBOXES} sandboxes ${(after - before).toFixed(1)} MB, each written to once more ${(written - before).toFixed(1)} MB`,
    ].join(', '),
  )
  for (const { name } of gateway.worlds.list()) gateway.worlds.delete(name)
}

const served = await startGateway({ config: join(home, 'gateway.yaml') })
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const overHttp: Send = ({ method, path, query, headers }) =>
  new Promise((resolve, reject) => {
    const url = `${served.url}${path}${query === '' ? '' : `?${encodeURI(query)}`}`
    const sent = request(url, { method, agent, headers: headers as Record<string, string> }, received => {
      received.resume().on('end', () => resolve(received.statusCode))
    })
    sent.on('error', reject).end(method === 'POST' ? draft : undefined)
  })
for (const method of ['GET', 'POST'] as const) {
  await median(2000, () => requestOf(method), overHttp)
  const ordinary = await median(SANDBOXES, () => requestOf(method), overHttp)
  const first = await median(SANDBOXES, i => requestOf(method, `${method}-${i}`), overHttp)
  console.log(
    `${method} over HTTP: ordinary ${ordinary.toFixed(0)} µs, first of a sandbox ${first.toFixed(0)} µs (× ${(first / ordinary).toFixed(2)})`,
  )
}
agent.destroy()
await served.close()
