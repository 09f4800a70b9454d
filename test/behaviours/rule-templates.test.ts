import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { describe, test } from 'node:test'
import { Gateway } from '../../src/gateway/gateway.ts'
import { silentLog } from '../../src/gateway/log.ts'
import type { Reply } from '../../src/kernel/http.ts'
import { realClock } from '../../src/world/clock.ts'
import { CONTRACT, simulate } from '../simulate.ts'
import { fileOf, requestOf } from '../support/in-process.ts'
import { loadPlan } from '../support/load.ts'

const bodyOf = ({ body }: Reply) => (body === undefined ? undefined : JSON.parse(String(body)))

describe('templates in the fields of a record', () => {
  const FIELDS = `
operations:
  createThing: { respond: { create: things } }
  changeThing: { respond: { update: things, set: { by: "\${consumer}", seen: "\${request.headers['x-seen']}" } } }
`
  const contract = CONTRACT.replace(
    'properties: { id: { type: integer }, name: { type: string } }',
    'properties: { id: { type: integer }, name: { type: string }, slug: { type: string }, n: { type: integer }, by: { type: string }, seen: { type: string }, at: { type: integer, format: unix-time } }',
  ).replace(
    'resources: { things: { schema: Thing,',
    'resources: { things: { schema: Thing, defaults: { slug: "${request.body.name.lowerAscii()}-${ordinal}", n: "${request.body.name.size()}" },',
  )

  test('can use the request, and a field whose expression fails is left out', async () => {
    const path = fileOf(contract + FIELDS)
    const { plan, report } = loadPlan(path, dirname(path), {})
    assert.ok(plan, JSON.stringify(report.list.map(({ message }) => message)))
    const gateway = new Gateway(plan, realClock, silentLog, '0')
    const made = bodyOf(await gateway.handle(requestOf('POST /things', { body: { name: 'Rex' } })))
    assert.deepEqual([made.slug, made.n], ['rex-1', 3])
    const headers = { 'x-key': 'ann-key', 'x-seen': 'today' }
    const changed = bodyOf(await gateway.handle(requestOf('PATCH /things/3', { headers, body: {} })))
    assert.equal(changed.seen, 'today')
    const again = bodyOf(await gateway.handle(requestOf('PATCH /things/3', { body: {} })))
    assert.equal(again.seen, 'today')
  })
})

describe('templates around a page and a record', () => {
  const contract = CONTRACT.replaceAll(
    'schema: { $ref: "#/components/schemas/Things" }',
    'schema: { type: object }',
  ).replaceAll('schema: { $ref: "#/components/schemas/Thing" }', 'schema: { type: object }')
  const AROUND = `
operations:
  listThings:
    respond: { list: things, headers: { X-By: "\${request.method}" }, body: { data: "\${page.items}", at: "\${now}", meta: { by: "by \${request.method}", n: "\${ordinal}", none: "\${request.headers['x-none']}" } } }
  getThing: { respond: { read: things, body: { thing: "\${record.value}", path: "\${request.path}" } } }
`

  test('can use the request and the wrapped records', async () => {
    const path = fileOf(contract + AROUND)
    const { plan, report } = loadPlan(path, dirname(path), {})
    assert.ok(plan, JSON.stringify(report.list.map(({ message }) => message)))
    const gateway = new Gateway(plan, realClock, silentLog, '0')
    const page = await gateway.handle(requestOf('GET /things', { headers: { 'x-key': 'ann-key' } }))
    const { data, at, meta } = bodyOf(page)
    assert.equal(data.length, 2)
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000)
    assert.deepEqual(meta, { by: 'by GET', n: 1, none: null })
    assert.equal(page.headers['x-by'], 'GET')
    const thing = bodyOf(await gateway.handle(requestOf('GET /things/1')))
    assert.deepEqual(thing, { thing: { id: 1, name: 'one' }, path: '/things/1' })
  })

  test('are checked at load', () => {
    const path = fileOf(
      `${contract}operations: { listThings: { respond: { list: things, body: { data: "\${page.items}", a: "\${nwo}", b: "\${records('things').size()}" } } } }`,
    )
    const { report } = loadPlan(path, dirname(path), {})
    assert.deepEqual(
      report.list.map(({ code }) => code),
      ['unknown-root'],
    )
  })
})

describe('templates in the shape of errors', () => {
  const SHAPE = `
errors: { body: { error: "\${problem.code}", status: "\${problem.status}", path: "\${request.path}", by: "by \${consumer}: \${problem.detail}", trace: "\${request.headers['x-trace']}" } }
operations: { getThing: { respond: { read: things } }, listThings: { respond: { list: things } } }
`

  test('can use the request, and an expression that fails gives null', async () => {
    const { ask } = simulate(SHAPE)
    const refused = await ask('GET /things/9', { headers: { 'x-key': 'ann-key', 'x-trace': 'abc' } })
    assert.deepEqual(bodyOf(refused), {
      error: 'not_found',
      status: 404,
      path: '/things/9',
      by: 'by ann: there is no record 9 in things',
      trace: 'abc',
    })
    const unmatched = bodyOf(await ask('GET /nothing'))
    assert.deepEqual([unmatched.status, unmatched.path, unmatched.trace], [404, '/nothing', null])
  })

  test('are checked at load', () => {
    const path = fileOf(`${CONTRACT}errors: { body: { a: "\${problem.kode}", b: "\${reqest.path}" } }`)
    const { report } = loadPlan(path, dirname(path), {})
    assert.deepEqual(
      report.list.map(({ code, hint }) => [code, hint]),
      [
        ['unknown-placeholder', 'did you mean "${problem.code}"?'],
        ['unknown-root', 'did you mean "request"?'],
      ],
    )
  })
})

test('a placeholder of other templates is told with the form that an expression has here', () => {
  const hintsOf = (token: string) => {
    const rule = `{ respond: { status: 200, body: [{ id: 1, name: "${token}" }] } }`
    const path = fileOf(`${CONTRACT}\noperations: { listThings: { rules: [${rule}] } }\n`)
    return loadPlan(path, dirname(path), {}).report.list.map(({ message, hint }) => [message, hint])
  }
  assert.deepEqual(hintsOf('{{uuid}}'), [['{{uuid}} is not filled in', 'write ${uuid()}']])
  assert.deepEqual(hintsOf('${uuid}'), [['unknown name "uuid" in an expression', 'write uuid()']])
  assert.deepEqual(hintsOf('{{consumer}}'), [['{{consumer}} is not filled in', 'write ${consumer}']])
})
