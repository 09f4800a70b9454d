// A contract in several files behaves as one file does.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { Gateway } from '../../src/gateway/gateway.ts'
import { silentLog } from '../../src/gateway/log.ts'
import { loadInferred } from '../../src/load/load.ts'
import { realClock } from '../../src/world/clock.ts'
import { requestOf } from '../support/in-process.ts'

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

/** Loads files, with the state that is inferred from the first. */
async function infer(files: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  after(() => rmSync(home, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  const { plan, report, files: read } = await loadInferred('openapi.yaml', home, {})
  const told = report.list.map(({ code, place }) => `${code} ${place.file}:${place.line}`)
  assert.ok(plan, JSON.stringify(report.list.map(({ message }) => message)))
  return { plan, told, read: read.map(file => file.slice(home.length + 1)) }
}

test('a document whose paths, parameters and schemas are in other files has state', async () => {
  const { plan, told, read } = await infer(FILES)
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
  assert.deepEqual(new Set(read), new Set(Object.keys(FILES)))
})

test('a Swagger document in several files has state, and mistakes at their places', async () => {
  const { plan, told, read } = await infer({
    'openapi.yaml':
      'swagger: "2.0"\ninfo: { title: Several files, version: "1" }\npaths: { $ref: paths/all.yaml }\ndefinitions: { Item: { $ref: schemas/Thing.yaml } }',
    'paths/all.yaml': '/things: { $ref: things.yaml }\n/things/{id}: { $ref: thing.yaml }',
    'paths/things.yaml': `
get: { operationId: listThings, responses: { 200: { description: ok, schema: { type: array, items: { $ref: ../schemas/Thing.yaml } } } } }
post:
  operationId: createThing
  parameters: [{ in: body, name: body, schema: { $ref: ../schemas/Thing.yaml } }]
  responses: { 201: { description: ok, schema: { $ref: ../schemas/Thing.yaml } } }`,
    'paths/thing.yaml': `
parameters: [{ $ref: ../parameters.json#/Id }]
get: { operationId: getThing, responses: { 200: { description: ok, schema: { $ref: ../schemas/Thing.yaml } } } }`,
    'parameters.json': '{ "Id": { "in": "path", "name": "id", "type": "integer", "required": true } }',
    'schemas/Thing.yaml': `${THING}\nexternalDocs: { $ref: "none.yaml" }\nadditionalProperties: { $ref: Other.yaml }`,
    'schemas/Other.yaml': 'type: object\nproperties:\n  again: { $ref: Thing.yaml }\n  odd: { type: txt }',
  })
  assert.deepEqual([...plan.collections.keys()], ['things'])
  assert.deepEqual([...plan.contract.schemas.keys()], ['Item', 'Other'])
  assert.deepEqual(told, ['no-such-file schemas/Thing.yaml:4', 'invalid-keyword schemas/Other.yaml:4'])
  assert.equal(read.length, 8)
})

test('refusals name the schemas of other files', async () => {
  const { plan } = await infer({
    'openapi.yaml':
      'openapi: 3.0.3\ninfo: { title: t, version: "1" }\npaths: { /a: { post: { requestBody: { content: { application/json: { schema: { oneOf: [{ $ref: Cat.yaml }, { $ref: Dog.yaml }] } } } }, responses: { "204": { description: ok } } } } }',
    'Cat.yaml': 'type: object',
    'Dog.yaml': 'type: object',
  })
  const reply = await new Gateway(plan, realClock, silentLog, '0').handle(requestOf('POST /a', { body: {} }))
  assert.match(String(reply.body), /matches Cat and Dog/)
})

test('a mistake is shown in its own file, and the rest is served', async () => {
  const { plan, told } = await infer({
    ...FILES,
    'paths/notes.yaml':
      'get: { responses: { "200": { $ref: "../missing.yaml" }, "400": { $ref: "../../outside.yaml" }, "404": { $ref: "../openapi.yaml#/paths/~1things/put/responses/404" } } }',
    'schemas/Thing.yaml': `${THING}\nallOf: [{ $ref: "Thing.yaml#/allOf/0" }]`,
  })
  assert.deepEqual(plan.contract.operations.map(({ id }) => id).slice(0, 3), ['listThings', 'createThing', 'getThing'])
  const expected = [
    'no-such-file paths/notes.yaml:1',
    'outside-file paths/notes.yaml:1',
    'unresolvable-ref paths/notes.yaml:1',
    'circular-ref schemas/Thing.yaml:4',
  ]
  for (const one of expected) assert.ok(told.includes(one), `${one} in ${told.join(', ')}`)
})
