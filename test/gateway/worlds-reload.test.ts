import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess, loadFiles } from '../support/in-process.ts'

const contract = (parameter: string) => `
contract:
  openapi: 3.1.0
  info: { title: Things, version: "1" }
  components:
    schemas:
      Thing: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
  paths:
    /things:
      get: { operationId: listThings, parameters: [${parameter}], responses: { 200: { description: Fine } } }
      post:
        operationId: createThing
        requestBody: { content: { application/json: { schema: { type: object } } } }
        responses: { 201: { description: Made } }
    /others:
      get: { operationId: listOthers, responses: { 200: { description: Fine } } }
`
const BEFORE = `${contract('')}
resources: { things: { schema: Thing } }
operations: { listThings: { respond: { list: things } }, createThing: { respond: { create: things } } }
`
const AFTER = `${contract('{ name: name, in: query, schema: { type: string } }')}
resources: { things: { schema: Thing }, others: { schema: Thing, seed: [{ id: 7 }] } }
operations:
  listThings: { respond: { list: things, filter: [name] } }
  createThing: { respond: { create: things } }
  listOthers: { respond: { list: others } }
`

test('after a reload every world has its records, the new resources with their seeds, and the new filters', async () => {
  const { gateway, send } = inProcess({ 'gateway.yaml': BEFORE })
  const worlds: Record<string, string>[] = [{}, { 'understudy-world': 'alice' }, { 'understudy-world': 'bob' }]
  for (const [i, world] of worlds.entries()) {
    for (const name of [`first${i}`, `second${i}`]) await send('POST /things', { name }, world)
  }
  const { plan } = loadFiles({ 'gateway.yaml': AFTER })
  assert.ok(plan)
  gateway.adopt(plan)
  for (const [i, world] of worlds.entries()) {
    const found = await send(`GET /things?name=second${i}`, undefined, world)
    assert.deepEqual(found.body, [{ id: 2, name: `second${i}` }])
    assert.deepEqual((await send('GET /others', undefined, world)).body, [{ id: 7 }])
  }
  assert.deepEqual((await send('GET /things', undefined, { 'understudy-world': 'carol' })).body, [])
})
