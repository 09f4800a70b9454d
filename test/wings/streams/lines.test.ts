import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadFiles } from '../../support/in-process.ts'

test('the lines of a file are checked against the schema of an item; a text is sent as it is', () => {
  const { report } = loadFiles({
    'gateway.yaml': `
contract:
  openapi: 3.2.0
  info: { title: Ticks, version: "1" }
  paths:
    /ticks:
      get:
        operationId: watch
        responses:
          200:
            description: Ticks
            content:
              text/event-stream: { itemSchema: { type: object, required: [price], properties: { price: { type: number } } } }
operations: { watch: { respond: { stream: { file: ticks.jsonl } } } }
`,
    'ticks.jsonl': '{ "price": 1 }\n\n{ "price": "2" }\n{}\n[DONE]\n',
  })
  assert.deepEqual(
    report.list.map(({ code, severity, message }) => [code, severity, message]),
    [
      ['invalid-item', 'warning', 'line 2 of ticks.jsonl breaks the contract: /price must be a number'],
      ['invalid-item', 'warning', 'line 3 of ticks.jsonl breaks the contract: /price is required'],
    ],
  )
})
