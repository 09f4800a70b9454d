// Schemas that no value fits, which are reported with the operations that have them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadFiles } from '../../support/in-process.ts'

const CONTRACT = `
openapi: 3.0.3
info: { title: Staff, version: "1" }
paths:
  /staff:
    get: { operationId: getChief, responses: { "200": { $ref: "#/components/responses/Person" } } }
    put: { operationId: replaceChief, responses: { "200": { $ref: "#/components/responses/Person" } } }
    post:
      operationId: hire
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Person" } } } }
      responses: { "204": { description: Hired } }
  /endless:
    get:
      operationId: follow
      responses:
        "200": { description: Fine, content: { application/json: { schema: { $ref: "#/components/schemas/Link" } } } }
components:
  responses:
    Person: { description: Fine, content: { application/json: { schema: { $ref: "#/components/schemas/Person" } } } }
  schemas:
    Person:
      type: object
      required: [id, badge, desk]
      additionalProperties: false
      properties:
        id: { type: integer }
        desk:
          type: object
          required: [floor, room]
          properties: { room: { type: string }, floor: { type: integer, minimum: 5, maximum: 3 } }
    Link:
      type: object
      required: [name, next]
      properties: { name: { type: string }, next: { $ref: "#/components/schemas/Link" } }
`

test('an unsatisfiable schema is reported with its first operation and its place', () => {
  const { report } = loadFiles({ 'staff.yaml': CONTRACT })
  const reply = 'impossible-reply: no body can match the schema of the reply 200 of'
  const body = 'impossible-body: no body can match the request schema of'
  const further = '; the same applies to 1 more operation'
  assert.deepEqual(
    report.list.map(({ code, message, place }) => `${place.line} ${code}: ${message}`),
    [
      `21 ${reply} getChief: /badge is required but not allowed${further}`,
      `21 ${body} hire: /badge is required but not allowed`,
      `30 ${reply} getChief: /desk/floor has bounds that exclude each other${further}`,
      `30 ${body} hire: /desk/floor has bounds that exclude each other`,
      `34 ${reply} follow: /next/next/next contains itself endlessly`,
    ],
  )
})
