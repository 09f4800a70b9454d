import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACT } from '../../simulate.ts'
import { load } from '../../support/in-process.ts'
import { loadPlan } from '../../support/load.ts'

test('examples and defaults that break their schemas are reported', () => {
  const { report } = loadPlan('test/corpus/flawed-3.0.yaml', '.', {})
  const codes = report.list.map(({ code }) => code)
  assert.deepEqual(
    ['invalid-default', 'invalid-example'].filter(code => !codes.includes(code)),
    [],
  )
})

test('a condition on the text of a body that the operation does not have never holds', () => {
  const rule = `{ when: 'request.text == "x"', respond: { status: 503 } }`
  const { report } = load(`${CONTRACT}operations: { listThings: { rules: [${rule}] } }`)
  const messages = report.list.map(({ message }) => message).join()
  assert.match(messages, /request.text never exists: listThings documents no body/)
})
