// Rules as a client and the reader of the log meet them.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileOf } from '../support/in-process.ts'
import { understudy } from './start-program.ts'

const CONFIG = `
contract:
  openapi: 3.1.0
  info: { title: Orders, version: "1" }
  paths:
    /orders:
      post:
        operationId: order
        requestBody: { content: { application/json: { schema: { type: object } } } }
        responses: { "200": { description: An order, content: { application/json: { schema: { type: object } } } } }
operations:
  order:
    respond: { status: 200, body: {} }
    rules:
      - { when: 'request.headers["x-plan"] == "free"', latency: { fixed: 1ms } }
      - { when: 'request.body.total > 100', latency: { fixed: 1ms } }
      - { when: 'request.body.lines.exists(x, request.body.lines.exists(y, x + y == 1))', latency: { fixed: 1ms } }
`

test('a condition that fails is logged once for each reason, with its place; one that lacks a field is not', async () => {
  const config = fileOf(CONFIG)
  const program = understudy(config, '--port', '0', '--control-port', '0', '--log-level', 'warn')
  try {
    while (!/http:\/\/\S+/.test(program.output())) await once(program.stdout ?? program, 'data')
    const [url] = /http:\/\/[\w.:]+/.exec(program.output()) as RegExpExecArray
    const send = (body: unknown) =>
      fetch(`${url}/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const lines = Array.from({ length: 300 }, () => 1)
    for (const total of ['many', 'more', 7, true]) assert.equal((await send({ total, lines })).status, 200)
    program.kill()
    await once(program, 'exit')
    const logged = program.output().match(/a condition could not be evaluated: [^\n]*?(?="\}|\n)/g)
    assert.deepEqual(
      logged?.map(line => line.replace(/.*\.yaml/, '').replaceAll('\\"', '"')),
      [
        ':16: request.body.total > 100: no such overload: string > int',
        ':17: request.body.lines.exists(x, request.body.lines.exists(y, x + y == 1)): the expressions of this request take more than 20000 steps',
      ],
    )
  } finally {
    program.kill('SIGKILL')
  }
})
