import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inProcess, loadFiles } from '../../support/in-process.ts'

const parameters = (names: Record<string, string>) =>
  Object.entries(names)
    .map(([name, schema]) => `        - { name: ${name}, in: query, schema: ${schema} }`)
    .join('\n')

const contract = (
  names: Record<string, string>,
  schema = '{ type: array, items: { $ref: "#/components/schemas/Book" } }',
) => `
openapi: 3.1.0
info: { title: Library, version: 1.0.0 }
paths:
  /books:
    get:
      operationId: listBooks
      parameters:
${parameters(names)}
      responses: { '200': { description: Books., content: { application/json: { schema: ${schema} } } } }
components:
  schemas:
    Book:
      type: object
      required: [id, title, year]
      properties:
        id: { type: integer }
        title: { type: string }
        year: { type: integer }
        tags: { type: array, items: { type: string } }
`

const gateway = (respond: string) => `
contract: ./openapi.yaml
resources:
  books:
    schema: Book
    seed:
      - { id: 1, title: Ulysses, year: 1922, tags: [novel] }
      - { id: 2, title: Dubliners, year: 1914, tags: [stories] }
      - { id: 3, title: Emma, year: 1815, tags: [novel, love] }
      - { id: 4, title: Persuasion, year: 1817, tags: [novel, love] }
      - { id: 5, title: Exiles, year: 1918, tags: [play] }
operations:
  listBooks: { respond: ${respond} }
`

const library = (respond: string, names: Record<string, string>, schema?: string) =>
  inProcess({ 'gateway.yaml': gateway(respond), 'openapi.yaml': contract(names, schema) })

const ids = (body: unknown) => (body as { id: number }[]).map(({ id }) => id)
const STRING = '{ type: string }'
const INTEGER = '{ type: integer }'

suite('a list', () => {
  const everything = library(
    `{ list: books, limit: limit, offset: offset, sort: sort, order: order, search: q,
       filter: [year, { parameter: from, field: year, is: at-least }, { parameter: before, field: year, is: less-than },
                { parameter: tag, field: tags, is: contains }, { parameter: no, field: year, is: not }] }`,
    {
      ...{
        limit: INTEGER,
        offset: INTEGER,
        sort: STRING,
        order: STRING,
        q: STRING,
        year: '{ type: array, items: { type: integer } }',
      },
      ...{ from: INTEGER, before: INTEGER, tag: STRING, no: INTEGER },
    },
  )
  for (const [query, expected] of [
    ['', [1, 2, 3, 4, 5]],
    ['limit=2', [1, 2]],
    ['limit=2&offset=3', [4, 5]],
    ['offset=9', []],
    ['year=1922', [1]],
    ['year=1922&year=1815', [1, 3]],
    ['from=1900&before=1920', [2, 5]],
    ['tag=love', [3, 4]],
    ['no=1922', [2, 3, 4, 5]],
    ['q=E', [1, 2, 3, 4, 5]],
    ['q=em', [3]],
    ['q=novel+persua', [4]],
    ['sort=title', [2, 3, 5, 4, 1]],
    ['sort=-year&limit=2', [1, 5]],
    ['sort=year&order=desc&limit=2', [1, 5]],
    ['sort=title:desc', [1, 4, 5, 3, 2]],
    ['sort=title,desc', [1, 4, 5, 3, 2]],
    ['sort=-title&offset=1&limit=2', [4, 5]],
  ] as const) {
    test(`answers ?${query} with ${expected.join(', ') || 'nothing'}`, async () => {
      const { status, body } = await everything.send(`GET /books?${query}`)
      assert.equal(status, 200)
      assert.deepEqual(ids(body), expected)
    })
  }

  test('refuses to sort by a field that no record has', async () => {
    const { status, body } = await everything.send('GET /books?sort=colour')
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /query parameter sort must name a field of books, not \\"colour\\"/)
  })
})

suite('a wrapped list', () => {
  const { send } = library(
    `{ list: books, limit: per_page, page: page, links: true, headers: { X-Total-Count: "\${page.total}" },
       body: { data: "\${page.items}", total: "\${page.total}", page: "\${page.number}", pages: "\${page.pages}", next: "\${page.next}" } }`,
    { per_page: '{ type: integer, default: 2 }', page: '{ type: integer, default: 1 }' },
    '{ type: object, required: [data], properties: { data: { type: array, items: { $ref: "#/components/schemas/Book" } }, total: { type: integer } } }',
  )

  test('fills its template in and links to its neighbours', async () => {
    const { headers, body } = await send('GET /books?page=2')
    const { data, ...rest } = body as { data: unknown }
    assert.deepEqual(ids(data), [3, 4])
    assert.deepEqual(rest, { total: 5, page: 2, pages: 3, next: '/books?page=3' })
    assert.equal(headers['x-total-count'], '5')
    assert.equal(
      headers.link,
      '</books?page=1>; rel="first", </books?page=1>; rel="prev", </books?page=3>; rel="next", </books?page=3>; rel="last"',
    )
  })

  test('has nothing after its last page', async () => {
    const { headers, body } = await send('GET /books?page=3')
    assert.equal((body as { next: null }).next, null)
    assert.doesNotMatch(headers.link ?? '', /rel="next"/)
  })

  test('keeps the rest of the query in its links', async () => {
    const { body } = await send('GET /books?per_page=1&page=1')
    assert.equal((body as { next: string }).next, '/books?per_page=1&page=2')
  })
})

suite('a list with a cursor', () => {
  const { send } = library(
    '{ list: books, limit: limit, cursor: after, sort: sort, links: true, headers: { X-Next: "${page.cursor}" } }',
    { limit: INTEGER, after: STRING, sort: STRING },
  )
  for (const [name, query, expected] of [
    ['walks from page to page', '', [1, 2, 3, 4, 5]],
    ['walks in the order that was asked for', '&sort=title', [2, 3, 5, 4, 1]],
  ] as const) {
    test(name, async () => {
      const walked: number[] = []
      let cursor = ''
      for (let page = 0; page < 3; page++) {
        const { headers, body } = await send(`GET /books?limit=2${query}${cursor && `&after=${cursor}`}`)
        walked.push(...ids(body))
        cursor = headers['x-next'] as string
      }
      assert.deepEqual(walked, expected)
      assert.equal(cursor, 'null')
    })
  }

  test('refuses a cursor that names no record', async () => {
    assert.equal((await send('GET /books?after=nonsense')).status, 400)
    assert.equal((await send('GET /books?after=77&sort=title')).status, 400)
  })
})

suite('a list with a configured order', () => {
  const { send } = library('{ list: books, by: -year, limit: limit, sort: sort }', { limit: INTEGER, sort: STRING })
  test('has this order unless the client sends another', async () => {
    assert.deepEqual(ids((await send('GET /books?limit=3')).body), [1, 5, 2])
    assert.deepEqual(ids((await send('GET /books?limit=3&sort=id')).body), [1, 2, 3])
  })
})

suite('a list that contradicts its contract', () => {
  const wrapped = '{ type: object, required: [data], properties: { data: { type: array } } }'
  for (const [name, respond, schema, code] of [
    ['is not sent unwrapped if the contract documents an object', '{ list: books }', wrapped, 'unwrapped-list'],
    [
      'is not wrapped differently from the contract',
      '{ list: books, body: { rows: "${page.items}" } }',
      wrapped,
      'invalid-body',
    ],
    [
      'has no placeholder that a page lacks',
      '{ list: books, body: { data: "${page.itmes}" } }',
      wrapped,
      'unknown-placeholder',
    ],
    [
      'does not compare an unknown field',
      '{ list: books, filter: [{ parameter: q, field: colour }] }',
      undefined,
      'unknown-field',
    ],
    ['is not sorted by an unknown field', '{ list: books, by: colour }', undefined, 'unknown-field'],
    ['does not order without sorting', '{ list: books, order: q }', undefined, 'idle-key'],
  ] as const) {
    test(name, () => {
      const { plan, report } = loadFiles({
        'gateway.yaml': gateway(respond),
        'openapi.yaml': contract({ q: STRING }, schema),
      })
      assert.equal(plan, undefined)
      assert.ok(
        report.list.some(one => one.code === code),
        JSON.stringify(report.list.map(one => one.code)),
      )
    })
  }
})

suite('a collection within another', () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources:
  owners: { schema: Owner, seed: [{ id: 1 }, { id: 2 }] }
  pens: { schema: Pen, references: { ownerId: owners }, seed: [{ id: 1, ownerId: 1 }, { id: 2, ownerId: 2 }, { id: 3, ownerId: 1 }] }
operations:
  listPens: { respond: { list: pens, within: { parameter: ownerId, resource: owners } } }
  addPen: { respond: { create: pens, within: { parameter: ownerId, resource: owners } } }
  getPen: { respond: { read: pens, within: { parameter: ownerId } } }
  movePen: { respond: { replace: pens } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Pens, version: 1.0.0 }
paths:
  /owners/{ownerId}/pens:
    parameters: [{ name: ownerId, in: path, required: true, schema: { type: integer } }]
    get: { operationId: listPens, responses: { '200': { description: Pens. }, '404': { description: None. } } }
    post:
      operationId: addPen
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '201': { description: Added. } }
  /owners/{ownerId}/pens/{penId}:
    parameters:
      - { name: ownerId, in: path, required: true, schema: { type: integer } }
      - { name: penId, in: path, required: true, schema: { type: integer } }
    get: { operationId: getPen, responses: { '200': { description: A pen. }, '404': { description: None. } } }
  /pens/{penId}:
    put:
      operationId: movePen
      parameters: [{ name: penId, in: path, required: true, schema: { type: integer } }]
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '200': { description: Moved. }, '400': { description: Wrong. } }
components:
  schemas:
    Owner: { type: object, properties: { id: { type: integer } } }
    Pen: { type: object, required: [ownerId], properties: { id: { type: integer }, ownerId: { type: integer } } }
`,
  })

  test('lists what belongs to its owner', async () => {
    assert.deepEqual(ids((await send('GET /owners/1/pens')).body), [1, 3])
  })
  test('answers 404 for an unknown owner', async () => {
    assert.equal((await send('GET /owners/9/pens')).status, 404)
    assert.equal((await send('POST /owners/9/pens', {})).status, 404)
  })
  test('sets the owner and the Location of a new record', async () => {
    const { status, headers, body } = await send('POST /owners/2/pens', { ownerId: 1 })
    assert.equal(status, 201)
    assert.deepEqual(body, { id: 4, ownerId: 2 })
    assert.equal(headers.location, '/owners/2/pens/4')
  })
  test('refuses a reference to an unknown record', async () => {
    const { status, body } = await send('PUT /pens/1', { ownerId: 9 })
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /\/ownerId must be the id of a record in owners/)
    assert.equal((await send('PUT /pens/1', { ownerId: 1 })).status, 200)
  })
  test('hides the records of other owners', async () => {
    assert.equal((await send('GET /owners/1/pens/1')).status, 200)
    assert.equal((await send('GET /owners/2/pens/1')).status, 404)
  })
})

suite('an id that the gateway assigns', () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources:
  owners: { schema: Thing }
  things: { schema: Thing, references: { id: owners }, seed: [{ id: 1, name: a }] }
operations: { addThing: { respond: { create: things } }, putThing: { respond: { replace: things } } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    post:
      operationId: addThing
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '201': { description: Added. } }
  /things/{id}:
    put:
      operationId: putThing
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '200': { description: Put. } }
components: { schemas: { Thing: { type: object, properties: { id: { type: integer }, name: { type: string } } } } }
`,
  })
  test('is not checked as a reference when a client creates or replaces', async () => {
    assert.equal((await send('POST /things', { name: 'b' })).status, 201)
    assert.deepEqual((await send('PUT /things/1', { name: 'c' })).body, { id: 1, name: 'c' })
  })
})

suite('wrapped records with ids from the client', () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources: { flags: { schema: Flag, id: { field: key, assign: client } } }
operations:
  addFlag: { respond: { create: flags, body: { data: "\${record.value}", self: "/flags/\${record.id}" } } }
  getFlag: { respond: { read: flags, body: { data: "\${record.value}" } } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Flags, version: 1.0.0 }
paths:
  /flags:
    post:
      operationId: addFlag
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '201': { description: Added. } }
  /flags/{key}:
    get:
      operationId: getFlag
      parameters: [{ name: key, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: A flag. }, '404': { description: None. } }
components:
  schemas:
    Flag: { type: object, required: [key], properties: { key: { type: string }, on: { type: boolean } } }
`,
  })

  test('are stored under that id', async () => {
    const { status, headers, body } = await send('POST /flags', { key: 'dark mode', on: true })
    assert.equal(status, 201)
    assert.equal(headers.location, '/flags/dark%20mode')
    assert.deepEqual(body, { data: { key: 'dark mode', on: true }, self: '/flags/dark mode' })
    assert.deepEqual((await send('GET /flags/dark%20mode')).body, { data: { key: 'dark mode', on: true } })
  })
  test('cannot be created twice, or without an id', async () => {
    await send('POST /flags', { key: 'beta' })
    assert.equal((await send('POST /flags', { key: 'beta' })).status, 409)
    assert.equal((await send('POST /flags', {})).status, 400)
  })
})

suite('records behind an untyped path parameter', () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources: { books: { schema: Book, seed: [{ id: 7 }] } }
operations: { getBook: { respond: { read: books } }, getOther: { respond: { read: books } } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Books, version: 1.0.0 }
paths:
  /undeclared/{id}: { get: { operationId: getBook, responses: { '200': { description: A book. } } } }
  /text/{id}:
    get:
      operationId: getOther
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: A book. } }
components: { schemas: { Book: { type: object, properties: { id: { type: integer } } } } }
`,
  })

  for (const path of ['undeclared', 'text']) {
    test(`are found by number: ${path}`, async () => {
      assert.deepEqual((await send(`GET /${path}/7`)).body, { id: 7 })
      assert.equal((await send(`GET /${path}/8`)).status, 404)
      assert.equal((await send(`GET /${path}/seven`)).status, 404)
    })
  }
})

test('a list selects by the names of labels that are texts or objects', async () => {
  const label = '{ oneOf: [{ type: string }, { type: object, properties: { name: { type: string } } }] }'
  const labelled = contract({ labels: STRING }).replace(
    'tags: { type: array, items: { type: string } }',
    `labels: { type: array, items: ${label} }`,
  )
  const seeds = `[{ id: 1, title: A, year: 1, labels: [bug] }, { id: 2, title: B, year: 2, labels: [{ name: bug }] },
        { id: 3, title: C, year: 3, labels: [{ name: ui }, docs] }]`
  const respond = '{ list: books, filter: [{ parameter: labels, field: labels.name, is: contains }] }'
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources: { books: { schema: Book, seed: ${seeds} } }
operations: { listBooks: { respond: ${respond} } }
`,
    'openapi.yaml': labelled,
  })
  assert.deepEqual(ids((await send('GET /books?labels=bug')).body), [1, 2])
  assert.deepEqual(ids((await send('GET /books?labels=docs')).body), [3])
  assert.deepEqual(ids((await send('GET /books?labels=ux')).body), [])
})
