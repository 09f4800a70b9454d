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
    `{ list: books, limit: limit, offset: offset, sort: { parameter: sort, order: order }, search: q,
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

  test('refuses to look for a long part of a text', async () => {
    const { status, body } = await everything.send(`GET /books?tag=${'a'.repeat(201)}`)
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /query parameter tag must have at most 200 characters/)
  })

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
  const { send } = library('{ list: books, limit: limit, sort: { parameter: sort, default: -year } }', {
    limit: INTEGER,
    sort: STRING,
  })
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
    ['is not sorted by an unknown field', '{ list: books, sort: { default: colour } }', undefined, 'unknown-field'],
    ['does not order without sorting', '{ list: books, sort: { order: q } }', undefined, 'idle-key'],
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
