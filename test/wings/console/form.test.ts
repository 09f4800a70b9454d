import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlannedOperation } from '../../../src/plan/plan.ts'
import { describeForm } from '../../../src/wings/console/form.ts'
import { OPERATIONS, simulate } from '../../simulate.ts'
import { load } from '../../support/in-process.ts'

const ORIGIN = 'http://127.0.0.1:4010'

for (const scheme of [
  '{ type: http, scheme: basic }',
  '{ type: http, scheme: bearer }',
  '{ type: apiKey, in: header, name: x-key }',
  '{ type: apiKey, in: query, name: key }',
  '{ type: apiKey, in: cookie, name: key }',
]) {
  test(`without consumers the command of a form has a generated credential: ${scheme}`, () => {
    const { plan } = load(`contract: { openapi: 3.1.0, info: { title: T, version: '1' }, security: [{ key: [] }],
      components: { securitySchemes: { key: ${scheme} } },
      paths: { /a: { get: { operationId: getA, responses: { '204': { description: Done } } } } } }`)
    assert.ok(plan)
    const { curl } = describeForm(plan.operations[0] as PlannedOperation, plan, ORIGIN)
    assert.match(curl ?? '', /^curl .*(?:any.*\/a|\/a.*any)/)
  })
}

test('an operation is described with a sample of each reply that has no example', () => {
  const { gateway } = simulate(`\noperations: ${OPERATIONS}`)
  const planned = gateway.plan.operations.find(({ operation }) => operation.id === 'listThings') as PlannedOperation
  const { responses } = describeForm(planned, gateway.plan, ORIGIN)
  assert.ok(Array.isArray(responses[0]?.content[0]?.sample))
})
