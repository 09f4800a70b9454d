import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayOf, load, requestOf } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'

const CONTRACT = `
contract:
  openapi: 3.1.0
  info: { title: T, version: "1" }
  paths: { /things: { get: { operationId: list, responses: { 200: { description: ok } } } } }
`
const UPSTREAM = 'upstream: { url: "https://staging.example.com", methods: [POST] }\n'

for (const [title, yaml, expected] of [
  ['a gateway without a real API does not say who replied', CONTRACT, undefined],
  ['a simulated reply is marked where there is a real API', CONTRACT + UPSTREAM, 'simulation'],
  [
    'a reply in place of the real one is marked as simulated',
    `${CONTRACT}${UPSTREAM}defaults: { respond: { forward: { else: simulate } } }\n`,
    'simulation',
  ],
] as const) {
  test(title, async () => {
    const gateway = gatewayOf(load(yaml), new FixedClock())
    for (const path of ['/things', '/nothing']) {
      const { headers } = await gateway.handle(requestOf(`GET ${path}`))
      assert.equal(headers['understudy-replied'], expected)
    }
  })
}
