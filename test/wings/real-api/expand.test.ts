import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadFiles } from '../../support/in-process.ts'
import { STAGED_CONTRACT, stagedConfiguration } from './staging.ts'

test('related records of the real API are a mistake', () => {
  const staged = stagedConfiguration('http://staging/v1').replace(
    'getInvoice: { respond: { read: invoices } }',
    'getInvoice: { respond: { read: invoices, expand: [expand] } }',
  )
  const contract = STAGED_CONTRACT.replace(
    'operationId: getInvoice,',
    'operationId: getInvoice, parameters: [{ name: expand, in: query, schema: { type: string } }],',
  )
  const { report } = loadFiles({ 'gateway.yaml': staged, 'openapi.yaml': contract })
  assert.deepEqual(
    report.list.map(({ severity, code, message }) => `${severity} ${code} ${message}`),
    ['error unread-base "expand" does not read the real API'],
  )
})
