import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

const THING = '{ type: object, required: [id], properties: { id: { type: string }, shelf: { type: string } } }'
const content = `content: { application/json: { schema: ${THING} } }`

/** Creates a record twice, and deletes one that another refers to; the operations document these statuses of errors. */
async function statuses(documented: readonly string[]): Promise<number[]> {
  const errors = documented.map(status => `, "${status}": { description: Wrong }`).join('')
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources:
  things: { schema: Thing, id: { assign: client }, seed: [{ id: a }, { id: b, shelf: a }], references: { shelf: things } }
operations: { createThing: { respond: { create: things } }, deleteThing: { respond: { delete: things } } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /things:
    post: { operationId: createThing, requestBody: { required: true, ${content} }, responses: { "201": { description: Made, ${content} }${errors} } }
  /things/{id}:
    delete: { operationId: deleteThing, parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { "204": { description: Gone }${errors} } }
components: { schemas: { Thing: ${THING} } }
`,
  })
  return [(await send('POST /things', { id: 'a' })).status, (await send('DELETE /things/a')).status]
}

for (const [documented, status] of [
  [['400', '404', '409', '422'], 409],
  [['400', '422'], 422],
  [['400', '404'], 400],
  [['400', '4XX'], 409],
  [['404'], 409],
  [[], 409],
] as const) {
  test(`a conflict is a ${status} where ${documented.join(', ') || 'no error'} is documented`, async () => {
    assert.deepEqual(await statuses(documented), [status, status])
  })
}
