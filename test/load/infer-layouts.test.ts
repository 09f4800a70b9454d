import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readContract } from '../../src/contract/read-contract.ts'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { parseSource } from '../../src/kernel/read-source.ts'
import { inferGateway } from '../../src/load/infer/simulation.ts'

/** Infers from a document with these paths. Returns one line for each operation, and why something was left out. */
async function infer(paths: object, schemas: object = {}, openapi = '3.0.3'): Promise<readonly string[]> {
  const { operations, without } = await inferSimulation(paths, schemas, openapi)
  const lines = Object.entries(operations ?? {}).map(([id, block]) => {
    const { links, limit, body, ...respond } = block.respond as Record<string, unknown>
    return `${id}: ${Object.entries(respond)
      .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
      .join(', ')}`
  })
  return [...lines, ...[...without].map(([what, reason]) => `without ${what}: ${reason}`)]
}

/** Infers from a document with these paths. Returns the result and the parts that were left out. */
async function inferSimulation(paths: object, schemas: object, openapi = '3.0.3') {
  const text = JSON.stringify({ openapi, info: { title: 't', version: '1' }, paths, components: { schemas } })
  const report = new Diagnostics()
  const source = parseSource('api.json', text, report)
  assert.ok(source)
  const contract = readContract({ file: '/api.json', source, base: [] }, '/', report)
  assert.ok(contract)
  const { plan, without } = await inferGateway(contract, '/api.json', '/')
  return { ...plan.simulation.file, without }
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ok = (schema?: object, status = 200) => ({
  [status]: { description: 'ok', ...(schema === undefined ? {} : json(schema)) },
})
const list = (schema: object) => ({ operationId: 'list', responses: ok(schema) })
const create = (request: object, reply: object) => ({
  operationId: 'create',
  requestBody: { required: true, ...json(request) },
  responses: ok(reply, 201),
})
const read = (schema: object) => ({ operationId: 'read', responses: ok(schema) })
const at = (name: string, operations: object, schema: object = { type: 'string' }) => ({
  parameters: [{ in: 'path', name, required: true, schema }],
  ...operations,
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
        '/orders/{id}/mark-as-paid': at('id', act('pay')),
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
        'pay: update "orders", set {"status":"paid"}',
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
})

suite('inference finds the id of a record', () => {
  const text = { type: 'string' }
  const number = { type: 'integer' }
  const cases: Readonly<Record<string, readonly [parameter: string, id: object, more: object, wanted: string]>> = {
    'a textual id rather than a name': ['customer', text, { name: text }, 'id'],
    'a name if the id is a number and the path has a text': ['customer', number, { name: text }, 'name'],
    'a login rather than a name': ['username', number, { name: text, login: text }, 'login'],
  }
  for (const [title, [parameter, id, more, wanted]] of Object.entries(cases)) {
    test(title, async () => {
      const Customer = {
        type: 'object',
        required: ['id', ...Object.keys(more)],
        properties: { id, ...more },
      }
      const { resources } = await inferSimulation(
        {
          '/customers': { get: list({ type: 'array', items: ref('Customer') }) },
          [`/customers/{${parameter}}`]: at(parameter, { get: read(ref('Customer')) }),
        },
        { Customer },
      )
      assert.equal((resources?.customers as { id?: { field?: string } })?.id?.field, wanted)
    })
  }
})

suite('a resource that fails its trial', () => {
  test('is left out with the reason', async () => {
    const thing = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
    const paths = {
      '/things': { get: list({ type: 'array', items: thing, minItems: 99 }) },
      '/things/{id}': at('id', { get: read(thing) }),
    }
    const [reason, ...more] = await infer(paths)
    assert.match(String(reason), /^without resource things: list: .*must have at least 99 items/)
    assert.deepEqual(more, [])
  })

  test('leaves a plan for the document', async () => {
    assert.deepEqual(await infer({ '/health': { get: { operationId: 'health', responses: ok() } } }), [])
  })
})
