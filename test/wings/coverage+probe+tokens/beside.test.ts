import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { coverageObserver } from '../../../src/wings/coverage/observe.ts'
import { selfCheck } from '../../../src/wings/probe/self-check.ts'
import { send } from '../../../src/wings/probe/send.ts'
import { gatewayOf, load, requestOf } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'
import { CONTRACT, withIssuer } from '../tokens/login.ts'

test('the endpoints of an issuer are no part of the coverage of the contract', async () => {
  const { gateway, token } = withIssuer()
  await token({ grant_type: 'client_credentials' })
  const { operations } = gateway.observed(coverageObserver).report()
  assert.deepEqual(
    operations.map(({ operation }) => operation),
    ['listPets', 'createPet', 'getMe'],
  )
})

test('check --deep calls operations that need a token, and none of an issuer', async () => {
  const report = new Diagnostics()
  const { operations } = await selfCheck(withIssuer().gateway.plan, report)
  const codes = report.list.map(({ code }) => code).filter(code => code !== 'undocumented-refusal')
  assert.deepEqual([operations, codes], [3, []])
})

test('the console sends a request as a consumer, with the scopes of that', async () => {
  const { gateway } = withIssuer()
  const statusOf = async (method: string, consumer: string) =>
    (await send(gateway, { method, path: '/v1/pets', consumer })).reply.status
  assert.equal(await statusOf('GET', 'ada'), 200)
  assert.equal(await statusOf('POST', 'ada'), 403)
  assert.equal(await statusOf('POST', 'shop'), 201)
})

test('rules and latency apply to an endpoint', async () => {
  const rule = 'operations: { default/token: { rules: [{ when: "nth == 1", respond: { status: 503 } }] } }'
  const { token } = withIssuer(`
issuers: { default: {} }
consumers: { shop: { client: { id: shop, secret: shop-secret, scopes: ["pets:read"] } } }
${rule}`)
  assert.equal((await token({ grant_type: 'client_credentials' })).status, 503)
  assert.equal((await token({ grant_type: 'client_credentials' })).status, 200)
})

test('an operation that the contract has at the path of an endpoint keeps its name', async () => {
  const documented = `${CONTRACT}    /oauth/token:
      post: { operationId: getToken, security: [{ oauth: [] }], responses: { 200: { description: Fine } } }
issuers: { default: { path: /v1/oauth } }
consumers: { shop: { client: { id: shop, secret: s } } }
`
  const gateway = gatewayOf(load(documented), new FixedClock())
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const raw = new TextEncoder().encode('grant_type=client_credentials&client_id=shop&client_secret=s')
  const reply = await gateway.handle(requestOf('POST /v1/oauth/token', { headers, raw }))
  assert.equal(reply.status, 200)
  assert.equal(gateway.plan.operations.filter(({ operation }) => operation.id === 'getToken').length, 1)
  assert.equal([...gateway.journal.each()].at(-1)?.operation, 'getToken')
})
