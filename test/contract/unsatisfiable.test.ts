// Unsatisfiable schemas: the reply that is served. And intended `null` values.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

const FILES = {
  'staff.yaml': `
openapi: 3.0.3
info: { title: Staff, version: "1" }
paths:
  /staff:
    get:
      operationId: getChief
      responses:
        "200": { description: Fine, content: { application/json: { schema: { $ref: "#/components/schemas/Person" } } } }
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
`,
}

test('the closest value is sent with a warning that names its mistakes', async () => {
  const { send } = inProcess(FILES)
  const { status, body, headers } = await send('GET /staff')
  assert.equal(status, 200)
  const person = body as { id: unknown; desk: { room: unknown; floor: unknown } }
  assert.equal(typeof person.id, 'number')
  assert.equal(typeof person.desk.room, 'string')
  assert.equal(typeof person.desk.floor, 'number')
  assert.match(headers['understudy-warning'] ?? '', /: \/badge is required but not allowed$/)
  const endless = (await send('GET /endless')).body as { name: unknown; next: object }
  assert.equal(typeof endless.name, 'string')
  assert.ok('next' in endless)
})

const NULLS = {
  'nulls.yaml': `
openapi: 3.0.3
info: { title: Nulls, version: "1" }
paths:
  /proposed:
    get:
      operationId: proposed
      responses:
        "200":
          description: Fine
          content:
            application/json:
              schema:
                type: object
                properties:
                  a: { type: string, nullable: true, default: null }
                  b: { type: string, nullable: true, example: null }
                  c: { type: string, enum: [x, y], default: "y" }
                  d: { type: string, nullable: true, enum: [x, null], default: null }
                  e: { type: string, default: null }
  /example:
    get:
      operationId: example
      responses:
        "200":
          description: Fine
          content: { application/json: { schema: { type: object, properties: { name: { type: string } } }, example: { name: null } } }
`,
}

test('a null default or example is used where its schema allows it', async () => {
  const { send } = inProcess(NULLS)
  const proposed = (await send('GET /proposed')).body as Record<string, unknown>
  assert.deepEqual({ ...proposed, e: typeof proposed.e }, { a: null, b: null, c: 'y', d: null, e: 'string' })
  assert.deepEqual((await send('GET /example')).body, {})
  const dynamic = (await send('GET /proposed?__dynamic=true')).body as Record<string, unknown>
  assert.equal(typeof dynamic.a, 'string')
})

const PAIRED = {
  'paired.yaml': `
openapi: 3.0.3
info: { title: Paired, version: "1" }
paths:
  /revoke:
    post:
      operationId: revoke
      requestBody:
        content: { application/json: { schema: { type: object }, examples: { default: { value: { keys: [a] } } } } }
      responses:
        "202":
          description: Accepted
          content: { application/json: { schema: { type: object }, examples: { default: { value: null } } } }
`,
}

test('an invalid example is sent only if the client names it', async () => {
  const { send } = inProcess(PAIRED)
  assert.deepEqual((await send('POST /revoke', { keys: ['a'] })).body, {})
  assert.equal((await send('POST /revoke', { keys: ['a'] }, { prefer: 'example=default' })).body, null)
})
