import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

const gateway = (more: string) => `
contract:
  openapi: 3.1.0
  info: { title: One, version: "1" }
  paths: { /one: { get: { operationId: one, responses: { 200: { description: ok } } } } }
${more}
`

const chainOf = (more: string) => {
  const { plan } = inProcess({ 'gateway.yaml': gateway(more) }).gateway
  return plan.operations[0]?.chain.map(({ name }) => name)
}

test('the behaviour `state` is in the chain only if worlds are recorded', () => {
  assert.ok(!chainOf('')?.includes('state'))
  assert.ok(!chainOf('state: memory')?.includes('state'))
  assert.ok(chainOf('state: { history: true }')?.includes('state'))
})

test('a chain with `state` answers in a gateway whose worlds are not recorded', async () => {
  const { send } = inProcess({ 'gateway.yaml': gateway('state: { history: true }') })
  assert.equal((await send('GET /one')).status, 200)
})
