// The image's health check, as the container runs it.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { silentLog } from '../../src/gateway/log.ts'
import { start } from '../../src/start.ts'
import { realClock } from '../../src/world/clock.ts'
import { PROGRAM } from '../support/built-program.ts'
import { loadPlan } from '../support/load.ts'

/** The exit code of the check. */
const check = (environment: Record<string, string>, ...args: string[]): Promise<number> =>
  new Promise(resolve => {
    const child = spawn(process.execPath, ['deploy/health.mjs', ...args], { env: environment, stdio: 'inherit' })
    child.once('exit', code => resolve(code ?? -1))
  })

const secure = join(mkdtempSync(join(tmpdir(), 'understudy-')), 'gateway.yaml')
writeFileSync(
  secure,
  `listen: { tls: self-signed }
contract: { openapi: 3.1.0, info: { title: Secure, version: "1" }, paths: {} }
`,
)

for (const [where, controlHost, file] of [
  ['on loopback', '127.0.0.1', 'config/gateway.yaml'],
  ['on another address', '127.0.0.9', 'config/gateway.yaml'],
  ['on every interface', '0.0.0.0', 'config/gateway.yaml'],
  ['by https', '127.0.0.1', secure],
] as const) {
  test(`the control plane is found ${where}`, async () => {
    const load = () => loadPlan(file, '.', {})
    const loaded = await load()
    assert.ok(loaded.plan)
    const { serving } = await start(loaded.plan, loaded, load, {
      clock: realClock,
      log: silentLog,
      watch: false,
      listen: { host: '127.0.0.1', port: 0, controlHost, controlPort: 0, controlToken: 'a-secret' },
    })
    const environment = { CONTROL_HOST: controlHost, CONTROL_PORT: new URL(serving.controlOrigin).port }
    assert.equal(await check(environment), 0)
    await serving.close()
    assert.equal(await check(environment), 1)
  })
}

for (const [where, host, scheme] of [
  ['by its configuration', '127.0.0.1', ''],
  ['by its configuration, on IPv6 and by https', '::1', 'tls: self-signed, '],
] as const) {
  test(`the control plane is found at a port that is chosen ${where}`, {
    skip: !existsSync('/proc/net/tcp6'),
  }, async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'understudy-')), 'gateway.yaml')
    const listen = `listen: { ${scheme}host: 127.0.0.1, port: 0, controlHost: "${host}", control: 0 }`
    writeFileSync(file, `${listen}\ncontract: { openapi: 3.1.0, info: { title: Apart, version: "1" }, paths: {} }\n`)
    const { CONTROL_HOST: _, CONTROL_PORT: __, PORT: ___, ...env } = process.env
    const more = { ...env, UNDERSTUDY_CONTROL_TOKEN: 'a-secret' }
    const child = spawn(process.execPath, [PROGRAM, 'serve', file], { env: more, stdio: ['ignore', 'pipe', 'inherit'] })
    after(() => child.kill('SIGKILL'))
    let said = ''
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      said += chunk
      if (said.includes('Control plane')) break
    }
    assert.equal(await check({}, `${child.pid}`), 0, said)
  })
}

test('the image runs the health check', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8')
  assert.match(dockerfile, /^COPY deploy\/health\.mjs \/app\/$/m)
  assert.match(dockerfile, /^HEALTHCHECK .*"node", "\/app\/health\.mjs"/m)
})
