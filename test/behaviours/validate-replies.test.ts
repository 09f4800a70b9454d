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

suite('a reply that breaks the contract', () => {
  test('is sent as it is where nobody looks', async () => {
    const { status, headers } = await dice('off').send('GET /roll')
    assert.equal(status, 200)
    assert.equal(headers['understudy-warning'], undefined)
  })
  test('is sent with a warning', async () => {
    const { status, headers } = await dice('warn').send('GET /roll')
    assert.equal(status, 200)
    assert.equal(headers['understudy-warning'], 'answered 200 as application/json, which is not documented')
  })
  test('is not sent where replies are held to it', async () => {
    const { status, body } = await dice('refuse').send('GET /roll')
    assert.equal(status, 500)
    assert.equal((body as { code: string }).code, 'invalid_reply')
  })
})
