import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

/** A list of five things in an envelope of this schema. */
const things = (
  envelope: string,
  keys = 'page: page, limit: size',
  parameters = '{ name: page, in: query, schema: { type: integer, minimum: 1 } }, { name: size, in: query, schema: { type: integer } }',
) =>
  inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources: { things: { schema: Thing, seed: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }, { id: 5 }] } }
operations: { listThings: { respond: { list: things, ${keys}, body: { data: "\${page.items}" } } } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
servers: [{ url: /v1 }]
paths:
  /things:
    get:
      operationId: listThings
      parameters: [${parameters}]
      responses: { '200': { description: All., content: { application/json: { schema: ${envelope.replace(/\s+/g, ' ')} } } } }
components: { schemas: { Thing: { type: object, properties: { id: { type: integer } } } } }
`,
  })
const DATA = 'data: { type: array, items: { $ref: "#/components/schemas/Thing" } }'
const ids = (...all: number[]) => all.map(id => ({ id }))

suite('a required field around a page', () => {
  test('is filled where its value follows from the schema', async () => {
    const { send } =
      things(`{ type: object, required: [object, url, data, has_more, version, meta, notes], properties: {
      object: { type: string, enum: [list] }, url: { type: string, pattern: "^/v1/things" }, ${DATA}, has_more: { type: boolean },
      version: { type: string, default: "2.1" }, notes: { type: array, items: { type: string } }, other: { type: string },
      meta: { type: object, required: [total, page, per_page, request], properties: { total: { type: integer }, page: { type: integer },
        per_page: { type: integer }, request: { type: string, example: req-1 }, hint: { type: string } } } } }`)
    const around = { object: 'list', url: '/v1/things', version: '2.1', notes: [] }
    assert.deepEqual((await send('GET /v1/things?size=2')).body, {
      ...around,
      data: ids(1, 2),
      has_more: true,
      meta: { total: 5, page: 1, per_page: 2, request: 'req-1' },
    })
    assert.deepEqual((await send('GET /v1/things?size=2&page=3')).body, {
      ...around,
      data: ids(5),
      has_more: false,
      meta: { total: 5, page: 3, per_page: 2, request: 'req-1' },
    })
  })

  test('links to the next and previous page by path or URL, and is null or absent at the ends', async () => {
    const { send } = things(`{ type: object, required: [count, next, previous, self, links, cursor], properties: {
      count: { type: integer }, next: { type: [string, "null"], format: uri }, previous: { type: [string, "null"], format: uri },
      self: { type: string }, cursor: { type: [string, "null"] }, ${DATA},
      links: { type: object, required: [first, next], properties: { first: { type: string }, next: { type: string } } } } }`)
    const at = (page: number) => `/v1/things?size=2&page=${page}`
    assert.deepEqual((await send('GET /v1/things?size=2', undefined, { host: 'api.example.com' })).body, {
      ...{ count: 5, next: `http://api.example.com${at(2)}`, previous: null, self: '/v1/things?size=2', cursor: '2' },
      ...{ data: ids(1, 2), links: { first: at(1), next: at(2) } },
    })
    const last = (await send('GET /v1/things?size=2&page=3', undefined, { host: 'api.example.com' })).body
    assert.deepEqual(last, {
      ...{ count: 5, next: null, previous: `http://api.example.com${at(2)}`, self: at(3), cursor: null },
      ...{ data: ids(5), links: { first: at(1), next: '' } },
    })
  })

  test('has the page numbers and counts that Spring uses', async () => {
    const { send } =
      things(`{ type: object, required: [totalElements, totalPages, numberOfElements, size, number, first, last, empty],
      properties: { ${DATA}, totalElements: { type: integer }, totalPages: { type: integer }, numberOfElements: { type: integer },
      size: { type: integer }, number: { type: integer }, first: { type: boolean }, last: { type: boolean }, empty: { type: boolean } } }`)
    assert.deepEqual((await send('GET /v1/things?size=2&page=3')).body, {
      ...{ data: ids(5), totalElements: 5, totalPages: 3, numberOfElements: 1, size: 2, number: 3 },
      ...{ first: false, last: true, empty: false },
    })
  })
})

test('a required field around a record is filled, too', async () => {
  const reply = `{ type: object, required: [ok, thing, warnings], properties: { ok: { type: boolean }, thing: { $ref: "#/components/schemas/Thing" }, warnings: { type: array, items: { type: string } } } }`
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources: { things: { schema: Thing, seed: [{ id: 1 }] } }
operations: { getThing: { respond: { read: things, body: { thing: "\${record.value}" } } } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things/{id}:
    get:
      operationId: getThing
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: One., content: { application/json: { schema: ${reply} } } } }
components: { schemas: { Thing: { type: object, properties: { id: { type: integer } } } } }
`,
  })
  assert.deepEqual((await send('GET /things/1')).body, { ok: true, thing: { id: 1 }, warnings: [] })
})
