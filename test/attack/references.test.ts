// Schemas that refer to each other in cycles, and in more ways than can be followed, and those of endless values.

import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type Program, startProgram } from './program.ts'
import { attack } from './table.ts'

const KIND = 'references'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Schemas each made of the next one, the last one a text. */
const chain = (length: number, link: (next: object) => object): Record<string, object> =>
  Object.fromEntries(
    Array.from({ length }, (_, i) => [`A${i}`, i === length - 1 ? { type: 'string' } : link(ref(`A${i + 1}`))]),
  )

const DOCUMENTS: readonly (readonly [name: string, schemas: Record<string, object>])[] = [
  ['a reference to itself', { A0: ref('A0') }],
  ['a cycle of references', { A0: ref('A1'), A1: ref('A0') }],
  ['a cycle of allOf', { A0: { allOf: [ref('A1')] }, A1: { allOf: [ref('A0')] } }],
  ['a cycle of oneOf and anyOf', { A0: { oneOf: [ref('A0'), ref('A1')] }, A1: { anyOf: [ref('A0'), ref('A1')] } }],
  [
    'a cycle through a discriminator',
    {
      A0: { oneOf: [ref('A1')], discriminator: { propertyName: 't', mapping: { b: '#/components/schemas/A1' } } },
      A1: { allOf: [ref('A0')], properties: { t: { type: 'string' } } },
    },
  ],
  ['a required member of its own kind', { A0: { type: 'object', required: ['a'], properties: { a: ref('A0') } } }],
  ['a text of a thousand million characters', { A0: { type: 'string', minLength: 1e9 } }],
  ['an object of a thousand million members', { A0: { type: 'object', minProperties: 1e9 } }],
  ['a text of 5,000 characters of a nested pattern', { A0: { type: 'string', pattern: '^(a+)+$', minLength: 5000 } }],
  ['40 schemas, each twice the next by allOf', chain(40, next => ({ allOf: [next, next] }))],
  [
    '40 schemas, each twice the next by oneOf',
    chain(40, next => ({ oneOf: [next, { allOf: [next, { type: 'integer' }] }] })),
  ],
  [
    '40 schemas, each twice the next by anyOf',
    chain(40, next => ({ anyOf: [{ allOf: [next, { minLength: 9 }] }, next] })),
  ],
]

// One program adopts one after the other.
let adopting: Promise<Program> | undefined
after(async () => assert.equal(await (await adopting)?.stop(), 0))

for (const [name, schemas] of DOCUMENTS) {
  attack(KIND, `PUT /config: ${name}`, async () => {
    adopting ??= startProgram('ignore')
    const program = await adopting
    const content = { 'application/json': { schema: ref('A0') } }
    const paths = {
      '/a': {
        get: { operationId: 'get', responses: { 200: { description: 'ok', content } } },
        post: { operationId: 'post', requestBody: { content }, responses: { 200: { description: 'ok', content } } },
      },
    }
    const contract = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths, components: { schemas } }
    const headers = { 'content-type': 'application/json' }
    const put = await fetch(`${program.control}/config`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ contract }),
    })
    assert.equal(put.status, 200, (await put.text()).slice(0, 300))
    const statuses: number[] = []
    for (const body of ['"text"', '{"a":{"a":{}}}', '1', '[[]]']) {
      const reply = await fetch(`${program.url}/a`, { method: 'POST', headers, body })
      await reply.arrayBuffer()
      statuses.push(reply.status)
      assert.ok([200, 400].includes(reply.status), `${body} → ${reply.status}`)
    }
    assert.ok([200, 501].includes(await program.status('/a')))
    return `adopted, four bodies were answered with ${statuses.join(', ')}`
  })
}
