import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadInferred } from '../../support/load.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))

/** Loads files with the state that is inferred from the first. */
function infer(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  return loadInferred(Object.keys(files)[0] as string, home, {})
}

test('a resource has the schema that an alias in another file leads to', async () => {
  const { plan } = await infer({
    'alias.yaml': `
openapi: 3.0.3
info: { title: t, version: "1" }
paths:
  /rows:
    get: { responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: MadeRow.yaml } } } } } } }
  /rows/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { responses: { "200": { description: ok, content: { application/json: { schema: { $ref: Row.yaml } } } } } }
components: { schemas: { MadeRow: { $ref: MadeRow.yaml }, Row: { $ref: Row.yaml } } }`,
    'MadeRow.yaml': '$ref: Row.yaml',
    'Row.yaml': 'type: object\nproperties: { id: { type: string } }\nexample: { id: row_1a2b3c4d }',
  })
  assert.equal(plan?.collections.get('rows')?.resource.schema.node.path.at(-1), 'Row')
})

const NOTES = `
openapi: 3.0.3
info: { title: t, version: "1" }
paths:
  /notes:
    get: { responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "SCHEMA" } } } } } } }
`

for (const [schema, text, expected] of [
  ['none.yaml', undefined, 'no-such-file notes.yaml:6, unresolvable-ref notes.yaml:6'],
  ['Empty.yaml', '', 'empty-file notes.yaml:6, unresolvable-ref notes.yaml:6'],
  ['Broken.yaml', 'type: object\nproperties: [', 'syntax Broken.yaml:2, unresolvable-ref notes.yaml:6'],
] as const) {
  test(`a list whose schema is in ${schema} is named at its place`, async () => {
    const { plan, report } = await infer({
      'notes.yaml': NOTES.replace('SCHEMA', schema),
      ...(text === undefined ? {} : { [schema]: text }),
    })
    assert.ok(plan)
    assert.equal(report.list.map(({ code, place }) => `${code} ${place.file}:${place.line}`).join(', '), expected)
  })
}
