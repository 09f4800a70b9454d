import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

const error = "content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }"
const other = "content: { application/json: { schema: { $ref: '#/components/schemas/Other' } } }"
const DOCUMENT = `
openapi: 3.0.3
info: { title: t, version: '1' }
paths:
  /a: { get: { operationId: a, responses: { '200': { description: ok }, '400': { description: no, ${error} }, '500': { description: no, ${other} } } } }
  /b: { get: { operationId: b, responses: { '200': { description: ok }, '404': { description: no, ${error} } } } }
  /c: { get: { operationId: c, responses: { '200': { description: ok } } } }
components:
  schemas:
    Error: { type: object, required: [reason], properties: { reason: { type: string } } }
    Other: { type: object, required: [error], properties: { error: { type: object, properties: { message: { type: string } } } } }
`
const LONELY = DOCUMENT.replace(/ {2}\/b: .*\n/, '')

describe('a refusal whose status is undocumented', () => {
  const cases: readonly (readonly [title: string, document: string, target: string, body: object])[] = [
    ['has the shape of its nearest error', DOCUMENT, '/a?__code=409', { reason: '409 was asked for' }],
    [
      'has the shape of an error of the same class',
      DOCUMENT,
      '/a?__code=503',
      { error: { message: '503 was asked for' } },
    ],
    ['has the usual shape of the contract', DOCUMENT, '/c?__code=503', { reason: '503 was asked for' }],
    [
      'is a problem document if the contract has no usual shape',
      LONELY,
      '/c?__code=503',
      {
        type: 'about:blank',
        title: 'Service unavailable',
        status: 503,
        detail: '503 was asked for',
        code: 'unavailable',
      },
    ],
  ]
  for (const [title, document, target, body] of cases) {
    test(title, async () => {
      const { send } = inProcess({ 'openapi.yaml': document })
      assert.deepEqual((await send(`GET ${target}`)).body, body)
    })
  }
})
