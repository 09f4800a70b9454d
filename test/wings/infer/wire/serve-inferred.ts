import assert from 'node:assert/strict'
import { after } from 'node:test'
import { Gateway } from '../../../../src/gateway/gateway.ts'
import { silentLog } from '../../../../src/gateway/log.ts'
import { Reloader } from '../../../../src/gateway/reload.ts'
import { serve } from '../../../../src/http/serve.ts'
import { realClock } from '../../../../src/world/clock.ts'
import { inferFrom } from '../../../support/in-process.ts'
import { ask } from '../../../wire/ask.ts'

/** Serves a document with inferred state. Returns a function that sends requests such as `GET /pets`. */
export async function serveInferred(document: string) {
  let stop: (() => Promise<void>) | undefined
  // Registered before the inference, which may belong to another test.
  after(() => stop?.())
  const loaded = { ...(await inferFrom(document)), files: [] }
  const { plan, report } = loaded
  assert.ok(plan)
  assert.deepEqual(report.list, [])
  const gateway = new Gateway(plan, realClock, silentLog, '0')
  const serving = await serve(
    gateway,
    new Reloader(gateway, () => loaded, loaded, silentLog),
    { host: '127.0.0.1', port: 0, controlHost: '127.0.0.1', controlPort: 0, controlToken: undefined },
    '0',
    silentLog,
  )
  stop = () => serving.close()
  return (line: string, body?: unknown, type = 'application/json') => {
    const [method, path] = line.split(' ') as [string, string]
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const sent = body === undefined ? {} : { headers: { 'content-type': type }, body: text }
    return ask(serving.origin + path, { method, ...sent })
  }
}
