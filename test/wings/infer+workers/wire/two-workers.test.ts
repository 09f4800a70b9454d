import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileOf } from '../../../support/in-process.ts'
import { FREE_PORTS, understudy } from '../../../wire/start-program.ts'

const NOTES = `
openapi: 3.1.0
info: { title: Notes, version: "1" }
components:
  schemas:
    Note: { type: object, required: [text], properties: { id: { type: integer, readOnly: true }, text: { type: string } } }
paths:
  /notes:
    get:
      responses:
        "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Note" } } } } }
    post:
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
      responses:
        "201": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
  /notes/{id}:
    parameters: [{ in: path, name: id, required: true, schema: { type: integer } }]
    get:
      responses:
        "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
`

test('workers do not serve inferred state without Redis, and the hint says so', async () => {
  const child = understudy(fileOf(NOTES), '--stateful', '--workers', '2', ...FREE_PORTS, '--no-watch')
  const [code] = await once(child, 'close')
  assert.equal(code, 1)
  assert.match(child.output(), /share records, limits and kept replies through Redis only/)
  assert.match(child.output(), /serve without --workers, or set state: \{ redis: … \}/)
})
