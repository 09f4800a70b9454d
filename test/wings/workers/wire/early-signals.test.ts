import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileOf } from '../../../support/in-process.ts'
import { untilSaid } from '../../../support/until.ts'
import { understudy } from '../../../wire/start-program.ts'

const CONFIGURATION = `
contract:
  openapi: 3.1.0
  info: { title: Greetings, version: "1" }
  paths: { /hello: { get: { operationId: hello, responses: { "200": { description: Hello. } } } } }
`

/** Starts two workers, and sends a signal once the first of them serves. */
function signalEarly(signal: 'SIGHUP' | 'SIGTERM') {
  const ports = ['--port', '0', '--control-port', '0']
  const child = understudy(fileOf(CONFIGURATION), '--workers', '2', ...ports, '--no-watch')
  const exited = once(child, 'exit')
  const send = () => {
    if (!/a worker serves/.test(child.output())) return
    child.stderr?.off('data', send)
    child.kill(signal)
  }
  child.stderr?.on('data', send)
  return { child, exited }
}

test('a SIGHUP before all workers serve does not end the program', async t => {
  const { child, exited } = signalEarly('SIGHUP')
  t.after(() => child.kill('SIGKILL'))
  await untilSaid(child, /Control plane +http/)
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
})

test('after a SIGTERM before all workers serve the program stops as usual', async t => {
  const { child, exited } = signalEarly('SIGTERM')
  t.after(() => child.kill('SIGKILL'))
  assert.deepEqual(await exited, [0, null])
})
