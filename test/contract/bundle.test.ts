import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { bundle } from '../../src/contract/contract.ts'
import { loadPlan } from '../support/load.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(folder, { recursive: true }))

test('schemas of other files are bundled once, and those of the document keep their place', () => {
  writeFileSync(
    join(folder, 'openapi.yaml'),
    `openapi: 3.1.0
info: { title: Books, version: "1" }
components: { schemas: { Book: { type: object, properties: { author: { $ref: "./parts.yaml#/Author" }, default: { $ref: "./parts.yaml#/Home" } } } } }
paths:
  /books:
    get:
      operationId: listBooks
      responses:
        200:
          description: Books
          content: { application/json: { schema: { $ref: "#/components/schemas/Book" }, example: { $ref: not one } } }
`,
  )
  writeFileSync(
    join(folder, 'parts.yaml'),
    'Author: { type: object, properties: { friend: { $ref: "#/Author" }, home: { $ref: "#/Home" } } }\nHome: { type: string }\n',
  )
  const { plan } = loadPlan('openapi.yaml', folder, {})
  assert.ok(plan)
  const document = JSON.parse(JSON.stringify(bundle(plan.contract))) as Record<string, never>
  assert.deepEqual(document['x-referenced'], {
    Author: {
      type: 'object',
      properties: { friend: { $ref: '#/x-referenced/Author' }, home: { $ref: '#/x-referenced/Home' } },
    },
    Home: { type: 'string' },
  })
  const text = JSON.stringify(document)
  assert.match(text, /"author":\{"\$ref":"#\/x-referenced\/Author"\}/)
  assert.match(text, /"default":\{"\$ref":"#\/x-referenced\/Home"\}/, 'a property has the name of a keyword')
  assert.match(text, /"schema":\{"\$ref":"#\/components\/schemas\/Book"\}/)
  assert.match(text, /"example":\{"\$ref":"not one"\}/)
})
