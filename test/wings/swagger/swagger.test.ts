// Swagger 2.0, in one file and in several.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess, loadFiles } from '../../support/in-process.ts'

test('Swagger 2.0 is served below its base path, forms and shared bodies included', async () => {
  const api = inProcess({
    'swagger.yaml': `
swagger: 2.0
basePath: /v2
consumes: [application/json]
parameters: { Note: { in: body, name: note, required: true, schema: { $ref: "#/definitions/Note" } } }
definitions: { Note: { type: object, required: [text], properties: { text: { type: string } } } }
paths:
  /notes:
    post: { parameters: [{ $ref: "#/parameters/Note" }], responses: { 204: { description: Kept } } }
  /forms:
    post:
      parameters: [{ in: formData, name: n, type: integer, required: true, maximum: 3 }]
      responses: { 204: { description: Kept } }
`,
  })
  assert.equal((await api.send('POST /v2/notes', { text: 'a' })).status, 204)
  assert.equal((await api.send('POST /v2/notes', {})).status, 400)
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await api.send('POST /v2/forms', undefined, type, Buffer.from('n=3'))).status, 204)
  assert.equal((await api.send('POST /v2/forms', undefined, type, Buffer.from('n=4'))).status, 400)
})

test('a form field of Swagger 2.0 with allowEmptyValue may be empty', async () => {
  const field = (name: string, more: string) => `{ name: ${name}, in: formData, type: integer, required: true${more} }`
  const { send } = inProcess({
    'swagger.yaml': `swagger: "2.0"
info: { title: T, version: "1" }
paths:
  /x: { post: { parameters: [${field('a', ', allowEmptyValue: true')}, ${field('b', '')}], responses: { "204": { description: Fine } } } }
`,
  })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await send('POST /x', undefined, form, Buffer.from('a=&b=1'))).status, 204)
  assert.equal((await send('POST /x', undefined, form, Buffer.from('a=1&b='))).status, 400)
})

test('a Swagger document in several files has its mistakes at their places', () => {
  const { plan, report, files } = loadFiles({
    'swagger.yaml':
      'swagger: "2.0"\ninfo: { title: Several files, version: "1" }\npaths: { $ref: paths.yaml }\ndefinitions: { Item: { $ref: Thing.yaml } }',
    'paths.yaml': '/things: { $ref: things.yaml }\n/things/{id}: { $ref: thing.yaml }',
    'things.yaml': `
get: { operationId: listThings, responses: { 200: { description: ok, schema: { type: array, items: { $ref: Thing.yaml } } } } }
post:
  operationId: createThing
  parameters: [{ in: body, name: body, schema: { $ref: Thing.yaml } }]
  responses: { 201: { description: ok, schema: { $ref: Thing.yaml } } }`,
    'thing.yaml': `
parameters: [{ $ref: parameters.json#/Id }]
get: { operationId: getThing, responses: { 200: { description: ok, schema: { $ref: Thing.yaml } } } }`,
    'parameters.json': '{ "Id": { "in": "path", "name": "id", "type": "integer", "required": true } }',
    'Thing.yaml': `type: object
properties: { id: { type: integer, readOnly: true }, name: { type: string } }
required: [name]
externalDocs: { $ref: "none.yaml" }
additionalProperties: { $ref: Other.yaml }`,
    'Other.yaml': 'type: object\nproperties:\n  again: { $ref: Thing.yaml }\n  odd: { type: txt }',
  })
  assert.deepEqual([...(plan?.contract.schemas.keys() ?? [])], ['Item', 'Other'])
  const mistakes = report.list.map(({ code, place }) => `${code} ${place.file}:${place.line}`)
  assert.deepEqual(mistakes, ['no-such-file Thing.yaml:4', 'invalid-keyword Other.yaml:4'])
  assert.equal(files.length, 8)
  assert.equal(plan?.contract.files.length, 8)
})
