import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { at, infer, inferSimulation, json, list, ok, read, ref } from './infer-document.ts'

const create = (request: object, reply: object) => ({
  operationId: 'create',
  requestBody: { required: true, ...json(request) },
  responses: ok(reply, 201),
})

const Thing = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'string' }, name: { type: 'string' } },
}
const Fault = { type: 'object', properties: { code: { type: 'string' } } }
const things = { type: 'array', items: ref('Thing') }
const FOUND = ['list: list "things"', 'read: read "things"']

const LAYOUTS: Readonly<Record<string, object>> = {
  'with the usual paths': { '/things': { get: list(things) }, '/things/{id}': at('id', { get: read(ref('Thing')) }) },
  'with suffixes': {
    '/things.json': { get: list(things) },
    '/things/{id}.json': at('id', { get: read(ref('Thing')) }),
  },
  'with trailing slashes': {
    '/things/': { get: list(things) },
    '/things/{id}/': at('id', { get: read(ref('Thing')) }),
  },
  'with items beside the collection': {
    '/things': { get: list(things) },
    '/thing/{id}': at('id', { get: read(ref('Thing')) }),
  },
  'with another name for the parameter': {
    '/things': { get: list(things) },
    '/things/{thing_id}': at('thing_id', { get: read(ref('Thing')) }),
  },
  'with errors beside the records': {
    '/things': {
      get: list({ type: 'object', properties: { errors: { type: 'array', items: ref('Fault') }, things } }),
    },
    '/things/{id}': at('id', {
      get: read({
        type: 'object',
        properties: { errors: { type: 'array', items: ref('Fault') }, thing: ref('Thing') },
      }),
    }),
  },
  'with the list two keys deep': {
    '/things': {
      get: list({
        type: 'object',
        properties: { data: { type: 'object', properties: { things } }, total: { type: 'integer' } },
      }),
    },
    '/things/{id}': at('id', { get: read(ref('Thing')) }),
  },
  'with items in an allOf': {
    '/things': { get: list({ type: 'array', items: { allOf: [ref('Thing')] } }) },
    '/things/{id}': at('id', { get: read({ allOf: [ref('Thing'), { properties: { links: { type: 'object' } } }] }) }),
  },
  'with items in an anyOf': {
    '/things': { get: list(things) },
    '/things/{id}': at('id', { get: read({ anyOf: [ref('Thing'), ref('Fault')] }) }),
  },
  'with a list that may be null': {
    '/things': { get: list({ ...things, nullable: true }) },
    '/things/{id}': at('id', { get: read(ref('Thing')) }),
  },
  'with a list of summaries': {
    '/things': { get: list({ type: 'array', items: ref('Fault') }) },
    '/things/{id}': at('id', { get: read(ref('Thing')) }),
  },
  'with inline schemas': {
    '/things': { get: list({ type: 'array', items: Thing }) },
    '/things/{id}': at('id', { get: read(Thing) }),
  },
}

suite('inference finds a collection', () => {
  for (const [name, paths] of Object.entries(LAYOUTS)) {
    test(name, async () => assert.deepEqual(await infer(paths, { Thing, Fault }), FOUND))
  }

  test('without a list, with views, and with the id in the body', async () => {
    const Book = {
      type: 'object',
      required: ['title'],
      properties: {
        id: { type: 'integer' },
        title: { type: 'string' },
        status: { type: 'string', enum: ['in', 'out'] },
      },
    }
    const found = await infer(
      {
        '/book': {
          post: create(ref('Book'), ref('Book')),
          put: { ...create(ref('Book'), ref('Book')), operationId: 'put', responses: ok(ref('Book')) },
        },
        '/book/findByStatus': {
          get: {
            ...list({ type: 'array', items: ref('Book') }),
            parameters: [{ in: 'query', name: 'status', schema: { type: 'string', enum: ['in', 'out'] } }],
          },
        },
        '/book/{bookId}': at('bookId', { get: read(ref('Book')) }, { type: 'integer' }),
      },
      { Book },
    )
    assert.deepEqual(found, [
      'put: replace "book"',
      'create: create "book"',
      'list: list "book", filter ["status"]',
      'read: read "book"',
    ])
  })

  test('with an update by POST, actions named by an enum, and the caller', async () => {
    const Order = {
      type: 'object',
      required: ['id', 'status'],
      properties: { id: { type: 'string' }, status: { type: 'string', enum: ['open', 'cancelled', 'paid'] } },
    }
    const act = (operationId: string) => ({ post: { operationId, responses: ok(ref('Order')) } })
    const found = await infer(
      {
        '/orders': { get: list({ type: 'array', items: ref('Order') }) },
        '/orders/me': { get: { operationId: 'me', responses: ok(ref('Order')) } },
        '/orders/{id}': at('id', {
          get: read(ref('Order')),
          post: { operationId: 'update', requestBody: json(ref('Order')), responses: ok(ref('Order')) },
        }),
        '/orders/{id}/cancel': at('id', act('cancel')),
        '/orders/{id}/frobnicate': at('id', act('frobnicate')),
      },
      { Order },
    )
    assert.deepEqual(
      found.map(line => line.replace(/id "[^"]*"/, 'id …')),
      [
        'list: list "orders"',
        'me: read "orders", id …',
        'read: read "orders"',
        'update: update "orders"',
        'cancel: update "orders", set {"status":"cancelled"}',
      ],
    )
  })

  test('with records whose name is nested', async () => {
    const Pod = {
      type: 'object',
      properties: {
        kind: { type: 'string' },
        metadata: { type: 'object', properties: { name: { type: 'string' }, labels: { type: 'object' } } },
      },
    }
    const found = await infer(
      {
        '/pods': {
          get: list({
            type: 'object',
            required: ['items'],
            properties: { kind: { type: 'string' }, items: { type: 'array', items: ref('Pod') } },
          }),
          post: create(ref('Pod'), ref('Pod')),
        },
        '/pods/{name}': at('name', { get: read(ref('Pod')) }),
      },
      { Pod },
    )
    assert.deepEqual(found, ['list: list "pods"', 'create: create "pods"', 'read: read "pods"'])
  })

  test('with query bounds of times and numbers', async () => {
    const Event = {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'integer' },
        createdAt: { type: 'string', format: 'date-time' },
        price: { type: 'number' },
      },
    }
    const query = (name: string, schema: object = { type: 'string', format: 'date-time' }) => ({
      in: 'query',
      name,
      schema,
    })
    const number = { type: 'number' }
    const parameters = [
      query('from'),
      query('to'),
      query('createdAfter'),
      query('min_price', number),
      query('after', { type: 'string' }),
    ]
    const paths = { '/events': { get: { ...list({ type: 'array', items: ref('Event') }), parameters } } }
    assert.deepEqual(await infer(paths, { Event }), [
      `list: list "events", filter ${JSON.stringify([
        { parameter: 'from', field: 'createdAt', is: 'at-least' },
        { parameter: 'to', field: 'createdAt', is: 'at-most' },
        { parameter: 'createdAfter', field: 'createdAt', is: 'more-than' },
        { parameter: 'min_price', field: 'price', is: 'at-least' },
      ])}, cursor "after"`,
    ])
  })

  test('a date bounds a field of seconds since 1970', async () => {
    const Call = { type: 'object', properties: { id: { type: 'string' }, created: { type: 'integer' } } }
    const schema = { type: 'string', format: 'date-time' }
    const parameters = [{ in: 'query', name: 'createdAfter', schema }]
    const paths = { '/calls': { get: { ...list({ type: 'array', items: ref('Call') }), parameters } } }
    assert.deepEqual(await infer(paths, { Call }), [
      'list: list "calls", filter [{"parameter":"createdAfter","field":"created","is":"more-than"}]',
    ])
  })
})

test('the numbers around a list are told apart by their names, and by what is beside them', async () => {
  const integer = { type: 'integer' }
  const next = { type: 'string', nullable: true }
  for (const [properties, expected] of [
    [
      { count: integer, next, results: things },
      { count: '${page.total}', next: '${page.next}' },
    ],
    [
      { count: integer, results: things, total: integer },
      { count: '${page.count}', total: '${page.total}' },
    ],
    [
      { size: integer, results: things, totalPages: integer },
      { size: '${page.limit}', totalPages: '${page.pages}' },
    ],
    [{ nextPage: { ...integer, nullable: true }, results: things }, { nextPage: '${page.nextNumber}' }],
  ] as const) {
    const paths = { ...LAYOUTS['with the usual paths'], '/things': { get: list({ type: 'object', properties }) } }
    const { operations } = await inferSimulation(paths, { Thing })
    const body = { ...expected, results: '${page.items}' }
    assert.deepEqual((operations?.list?.respond as { body?: object } | undefined)?.body, body)
  }
})
