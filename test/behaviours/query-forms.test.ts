// The forms in which clients send lists and objects in the query, whatever the contract documents.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess, loadFiles } from '../support/in-process.ts'

const CONTRACT = `
openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /things:
    get:
      operationId: listThings
      parameters:
        - { name: colors, in: query, schema: { type: array, items: { enum: [red, blue] } } }
        - { name: sizes, in: query, style: pipeDelimited, explode: false, schema: { type: array, items: { type: integer } } }
        - { name: filter, in: query, style: deepObject, schema: { type: object, properties: { level: { type: integer }, range: { type: object } } } }
        - { name: page, in: query, schema: { type: object, properties: { offset: { type: integer } } } }
        - { name: flat, in: query, explode: false, schema: { type: object, additionalProperties: { type: integer } } }
        - { name: json, in: query, content: { application/json: { schema: { type: object, properties: { level: { type: integer } } } } } }
        - { name: limit, in: query, schema: { type: integer } }
        - { name: "tags[]", in: query, schema: { type: array, items: { type: string } } }
        - { name: tags, in: query, schema: { type: array, items: { type: string } } }
      responses: { "200": { description: Things, content: { application/json: { schema: { type: object } } } } }
`
const things = (validate = '{}') =>
  inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
defaults: { validate: ${validate} }
operations: { listThings: { respond: { status: 200, body: { query: "\${request.query}" } } } }`,
    'openapi.yaml': CONTRACT,
  })

for (const [sent, name, value] of [
  ['colors[]=red&colors[]=blue', 'colors', ['red', 'blue']],
  ['colors%5B%5D=red', 'colors', ['red']],
  ['colors[1]=blue&colors[0]=red', 'colors', ['red', 'blue']],
  ['sizes[]=1&sizes[]=2', 'sizes', [1, 2]],
  ['filter.level=3', 'filter', { level: 3 }],
  ['filter.range[min]=a', 'filter', { range: { min: 'a' } }],
  ['page[offset]=5', 'page', { offset: 5 }],
  ['page.offset=5', 'page', { offset: 5 }],
  ['flat[a]=1&flat.b=2', 'flat', { a: 1, b: 2 }],
  ['json[level]=3', 'json', { level: 3 }],
  ['json.level=3', 'json', { level: 3 }],
] as const) {
  test(`${sent} is read as ${name}, with a warning`, async () => {
    const { status, body, headers } = await things().send(`GET /things?${sent}`)
    assert.equal(status, 200)
    assert.deepEqual((body as { query: Record<string, unknown> }).query[name], value)
    assert.match(String(headers['understudy-warning']), new RegExp(`was read as "${name}"`))
  })

  test(`${sent} is refused as undocumented with queryForms: standard`, async () => {
    const { status, body } = await things('{ queryForms: standard }').send(`GET /things?${sent}`)
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /is not documented/)
  })
}

test('the forms that the contract documents are read without a warning', async () => {
  for (const validate of ['{}', '{ queryForms: standard }', '{ undocumentedQuery: refuse }']) {
    const query = 'colors=red&colors=blue&sizes=1|2&filter[level]=3&offset=5&flat=a,1&json={"level":3}&tags[]=x&tags=y'
    const { status, body, headers } = await things(validate).send(`GET /things?${query}`)
    assert.equal(status, 200, validate)
    assert.equal(headers['understudy-warning'], undefined, validate)
    const { query: read } = body as { query: Record<string, unknown> }
    assert.deepEqual(
      [read.colors, read.sizes, read.filter, read.flat, read.json],
      [['red', 'blue'], [1, 2], { level: 3 }, { a: 1 }, { level: 3 }],
    )
    assert.deepEqual([read.page, read['tags[]'], read.tags], [{ offset: 5 }, ['x'], ['y']])
  }
})

test('what is read in another form is checked, too', async () => {
  const { status, body } = await things().send('GET /things?colors[]=green')
  assert.equal(status, 400)
  assert.match(JSON.stringify(body), /colors/)
})

test('another form beside the documented one is ignored, with a warning', async () => {
  const { body, headers } = await things().send('GET /things?colors=red&colors[]=blue')
  assert.deepEqual((body as { query: Record<string, unknown> }).query.colors, ['red'])
  assert.match(String(headers['understudy-warning']), /"colors\[\]" was ignored, since "colors" was sent, too/)
})

test('a plain parameter has no other form', async () => {
  const { status, headers } = await things().send('GET /things?limit[]=5')
  assert.equal(status, 200)
  assert.match(String(headers['understudy-warning']), /did you mean "limit"/)
  assert.equal((await things('{ undocumentedQuery: refuse }').send('GET /things?limit[]=5')).status, 400)
  assert.equal((await things('{ undocumentedQuery: refuse }').send('GET /things?colors[]=red')).status, 200)
})

test('names of many brackets and dots take no time', async () => {
  const deep = `colors${'[a]'.repeat(2000)}=1&colors${'.'.repeat(5000)}=1&filter${'.a'.repeat(2000)}=1`
  assert.equal((await things().send(`GET /things?${deep}`)).status, 200)
})

test('one request may be warned where others are refused', async () => {
  const strict = things()
  assert.equal((await strict.send('GET /things?limit=x')).status, 400)
  const warned = await strict.send('GET /things?limit=x', undefined, { 'understudy-validate': 'warn' })
  assert.equal(warned.status, 200)
  assert.match(String(warned.headers['understudy-warning']), /invalid request: query parameter limit/)
  const other = await strict.send('GET /things', undefined, { 'understudy-validate': 'off' })
  assert.equal(other.status, 400)
  assert.match(JSON.stringify(other.body), /Understudy-Validate must be warn/)
})

test('an object of the request may be a part of a fixed body whose schema wants an object', async () => {
  const typed = `
openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /things:
    get:
      operationId: listThings
      responses:
        "200":
          description: Things
          content: { application/json: { schema: { type: object, properties: { query: { type: object } } } } }
`
  const respond = (value: string) =>
    loadFiles({
      'gateway.yaml': `{ contract: ./openapi.yaml, operations: { listThings: { respond: { status: 200, body: { query: "${value}" } } } } }`,
      'openapi.yaml': typed,
    }).report.list.map(({ code }) => code)
  assert.deepEqual(respond('${request.query}'), [])
  assert.deepEqual(respond('${ordinal}'), ['invalid-body'])
})
