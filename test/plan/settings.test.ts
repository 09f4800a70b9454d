import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../support/in-process.ts'

const CONTRACT = 'contract: { openapi: 3.1.0, info: { title: A, version: "1" }, paths: {} }'

for (const [text, milliseconds] of [
  ['1.5ms', 2],
  ['30s', 30_000],
  ['60d', 2 ** 31 - 1],
] as const) {
  test(`a time-out of ${text} fits a timer`, () => {
    const { plan } = load(`${CONTRACT}\nlimits: { request: ${text}, idle: ${text} }`)
    assert.equal(plan?.simulation.limits.request, milliseconds)
    assert.equal(plan?.simulation.limits.idle, milliseconds)
  })
}
