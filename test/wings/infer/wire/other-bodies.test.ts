// Bodies that are not plain JSON: XML by the schema's `xml` keywords, JSON Patch, JSON Merge Patch.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { serveInferred } from './serve-inferred.ts'

const DOCUMENT = `
openapi: 3.0.3
info: { title: Kennel, version: '1' }
paths:
  /dogs:
    get: { responses: { '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Dog' } } } } } } }
    post:
      requestBody: { required: true, content: &both { application/json: { schema: { $ref: '#/components/schemas/Dog' } }, application/xml: { schema: { $ref: '#/components/schemas/Dog' } } } }
      responses: { '201': { description: ok, content: *both } }
  /dogs/{id}:
    parameters: [{ in: path, name: id, required: true, schema: { type: integer } }]
    get: { responses: { '200': { description: ok, content: *both } } }
    patch:
      requestBody:
        content:
          application/json-patch+json: { schema: { type: object } }
          application/merge-patch+json: { schema: { type: object } }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Dog' } } } } }
components:
  schemas:
    Dog:
      type: object
      required: [name]
      additionalProperties: false
      xml: { name: dog }
      properties:
        id: { type: integer, xml: { attribute: true } }
        name: { type: string }
        weight: { type: number }
        isGood: { type: boolean }
        photos: { type: array, xml: { wrapped: true }, items: { type: string, xml: { name: photo } } }
        toys: { type: array, xml: { name: toy, wrapped: true }, items: { type: string } }
        tags: { type: array, items: { type: object, xml: { name: tag }, properties: { id: { type: integer }, name: { type: string } } } }
`
const XML = 'application/xml'
const PATCH = 'application/json-patch+json'
const REX =
  '<?xml version="1.0"?><dog id="41"><name>Rex &amp; Co &#x263A;</name><weight>12.50</weight><isGood>true</isGood>' +
  '<photos><photo>a.png</photo><photo>b.png</photo></photos><tag><id>1</id><name>small</name></tag><tag><id>2</id></tag></dog>'

suite('XML', () => {
  test('is parsed by the schema: attributes, wrapped and repeated elements, exact numbers', async () => {
    const send = await serveInferred(DOCUMENT)
    const { status, body, text } = await send('POST /dogs', REX, XML)
    assert.equal(status, 201)
    const rex = {
      id: 41,
      name: 'Rex & Co ☺',
      weight: 12.5,
      isGood: true,
      photos: ['a.png', 'b.png'],
      tags: [{ id: 1, name: 'small' }, { id: 2 }],
    }
    assert.deepEqual(body, rex)
    assert.match(text, /"weight":12\.50/)
    assert.deepEqual((await send('GET /dogs/41')).body, rex)
  })

  test('may name the items of a list after the property', async () => {
    const send = await serveInferred(DOCUMENT)
    const { status, body } = await send(
      'POST /dogs',
      '<dog id="43"><name>Rex</name><toys><toy>ball</toy><toy>bone</toy></toys></dog>',
      XML,
    )
    assert.deepEqual([status, body], [201, { id: 43, name: 'Rex', toys: ['ball', 'bone'] }])
  })

  test('is validated by the schema like JSON', async () => {
    const send = await serveInferred(DOCUMENT)
    const faults = async (xml: string) => {
      const { status, body } = await send('POST /dogs', xml, XML)
      return [status, (body as { detail: string }).detail]
    }
    assert.deepEqual(await faults('<dog><weight>much</weight></dog>'), [
      400,
      '/name is required; /weight must be a number',
    ])
    assert.deepEqual(await faults('<dog><name>Rex</name><colour>red</colour></dog>'), [400, '/colour is not allowed'])
    assert.deepEqual(await faults('<dog/>'), [400, '/name is required'])
  })

  for (const [what, xml, fault] of [
    ['a truncated document', '<dog><name>Rex', /is not XML/],
    ['a document type', '<!DOCTYPE dog [<!ENTITY a "aaaa">]><dog><name>&a;</name></dog>', /document type/],
    ['deep nesting', `${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}`, /64 elements within one another/],
    ['a document of 5000 elements', `<dog>${'<tag/>'.repeat(5000)}</dog>`, /at most 4000 elements/],
    ['a document of 70,000 characters', `<dog><name>${'x'.repeat(70_000)}</name></dog>`, /at most 65536 characters/],
    ['an element named __proto__', '<dog><__proto__><polluted>1</polluted></__proto__></dog>', /is not XML/],
  ] as const) {
    test(`${what} is refused`, async () => {
      const send = await serveInferred(DOCUMENT)
      const { status, body } = await send('POST /dogs', xml, XML)
      assert.equal(status, 400)
      assert.match((body as { detail: string }).detail, fault)
    })
  }

  test('keeps unknown entities unchanged', async () => {
    const send = await serveInferred(DOCUMENT)
    const { body } = await send('POST /dogs', '<dog id="42"><name>&rex; &lt;b&gt;</name></dog>', XML)
    assert.equal((body as { name: string }).name, '&rex; <b>')
  })
})

suite('a JSON Patch', () => {
  const patch = async (operations: unknown, type = PATCH) => {
    const send = await serveInferred(DOCUMENT)
    assert.equal(
      (await send('POST /dogs', { id: 50, name: 'Rex', weight: 1.1, tags: [{ id: 1, name: 'a' }] })).status,
      201,
    )
    const { status, body, text } = await send('PATCH /dogs/50', operations, type)
    return { status, body: body as Readonly<Record<string, unknown>>, text, now: (await send('GET /dogs/50')).body }
  }

  test('changes a record by its operations', async () => {
    const { status, body, text, now } = await patch([
      { op: 'test', path: '/name', value: 'Rex' },
      { op: 'replace', path: '/name', value: 'Max' },
      { op: 'add', path: '/tags/-', value: { id: 2, name: 'b' } },
      { op: 'move', from: '/tags/0', path: '/tags/1' },
      { op: 'add', path: '/photos', value: ['x'] },
      { op: 'copy', from: '/photos/0', path: '/photos/-' },
      { op: 'replace', path: '/weight', value: 2.5 },
      { op: 'remove', path: '/photos/0' },
    ])
    assert.equal(status, 200)
    const tags = [
      { id: 2, name: 'b' },
      { id: 1, name: 'a' },
    ]
    assert.deepEqual(body, { id: 50, name: 'Max', weight: 2.5, photos: ['x'], tags })
    assert.deepEqual(now, body)
    assert.match(text, /"weight":2\.5[,}]/)
  })

  for (const [what, operations, fault] of [
    ['a failing test', [{ op: 'test', path: '/name', value: 'Max' }], /the test fails/],
    ['removing a missing member', [{ op: 'remove', path: '/photos' }], /nothing at this path/],
    ['removing a required field', [{ op: 'remove', path: '/name' }], /name is required/],
    ['a value of a wrong type', [{ op: 'replace', path: '/name', value: 5 }], /name must be a string/],
    ['a text instead of an operation', ['remove'], /must be an object/],
    ['an unknown operation', [{ op: 'rename', path: '/name' }], /add, remove, replace, move, copy or test/],
    ['a path that is not a JSON Pointer', [{ op: 'remove', path: 'name' }], /must be a JSON Pointer/],
    ['an operation without a value', [{ op: 'add', path: '/name' }], /value is required/],
    [
      'copying a record into itself repeatedly',
      [
        { op: 'add', path: '/photos', value: ['x'] },
        ...Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '', path: `/a${i}` })),
      ],
      /copies too much/,
    ],
  ] as const) {
    test(`${what} changes nothing`, async () => {
      const { status, body, now } = await patch(operations)
      assert.equal(status, 400)
      assert.match(String(body.detail), fault)
      assert.equal((now as { name: string }).name, 'Rex')
    })
  }

  test('is merged if it is an object that the contract describes', async () => {
    const { status, body } = await patch({ name: 'Max', weight: null, tags: null })
    assert.deepEqual([status, body], [200, { id: 50, name: 'Max' }])
  })

  test('with the type of a merge patch is merged, and another type is refused with the accepted ones', async () => {
    const merged = await patch({ name: 'Max', weight: null }, 'application/merge-patch+json')
    assert.deepEqual(merged.body, { id: 50, name: 'Max', tags: [{ id: 1, name: 'a' }] })
    const refused = await patch('name=Max', 'application/x-www-form-urlencoded')
    assert.equal(refused.status, 415)
    assert.match(String(refused.body.detail), /application\/json-patch\+json, application\/merge-patch\+json/)
  })
})
