// Documents whose schemas are large in one way only: values of a list, parameters of a path, references in a row.

import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type Program, startProgram } from './program.ts'
import { attack } from './table.ts'

const KIND = 'large schemas'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const numbered = <Value>(count: number, make: (i: number) => Value): Value[] =>
  Array.from({ length: count }, (_, i) => make(i))

const chain = (length: number, link: (next: object) => object): Record<string, object> =>
  Object.fromEntries(numbered(length, i => [`A${i}`, i === length - 1 ? { type: 'string' } : link(ref(`A${i + 1}`))]))

const replying = (schema: object) => ({
  responses: { 200: { description: 'ok', content: { 'application/json': { schema } } } },
})

const LIST = { type: 'string', enum: numbered(80_000, i => `value-${i}`) }

const DOCUMENTS: readonly (readonly [name: string, paths: object, schemas: object, expected: RegExp])[] = [
  [
    'an enum of 80,000 values',
    {
      '/a': {
        get: {
          operationId: 'get',
          parameters: [{ name: 'e', in: 'query', schema: ref('A0') }],
          ...replying(ref('A0')),
        },
      },
    },
    { A0: LIST },
    /"warnings":0/,
  ],
  [
    'two enums of 80,000 values for one value',
    { '/a': { get: { operationId: 'get', ...replying({ allOf: [ref('A0'), { not: ref('A1') }, ref('A0')] }) } } },
    { A0: LIST, A1: { enum: LIST.enum.slice(0, 79_999) } },
    /"reloaded":true/,
  ],
  [
    'a path of 5,000 parameters',
    {
      [`/a${numbered(5000, i => `/{p${i}}`).join('')}`]: {
        parameters: numbered(5000, i => ({ name: `p${i}`, in: 'path', required: true, schema: { type: 'string' } })),
        get: { operationId: 'long', ...replying({ type: 'string' }) },
      },
      '/a': { get: { operationId: 'get', ...replying({ type: 'string' }) } },
    },
    {},
    /a path of 38892 characters is left out; the most are 2000/,
  ],
  [
    '10,000 references in a row',
    { '/a': { get: { operationId: 'get', ...replying(ref('A0')) } } },
    chain(10_000, next => next),
    /begins a chain of more than 32 references; values are not checked against it/,
  ],
  [
    '10,000 schemas, each with a member of the next one',
    { '/a': { get: { operationId: 'get', ...replying(ref('A0')) } } },
    chain(10_000, next => ({ type: 'object', properties: { n: next } })),
    /"reloaded":true/,
  ],
  [
    '10,000 schemas, each with a required member of the next one',
    { '/a': { get: { operationId: 'get', ...replying(ref('A0')) } } },
    chain(10_000, next => ({ type: 'object', required: ['n'], properties: { n: next } })),
    /"reloaded":true/,
  ],
  [
    'a list of a thousand million items',
    { '/a': { get: { operationId: 'get', ...replying({ type: 'array', minItems: 1e9, items: { type: 'string' } }) } } },
    {},
    /"reloaded":true/,
  ],
]

// One program adopts all of them.
let started: Promise<Program> | undefined
after(async () => assert.equal(await (await started)?.stop(), 0))

for (const [name, paths, schemas, expected] of DOCUMENTS) {
  attack(KIND, `PUT /config: ${name}`, async () => {
    started ??= startProgram('ignore')
    const program = await started
    const delay = 'understudy_event_loop_delay_seconds{percentile="100"}'
    await program.metric(delay)
    const contract = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths, components: { schemas } }
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ contract })
    const put = await fetch(`${program.control}/config`, { method: 'PUT', headers, body })
    const said = await put.text()
    assert.equal(put.status, 200, said.slice(0, 300))
    assert.match(said, expected)
    const statuses = [await program.status('/a'), await program.status('/a?e=value-79999')]
    assert.deepEqual(statuses, [200, 200])
    if ('A0' in schemas && schemas.A0 === LIST) {
      const refused = await fetch(`${program.url}/a?e=none`)
      const problem = await refused.text()
      if (refused.status === 400) assert.ok(problem.length < 20_000, `the refusal has ${problem.length} characters`)
    }
    const held = await program.metric(delay)
    return `adopted and served, loop held at most ${held.toFixed(2)} s`
  })
}
