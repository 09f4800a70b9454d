// A contract in several files behaves as one file does.

import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { Gateway } from '../../src/gateway/gateway.ts'
import { silentLog } from '../../src/gateway/log.ts'
import { realClock } from '../../src/world/clock.ts'
import { requestOf } from '../support/in-process.ts'
import { loadPlan } from '../support/load.ts'

const THING =
  'type: object\nproperties: { id: { type: integer, readOnly: true }, name: { type: string } }\nrequired: [name]'
const REF = '{ content: { application/json: { schema: { $ref: "../schemas/Thing.yaml" } } } }'
const FILES: Readonly<Record<string, string>> = {
  'openapi.yaml':
    'openapi: 3.0.3\ninfo: { title: Several files, version: "1" }\npaths: { $ref: "paths/all.yaml" }\ncomponents: { $ref: "common.json" }',
  'paths/all.yaml': '/things: { $ref: things.yaml }\n/things/{id}: { $ref: thing.yaml }\n/notes: { $ref: notes.yaml }',
  'paths/things.yaml': `
get:
  operationId: listThings
  responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "../schemas/Thing.yaml" } } } } } }
post:
  operationId: createThing
  requestBody: ${REF}
  responses: { "201": { description: ok, ${REF.slice(2)} }`,
  'paths/thing.yaml': `
parameters: [{ $ref: "../common.json#/parameters/Id" }]
get: { operationId: getThing, responses: { "200": { description: ok, ${REF.slice(2)} } }`,
  'paths/notes.yaml': `
get:
  operationId: listNotes
  responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "../schemas/old/Thing.yaml" } } } } } }`,
  'schemas/Thing.yaml': THING,
  'schemas/old/Thing.yaml': 'type: object\nproperties: { text: { type: string } }',
  'common.json': JSON.stringify({
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'integer' } } },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } },
  }),
}

const STATEFUL = `
contract: ./openapi.yaml
resources: { things: { schema: Thing, seed: { generate: 5 } } }
operations:
  listThings: { respond: { list: things } }
  createThing: { respond: { create: things } }
  getThing: { respond: { read: things } }
`

/** A file's text or bytes, or what makes it. */
type File = string | Uint8Array | ((path: string) => void)

/** Loads files, the first of which is the configuration. */
function loadFrom(files: Readonly<Record<string, File>>) {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  after(() => rmSync(home, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    if (typeof text === 'function') text(join(home, name))
    else writeFileSync(join(home, name), text)
  }
  const { plan, report, files: read } = loadPlan(Object.keys(files)[0] as string, home, {})
  const told = report.list.map(({ code, place }) => `${code} ${place.file}:${place.line}`)
  assert.ok(plan, JSON.stringify(report.list.map(({ message }) => message)))
  return { plan, told, read: read.map(file => file.slice(home.length + 1)) }
}

test('a document whose paths, parameters and schemas are in other files has state', async () => {
  const { plan, told, read } = loadFrom({ 'gateway.yaml': STATEFUL, ...FILES })
  const gateway = new Gateway(plan, realClock, silentLog, '0')
  const send = async (what: string, body?: unknown) => {
    const reply = await gateway.handle(requestOf(what, body === undefined ? {} : { body }))
    return { status: reply.status, body: reply.body === undefined ? undefined : JSON.parse(String(reply.body)) }
  }
  assert.deepEqual(await send('POST /things', { name: 'Ada' }), { status: 201, body: { id: 6, name: 'Ada' } })
  assert.deepEqual((await send('GET /things/6')).body, { id: 6, name: 'Ada' })
  assert.equal((await send('GET /things/7')).status, 404)
  assert.deepEqual([...plan.contract.securitySchemes.keys()], ['key'])
  assert.deepEqual([...plan.contract.schemas.keys()], ['Thing', 'Thing-2'])
  assert.deepEqual(told, ['duplicate-schema schemas/old/Thing.yaml:1'])
  assert.deepEqual(new Set(read), new Set(['gateway.yaml', ...Object.keys(FILES)]))
})

test('schemas in other files are not named twice by an alias, nor by a part of another', async () => {
  const { plan, told } = loadFrom({
    'openapi.yaml': `
openapi: 3.0.3
info: { title: t, version: "1" }
paths:
  /rows:
    get: { responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: MadeRow.yaml } } } } } } }
  /rows/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { responses: { "200": { description: ok, content: { application/json: { schema: { $ref: Row.yaml } } } } } }
components: { schemas: { MadeRow: { $ref: MadeRow.yaml }, Row: { $ref: Row.yaml }, Cell: { $ref: Cell.yaml } } }`,
    'MadeRow.yaml': '$ref: Row.yaml',
    'Row.yaml':
      'type: object\nproperties: { id: { type: string }, label: { $ref: "Cell.yaml#/properties/label" } }\nexample: { id: row_1a2b3c4d }',
    'Cell.yaml': 'type: object\nproperties: { label: { type: string } }',
  })
  assert.deepEqual([...plan.contract.schemas.keys()], ['MadeRow', 'Row', 'Cell'])
  assert.deepEqual(told, [])
})

test('a pointer without a file leads to the first file, if its own file has no such part', async () => {
  const { plan, told } = loadFrom({
    'openapi.yaml':
      'openapi: 3.0.3\ninfo: { title: t, version: "1" }\npaths: { /a: { $ref: paths/a.yaml } }\ncomponents: { schemas: { Cat: { type: object, required: [id], properties: { id: { enum: [7] } } } } }',
    'paths/a.yaml':
      'get: { responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Cat" } } } } } }\npost: { responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Cat" } } } } } }',
  })
  const reply = await new Gateway(plan, realClock, silentLog, '0').handle(requestOf('GET /a'))
  assert.deepEqual(JSON.parse(String(reply.body)), { id: 7 })
  assert.deepEqual(told, ['ref-to-first-file paths/a.yaml:1'])
})

test('refusals name the schemas of other files', async () => {
  const { plan } = loadFrom({
    'openapi.yaml':
      'openapi: 3.0.3\ninfo: { title: t, version: "1" }\npaths: { /a: { post: { requestBody: { content: { application/json: { schema: { oneOf: [{ $ref: Cat.yaml }, { $ref: Dog.yaml }] } } } }, responses: { "204": { description: ok } } } } }',
    'Cat.yaml': 'type: object',
    'Dog.yaml': 'type: object',
  })
  const reply = await new Gateway(plan, realClock, silentLog, '0').handle(requestOf('POST /a', { body: {} }))
  assert.match(String(reply.body), /matches Cat and Dog/)
})

test('elements of XML are named after schemas of other files', async () => {
  const { plan } = loadFrom({
    'openapi.yaml':
      'openapi: 3.0.3\ninfo: { title: t, version: "1" }\npaths: { /a: { get: { responses: { "200": { description: ok, content: { application/xml: { schema: { type: array, items: { $ref: schemas/Cat.yaml } } } } } } } } }',
    'schemas/Cat.yaml': 'type: object\nrequired: [id]\nproperties: { id: { type: integer, enum: [1] } }',
  })
  const reply = await new Gateway(plan, realClock, silentLog, '0').handle(requestOf('GET /a'))
  assert.match(String(reply.body), /<Cats>(?:<Cat><id>1<\/id><\/Cat>)+<\/Cats>$/)
})

const NOTES = 'paths/notes.yaml'
/** The notes, whose schema is a reference. */
const notes = (reference: string) => FILES[NOTES]?.replace('../schemas/old/Thing.yaml', reference) ?? ''
const other = (what: File) => ({ [NOTES]: notes('../schemas/Other.yaml'), 'schemas/Other.yaml': what })
const secret: File = path => symlinkSync('/etc/passwd', path)

for (const [what, files, expected] of [
  ['a missing path', { [NOTES]: () => {} }, 'left-out paths/all.yaml:3, no-such-file paths/all.yaml:3'],
  ['a missing schema', { [NOTES]: notes('../none.yaml') }, `no-such-file ${NOTES}:4`],
  [
    'a circle of paths',
    { [NOTES]: '$ref: again.yaml', 'paths/again.yaml': '$ref: notes.yaml' },
    'left-out paths/all.yaml:3, circular-ref paths/all.yaml:3',
  ],
  [
    'a circle of schemas',
    { ...other('$ref: Third.yaml'), 'schemas/Third.yaml': '$ref: Other.yaml' },
    'circular-ref schemas/Third.yaml:1, circular-schema schemas/Other.yaml:1',
  ],
  ['a path outside', { [NOTES]: notes('../../outside.yaml') }, `outside-file ${NOTES}:4`],
  ['a link to the outside', other(secret), `outside-file ${NOTES}:4`],
  [
    'the middle of an operation',
    { [NOTES]: notes('things.yaml#/post/requestBody/content/application~1json/schema') },
    '',
  ],
  [
    'the middle of no operation',
    { [NOTES]: notes('../openapi.yaml#/paths/~1notes/put') },
    `unresolvable-ref ${NOTES}:4`,
  ],
  ['a folder', { [NOTES]: notes('../schemas') }, `is-a-directory ${NOTES}:4`],
  ['an empty file', other(''), `empty-file ${NOTES}:4`],
  ['a binary file', other(Buffer.from([137, 80, 78, 71, 0, 27])), 'binary-file schemas/Other.yaml:1'],
  ['a syntax error', other('type: object\nproperties: ['), 'syntax schemas/Other.yaml:2'],
  ['a list in place of a path', { [NOTES]: '- get' }, `invalid-contract ${NOTES}:1, left-out paths/all.yaml:3`],
  [
    'a schema in a circle with itself',
    { 'schemas/Thing.yaml': `${THING}\nallOf: [{ $ref: "Thing.yaml#/allOf/0" }]` },
    'circular-schema schemas/Thing.yaml:4, circular-ref schemas/Thing.yaml:4',
  ],
] as const) {
  test(`${what} is named at its place, and the rest is served`, async () => {
    const { plan, told } = loadFrom({ ...FILES, ...(files as Readonly<Record<string, File>>) })
    assert.equal(told.filter(one => !one.startsWith('duplicate-schema')).join(', '), expected)
    assert.ok(plan.contract.operations.some(({ id }) => id === 'listThings'))
  })
}

test('a file that may not be read is named at its place', {
  skip: process.getuid?.() === 0 && 'root may read every file',
}, async () => {
  const unreadable: File = path => {
    writeFileSync(path, THING)
    chmodSync(path, 0)
  }
  assert.ok(loadFrom({ ...FILES, ...other(unreadable) }).told.includes(`unreadable-file ${NOTES}:4`))
})

test('2,000 files are one contract', () => {
  const names = Array.from({ length: 2000 }, (_, n) => `paths/${n}.yaml`)
  const { plan, told } = loadFrom({
    'openapi.yaml': `openapi: 3.0.3\ninfo: { title: t, version: "1" }\npaths:\n${names.map((name, n) => `  /${n}: { $ref: ${name} }`).join('\n')}`,
    ...Object.fromEntries(names.map(name => [name, 'get: { responses: { 200: { description: ok } } }'])),
  })
  assert.deepEqual([plan.contract.operations.length, plan.contract.files.length, told], [2000, 2001, []])
})
