import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { PROGRAM } from '../support/built-program.ts'
import { until } from '../support/until.ts'
import { ask } from './ask.ts'

const KEYS = { PETSTORE_API_KEY: 'k3y-of-the-first', FRONTEND_API_KEY: 'k3y-of-the-second' }

test('no reply, page, log line, banner or diagnostic contains a key', async () => {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  cpSync('config', join(home, 'config'), { recursive: true })
  cpSync('fixtures', join(home, 'fixtures'), { recursive: true })
  const file = join(home, 'config/gateway.yaml')
  const text = readFileSync(file, 'utf8').replace('apiKey: retired-key', 'apiKey: k3y-of-the-third')
  assert.match(text, /k3y-of-the-third/)
  writeFileSync(file, text)
  const args = [PROGRAM, 'serve', file, '--port', '0', '--control-port', '0']
  const env = { ...process.env, ...KEYS, LOG_LEVEL: 'trace' }
  const child = spawn(process.execPath, [...args, '--no-watch'], { stdio: ['ignore', 'pipe', 'pipe'], env })
  after(() => child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk))
  const found = (pattern: RegExp) => pattern.exec(said)?.[1]
  await until(
    () => {
      assert.equal(child.exitCode, null, said)
      return found(/(curl)/)
    },
    () => `the banner ends with curl: ${said}`,
  )
  const url = found(/API +(http:\S+)/) as string
  const control = found(/Control plane +(http:\S+)/) as string
  const take = async (target: string, options: Parameters<typeof ask>[1] = {}) => {
    const { status, headers, text } = await ask(target, options)
    said += `${status} ${JSON.stringify(headers)} ${text}\n`
    return status
  }

  const statuses = new Set<number>()
  for (const key of [...Object.values(KEYS), 'k3y-of-the-third', 'k3y-of-nobody']) {
    for (const authorization of [`Bearer ${key}`, `Basic ${key}`, key]) {
      const headers = { authorization, 'content-type': 'application/json', origin: 'http://page' }
      for (const [method, path, body] of [
        ['GET', '/pets?limit=1', undefined],
        ['GET', `/pets?limit=${key}&status=${key}`, undefined],
        ['GET', '/pets/1', undefined],
        ['GET', '/pets/999', undefined],
        ['DELETE', '/pets', undefined],
        ['POST', '/pets', '{"name":"Rex","categoryId":1}'],
        ['POST', '/pets', '{'],
        ['OPTIONS', '/pets', undefined],
      ] as const) {
        statuses.add(await take(url + path, { method, headers, ...(body === undefined ? {} : { body }) }))
      }
    }
  }
  for (const key of [...Object.values(KEYS), 'k3y-of-the-third']) {
    const authorization = `Bearer ${KEYS.FRONTEND_API_KEY}`
    assert.equal(await take(`${url}/${key}`), 404)
    assert.equal(await take(`${url}/${key.replace('-', '%2D')}/pets`), 404)
    for (const name of ['understudy-weather', 'understudy-world', 'understudy-time']) {
      assert.equal(await take(`${url}/pets`, { headers: { authorization, [name]: key } }), 400, name)
    }
  }
  assert.deepEqual([...statuses].sort(), [200, 201, 204, 400, 401, 404, 405])
  for (const path of ['/metrics', '/healthz', '/readyz', '/plan', '/openapi.json', '/worlds'])
    await take(control + path)
  for (const broken of [
    text.replace('expires: 2026-01-01', 'expires: never'),
    text.replace('retired: { apiKey', 'retired: { apiKye'),
    text.replace('k3y-of-the-third,', 'k3y-of-the-third: ,'),
    text.replace('retired: {', 'retired: { frontend: k3y-of-the-third,'),
    text.replace('"${FRONTEND_API_KEY:-frontend-key}"', 'k3y-of-the-third'),
  ]) {
    assert.notEqual(broken, text)
    writeFileSync(file, broken)
    assert.equal(await take(`${control}/reload`, { method: 'POST' }), 422)
  }
  writeFileSync(file, text)
  assert.equal(await take(`${control}/reload`, { method: 'POST' }), 200)
  child.kill('SIGTERM')
  await new Promise(resolve => child.once('close', resolve))
  assert.match(said, /frontend/, 'names are said')
  assert.match(said, /k3y|GET \/v1\/pets/, 'requests are logged')
  for (const line of said.split('\n')) assert.ok(!line.includes('k3y-of'), line)
})
