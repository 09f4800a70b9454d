import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

// An example is only warned of at load, so it can still be wrong when it is sent.
const contract = `
openapi: 3.1.0
info: { title: Dice, version: 1.0.0 }
paths:
  /roll:
    get:
      operationId: roll
      responses:
        '200':
          description: A number of pips.
          content: { text/plain: { example: six } }
`
const dice = (replies: string) =>
  inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
defaults: { validate: { replies: ${replies} } }
operations: { roll: { respond: { status: 200, headers: { content-type: application/json }, body: 6 } } }
`,
    'openapi.yaml': contract,
  })

suite('a reply that violates the contract', () => {
  test('is sent unchanged with replies: off', async () => {
    const { status, headers } = await dice('off').send('GET /roll')
    assert.equal(status, 200)
    assert.equal(headers['understudy-warning'], undefined)
  })
  test('is sent with a warning with replies: warn', async () => {
    const { status, headers } = await dice('warn').send('GET /roll')
    assert.equal(status, 200)
    assert.equal(headers['understudy-warning'], 'answered 200 as application/json, which is not documented')
  })
  test('becomes a 500 with replies: refuse', async () => {
    const { status, body } = await dice('refuse').send('GET /roll')
    assert.equal(status, 500)
    assert.equal((body as { code: string }).code, 'invalid_reply')
  })
})

// Refusals in a configured shape that differs from the documented one. 429 is undocumented.
const shop = (mode: string, more = '') =>
  inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
errors: { body: { reason: "\${problem.detail}" } }
defaults: { validate: { replies: ${mode} } ${more} }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
components:
  schemas: { Error: { type: object, required: [code], properties: { code: { type: integer } } } }
paths:
  /things/{id}:
    get:
      operationId: getThing
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        '200': { description: Fine., content: { application/json: { schema: { type: object }, example: {} } } }
        '404':
          description: None.
          content: { application/json: { schema: { $ref: "#/components/schemas/Error" }, examples: { no: { value: { code: no } } } } }
        '503': { description: Down., content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } } }
`,
  })
const MISSING = 'with a body that breaks its schema: /code is required'

suite('every reply whose status the contract documents is checked', () => {
  const cases: [what: string, line: string, more: string, status: number, warning: string | undefined][] = [
    ['a refusal', 'GET /things/x', '', 404, `answered 404 ${MISSING}`],
    ['a status fault', 'GET /things/1', ', fault: { kind: status, status: 503 }', 503, `answered 503 ${MISSING}`],
    [
      'a reply that the client chose',
      'GET /things/1?__code=404&__example=no',
      '',
      404,
      'answered 404 with a body that breaks its schema: /code must be an integer',
    ],
    ['an undocumented refusal is not', 'GET /things/1', ', rateLimit: { limit: 1/h }', 429, undefined],
    ['a reply that fits has no warning', 'GET /things/1', '', 200, undefined],
  ]
  for (const [what, line, more, status, warning] of cases) {
    test(what, async () => {
      const warned = shop('warn', more)
      if (status === 429) await warned.send(line)
      const reply = await warned.send(line)
      assert.deepEqual([reply.status, reply.headers['understudy-warning']], [status, warning])
      if (warning === undefined) return
      const refused = await shop('refuse', more).send(line)
      assert.deepEqual([refused.status, refused.body], [500, { reason: `getThing ${warning}` }])
      const off = await shop('off', more).send(line)
      assert.deepEqual([off.status, off.headers['understudy-warning']], [status, undefined])
    })
  }

  test('a fault without a reply is not checked', async () => {
    assert.equal((await shop('refuse', ', fault: { kind: reset }').send('GET /things/1')).status, 0)
  })
})

test('x-faker says more of a text than the name of its property', async () => {
  const text = (topic: string, more = '') => `{ type: string, x-faker: ${topic}${more} }`
  const properties = `a: ${text('internet.email')}, b: ${text('datatype.uuid')}, c: ${text('address.city', ', maxLength: 4')}`
  const schema = `{ type: object, required: [a, b, c], properties: { ${properties} } }`
  const content = `content: { application/json: { schema: ${schema} } }`
  const { send } = inProcess({
    'gateway.yaml': 'contract: ./openapi.yaml',
    'openapi.yaml': contract.replace(/content: .*/, content),
  })
  const { a, b, c } = (await send('GET /roll')).body as Record<string, string>
  assert.match(a as string, /^[a-z.]+@example\.com$/)
  assert.match(b as string, /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)
  assert.ok((c as string).length <= 4)
})
