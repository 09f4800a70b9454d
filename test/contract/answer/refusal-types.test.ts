import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

const { send } = inProcess({
  'openapi.yaml': `
openapi: 3.1.0
info: { title: People, version: "1" }
paths:
  /people:
    get:
      parameters: [{ name: age, in: query, schema: { type: integer } }]
      responses:
        "200": { description: Fine }
        "400":
          description: Wrong
          content:
            application/xml: { schema: { $ref: "#/components/schemas/Error" } }
            text/html: {}
            application/json: { schema: { $ref: "#/components/schemas/Error" } }
components:
  schemas:
    Error: { type: object, required: [message], properties: { message: { type: string } } }`,
})

const WHY = 'query parameter age must be an integer'

for (const [accept, type] of [
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['application/xml', 'application/xml'],
  ['application/xml;q=0.5, application/json', 'application/json'],
  ['application/json;q=0, application/*', 'application/xml'],
  ['text/html', 'application/json'],
  ['image/png', 'application/json'],
] as const) {
  test(`a refusal for Accept ${accept} is ${type}`, async () => {
    const reply = await send('GET /people?age=x', undefined, accept === undefined ? {} : { accept })
    assert.deepEqual([reply.status, reply.headers['content-type']], [400, type])
    const xml = `<?xml version="1.0" encoding="UTF-8"?><Error><message>${WHY}</message></Error>`
    assert.deepEqual(reply.body, type === 'application/json' ? { message: WHY } : xml)
  })
}
