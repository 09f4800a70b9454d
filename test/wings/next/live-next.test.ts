// A gateway with a next contract judges each request by it, too, and keeps the verdicts over a reload.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import { formatReport } from '../../../src/kernel/report.ts'
import type { Loaded } from '../../../src/load/load.ts'
import { nextObserver } from '../../../src/wings/next/observe.ts'
import type { NextReport } from '../../../src/wings/next/report.ts'
import { breathe } from '../../../src/world/real-time.ts'
import { driving } from '../../support/in-process.ts'
import { loadPlan } from '../../support/load.ts'
import { edited, GATEWAY, NOW, PAIRS } from './pairs.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))

const changed = (start: string) => PAIRS.find(({ change }) => change.startsWith(start))?.edits ?? []
const NEXT = edited([...changed('an operation is removed'), ...changed('an enum of requests')])

const loadNext = (next: string, now = NOW): Loaded => {
  writeFileSync(join(home, 'openapi.yaml'), now)
  writeFileSync(join(home, 'next.yaml'), next)
  writeFileSync(join(home, 'gateway.yaml'), `next: ./next.yaml\n${GATEWAY}`)
  return loadPlan('gateway.yaml', home, {})
}
const served = (next = NEXT) => {
  const { gateway, send } = driving(loadNext(next))
  const create = (kind: string, headers: Record<string, string> = {}) =>
    send('POST /pets', { name: 'Rex', kind }, { 'content-type': 'application/json', 'x-key': 'key-of-ann', ...headers })
  return { gateway, send, create }
}
const reportOf = async (gateway: Gateway): Promise<NextReport> => {
  const next = gateway.observed(nextObserver)
  // The first report waits for the modules that judge.
  await next.report()
  await breathe()
  await breathe()
  const report = await next.report()
  assert.ok(report)
  return report
}
const verdictsOf = ({ rows }: NextReport) => {
  const called = rows.filter(({ calls }) => calls > 0)
  return called.map(({ consumer, operation, verdict, calls }) => [consumer, operation, verdict, calls].join(' '))
}

test('each request is judged by both contracts, and counted by verdict', async () => {
  const { gateway, send, create } = served()
  await create('bird')
  await create('cat')
  await send('GET /pets/a', undefined, { 'x-key': 'key-of-bob' })
  const report = await reportOf(gateway)
  assert.deepEqual(verdictsOf(report), ['ann createPet breaks 2', 'bob getPet safe 1'])
  const [finding] = report.rows[0]?.findings ?? []
  assert.deepEqual([finding?.reason, finding?.calls], ['/kind must be one of "cat", "dog"', 1])
  assert.match(finding?.try ?? '', /x-key: \*\*\*.*"kind":"bird"/)
  assert.deepEqual([report.neverSeen, report.requests], [['eve'], 3])
  assert.deepEqual(report.notSeen, { bob: ['createPet'] })
  const page = await gateway.metrics.page()
  assert.match(page, /^understudy_next_total\{consumer="ann",operation="createPet",verdict="breaks"\} 1$/m)
  assert.match(page, /^understudy_next_total\{consumer="ann",operation="createPet",verdict="safe"\} 1$/m)
})

test('a reply has the verdict where its caller asks for it', async () => {
  const { gateway, send, create } = served()
  const ask = { 'understudy-next': '1' }
  const { headers } = await create('bird', ask)
  assert.equal(headers['understudy-next'], 'breaks; reason="/kind must be one of \\"cat\\", \\"dog\\""')
  assert.equal((await create('cat', ask)).headers['understudy-next'], 'safe')
  assert.equal((await create('bird')).headers['understudy-next'], undefined)
  assert.equal((await send('GET /nothing', undefined, ask)).headers['understudy-next'], undefined)
  assert.deepEqual(verdictsOf(await reportOf(gateway)), ['ann createPet breaks 3'])
})

test('requests to a world on another contract are not judged', async () => {
  writeFileSync(join(home, 'openapi.yaml'), NOW)
  writeFileSync(join(home, 'next.yaml'), NEXT)
  const worlds = 'worlds: { sandboxes: true, named: { future: { contract: ./next.yaml } } }\n'
  writeFileSync(join(home, 'worlds.yaml'), `next: ./next.yaml\n${GATEWAY}${worlds}`)
  const loaded = loadPlan('worlds.yaml', home, {})
  assert.deepEqual(loaded.report.list, [])
  const { gateway, send } = driving(loaded)
  const ask = { 'x-key': 'key-of-bob', 'understudy-next': '1' }
  const { headers } = await send('GET /pets', undefined, { ...ask, 'understudy-world': 'future' })
  assert.equal(headers['understudy-next'], undefined)
  assert.equal((await send('GET /pets', undefined, ask)).headers['understudy-next'], 'safe')
  assert.deepEqual(verdictsOf(await reportOf(gateway)), ['bob listPets safe 1'])
})

test('a scope that the credential of a consumer lacks breaks it', async () => {
  const flows = { clientCredentials: { tokenUrl: 'https://example.com', scopes: { read: 'Reads.', write: 'Writes.' } } }
  const document = (scopes: string[]) => ({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    components: { securitySchemes: { login: { type: 'oauth2', flows } } },
    paths: {
      '/pets': {
        get: { operationId: 'a', security: [{ login: scopes }], responses: { 200: { description: 'Pets.' } } },
      },
    },
  })
  const consumers = 'consumers: { ann: { login: aaaa, scopes: [read] }, bob: { login: bbbb, scopes: [read, write] } }'
  writeFileSync(join(home, 'scoped.json'), JSON.stringify(document(['read'])))
  writeFileSync(join(home, 'scoped-next.json'), JSON.stringify(document(['read', 'write'])))
  writeFileSync(join(home, 'scoped.yaml'), `contract: scoped.json\nnext: scoped-next.json\n${consumers}\n`)
  const { send } = driving(loadPlan('scoped.yaml', home, {}))
  const verdictOf = async (key: string) =>
    (await send('GET /pets', undefined, { authorization: `Bearer ${key}`, 'understudy-next': '1' })).headers[
      'understudy-next'
    ]
  assert.equal(await verdictOf('aaaa'), 'breaks; reason="a scope is required that its credential does not have: write"')
  assert.equal(await verdictOf('bbbb'), 'safe')
})

test('a reload keeps the verdicts on operations that are the same in both contracts', async () => {
  const { gateway, send, create } = served()
  await create('bird')
  await send('GET /pets/a', undefined, { 'x-key': 'key-of-bob' })
  await reportOf(gateway)
  const mended = loadNext(edited(changed('an operation is removed')), `# A first line.\n${NOW}`)
  assert.ok(mended.plan)
  gateway.adopt(mended.plan)
  const report = await reportOf(gateway)
  assert.deepEqual([verdictsOf(report), report.requests], [['bob getPet safe 1'], 1])
  await create('bird')
  assert.deepEqual(verdictsOf(await reportOf(gateway)), ['bob getPet safe 1', 'ann createPet safe 1'])
})

test('the places of a kept verdict follow their parts', async () => {
  const { gateway, create } = served()
  await create('bird')
  const before = (await reportOf(gateway)).rows[0]?.findings[0]
  const { plan } = loadNext(`# A first line.\n${NEXT}`)
  assert.ok(plan)
  gateway.adopt(plan)
  const kept = (await reportOf(gateway)).rows[0]?.findings[0]
  const lineOf = (place = '') => Number(place.split(':')[1])
  assert.deepEqual([lineOf(kept?.now), lineOf(kept?.next)], [lineOf(before?.now), lineOf(before?.next) + 1])
})

test('more requests than may wait are counted as not judged', async () => {
  const { gateway, send } = served()
  await Promise.all(Array.from({ length: 300 }, () => send('GET /pets/a', undefined, { 'x-key': 'key-of-bob' })))
  const { requests, dropped } = await reportOf(gateway)
  assert.equal(requests + dropped, 300)
})

test('the mistakes of a broken next contract are reported with all others, and it is watched', () => {
  loadNext('openapi: 3.1.0\ninfo: { title: x\npaths: {}\n')
  writeFileSync(join(home, 'wrong.yaml'), `next: ./next.yaml\n${GATEWAY}seed: x\n`)
  const { plan, report, files } = loadPlan('wrong.yaml', home, {})
  assert.equal(plan, undefined)
  assert.match(formatReport(report), /wrong\.yaml:\d+:7 error[\s\S]*next\.yaml:2:7 error syntax/)
  assert.ok(files.some(file => file.endsWith('next.yaml')))
})

test('a next contract of another API is a warning, and has no rows', async () => {
  const other =
    'openapi: 3.1.0\ninfo: { title: Sky, version: "1" }\npaths: { /sky: { get: { responses: { 200: { description: ok } } } } }\n'
  const loaded = loadNext(other)
  assert.match(
    formatReport(loaded.report),
    /gateway\.yaml:1:7 warning unrelated-contract: the next contract has no path of the contract\n/,
  )
  const { gateway, send } = driving(loaded)
  await send('GET /pets/a')
  const { related, rows } = await reportOf(gateway)
  assert.deepEqual([related, rows], [false, []])
})

test('a gateway without a next contract has no report and gives no verdict', async () => {
  writeFileSync(join(home, 'bare.yaml'), GATEWAY)
  writeFileSync(join(home, 'openapi.yaml'), NOW)
  const { gateway, send } = driving(loadPlan('bare.yaml', home, {}))
  const { headers } = await send('GET /pets/a', undefined, { 'understudy-next': '1' })
  assert.equal(headers['understudy-next'], undefined)
  assert.equal(await gateway.observed(nextObserver).report(), undefined)
})
