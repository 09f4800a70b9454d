// The files of the console as the control plane serves them.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { RunningGateway, StartOptions } from '../../../../src/index.ts'
import { LIBRARY, PROGRAM } from '../../../support/built-program.ts'
import { ask } from '../../../wire/ask.ts'

type Library = { readonly startGateway: (options: StartOptions) => Promise<RunningGateway> }
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
let gateway: RunningGateway
let script: string
before(async () => {
  const { startGateway } = (await import(pathToFileURL(LIBRARY).href)) as Library
  gateway = await startGateway({ config: 'config/gateway.yaml' })
  const page = await ask(`${gateway.control}/`, { headers: HTML })
  script = /src="(\/console\/[^"]+\.js)"/.exec(page.text)?.[1] as string
})
after(() => gateway.close())

test('a browser gets the page, under a policy that allows its own scripts and origin only', async () => {
  const { status, headers } = await ask(`${gateway.control}/`, { headers: HTML })
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(headers['cache-control'], 'no-cache')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.match(policy, /connect-src 'self'/)
})

test('its files are cacheable for ever and pre-compressed', async () => {
  const url = gateway.control + script
  const whole = await ask(url)
  assert.equal(whole.status, 200)
  assert.equal(whole.headers['cache-control'], 'public, max-age=31536000, immutable')
  const compressed = await ask(url, { headers: { 'accept-encoding': 'gzip, br' } })
  assert.equal(compressed.headers['content-encoding'], 'br')
  assert.ok(Number(compressed.headers['content-length']) < Number(whole.headers['content-length']))
  assert.equal((await ask(url, { method: 'HEAD' })).status, 200)
})

for (const path of [
  '/console/',
  '/console/nothing.js',
  '/console/..%2fcli.js',
  '/console/../cli.js',
  '/console/index',
  '/console/a/b.js',
]) {
  test(`${path} is not found`, async () => assert.equal((await ask(gateway.control + path)).status, 404))
}

test('a page of another origin gets neither the page nor its files', async () => {
  for (const path of ['/', script]) {
    assert.equal(
      (await ask(gateway.control + path, { headers: { ...HTML, origin: 'https://evil.example' } })).status,
      403,
    )
  }
})

test('with a token the page is public, its calls are not', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--log-level', 'silent'], {
    env: { PATH: process.env.PATH ?? '', CONTROL_PORT: '0', UNDERSTUDY_CONTROL_TOKEN: 'a-token' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let banner = ''
    for await (const chunk of child.stdout) {
      banner += chunk
      if (banner.includes('curl')) break
    }
    const control = /Control plane +(\S+)/.exec(banner)?.[1]
    assert.equal((await ask(`${control}/`, { headers: HTML })).status, 200)
    assert.equal((await ask(control + script)).status, 200)
    assert.equal((await ask(`${control}/worlds`)).status, 401)
    assert.equal((await ask(`${control}/worlds`, { headers: { authorization: 'Bearer a-token' } })).status, 200)
  } finally {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
})
