import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

const contract = (parameters: string) => `
openapi: 3.1.0
info: { title: Harbour, version: 1.0.0 }
paths:
  /calls:
    get:
      operationId: listCalls
      parameters: ${parameters}
      responses: { 200: { description: Calls., content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Call" } } } } } }
components:
  schemas:
    Call:
      type: object
      properties: { id: { type: integer, readOnly: true }, created: { type: integer }, ended: { type: string, format: date-time }, year: { type: integer } }
`
const PARAMETERS = `
        - { name: createdAfter, in: query, schema: { type: string, format: date-time } }
        - { name: endedBefore, in: query, schema: { type: integer } }
        - { name: sinceYear, in: query, schema: { type: string } }
        - { name: created, in: query, style: deepObject, schema: { type: object, properties: { gte: { type: string, format: date }, lt: { type: string, format: date } } } }`

const { send } = inProcess({
  'gateway.yaml': `
contract: ./openapi.yaml
resources:
  calls:
    schema: Call
    seed:
      - { id: 1, created: 1600000000, ended: "2020-09-13T13:00:00Z", year: 2020 }
      - { id: 2, created: 1700000000, ended: "2023-11-15T00:00:00Z", year: 2023 }
operations:
  listCalls:
    respond:
      list: calls
      filter:
        - { parameter: createdAfter, field: created, is: more-than }
        - { parameter: endedBefore, field: ended, is: less-than }
        - { parameter: sinceYear, field: year, is: at-least }
        - created
`,
  'openapi.yaml': contract(PARAMETERS),
})

suite('a filter by time', () => {
  const cases: [string, number[]][] = [
    ['createdAfter=2022-01-01T00:00:00Z', [2]],
    ['createdAfter=2019-01-01T00:00:00%2B02:00', [1, 2]],
    ['created[gte]=2020-01-01&created[lt]=2021-01-01', [1]],
    ['endedBefore=1650000000', [1]],
    ['endedBefore=1650000000000', [1]],
    // A year is a number, but not a time since 1970.
    ['sinceYear=2021-01-01', []],
  ]
  for (const [query, ids] of cases) {
    test(`${query} selects ${ids.join(' and ') || 'nothing'}`, async () => {
      const { status, body } = await send(`GET /calls?${query}`)
      assert.equal(status, 200)
      assert.deepEqual(
        (body as { id: number }[]).map(({ id }) => id),
        ids,
      )
    })
  }

  test('a text that is not a time is refused', async () => {
    assert.equal((await send('GET /calls?createdAfter=soon')).status, 400)
  })
})
