// The built program, called over HTTP and told to stop; and the built package, imported as its users do.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from './program.ts'

const ROOT = join(import.meta.dirname, '..')

const program = await startProgram(['node', 'dist/cli.js', 'serve', '--log-level', 'warn'], ROOT, {
  PORT: '0',
  CONTROL_PORT: '0',
})
const authorization = 'Bearer demo-key'
const json = { authorization, 'content-type': 'application/json' }
const CALLS: readonly [number, string, RequestInit][] = [
  [200, '/pets?limit=3&status=sold', { headers: { authorization } }],
  [200, '/pets/7', { headers: { authorization } }],
  [201, '/pets', { method: 'POST', headers: json, body: '{"name":"Rex","categoryId":9223372036854775807}' }],
  [400, '/pets', { method: 'POST', headers: json, body: '{"name":"Rex"}' }],
  [400, '/pets', { method: 'POST', headers: json, body: '{"name":' }],
  [400, '/pets?limit=0', { headers: { authorization } }],
  [401, '/pets', {}],
  [401, '/pets/7', { headers: { authorization: 'Bearer wrong' } }],
  [404, '/pets/999', { headers: { authorization } }],
  [404, '/nowhere', { headers: { authorization } }],
  [405, '/pets', { method: 'DELETE', headers: { authorization } }],
  [415, '/pets', { method: 'POST', headers: { authorization, 'content-type': 'text/plain' }, body: 'Rex' }],
  [501, '/store/orders', { headers: { authorization } }],
]
for (const [status, path, init] of CALLS) {
  const reply = await fetch(program.url + path, init)
  const body = (await reply.json()) as { status?: number }
  assert.equal(reply.status, status, `${init.method ?? 'GET'} ${path}`)
  if (status >= 400) assert.equal(body.status, status)
}
assert.match(await (await fetch(`${program.control}/metrics`)).text(), /understudy_refusals_total/)
assert.equal((await fetch(`${program.control}/reset`, { method: 'POST' })).ok, true)
assert.equal(await program.stop(), 0)
console.log(`the built program answers ${CALLS.length} calls as it should, and stops`)

// The first test that docs/library.md shows, in a project that depends on the package.
const [, example = ''] =
  /^```ts\n(import assert.*?)^```$/ms.exec(readFileSync(join(ROOT, 'docs/library.md'), 'utf8')) ?? []
assert.ok(example.includes("from 'understudy-gateway'"))
const project = mkdtempSync(join(tmpdir(), 'understudy-'))
try {
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(ROOT, join(project, 'node_modules/understudy-gateway'), 'dir')
  for (const name of ['config', 'fixtures']) symlinkSync(join(ROOT, name), join(project, name), 'dir')
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(project, 'example.test.ts'), example)
  writeFileSync(join(project, 'example.test.js'), example)
  execFileSync(process.execPath, ['--test', 'example.test.js'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const types = join(ROOT, 'node_modules/@types')
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, ...options, '--typeRoots', types, 'example.test.ts'], {
    cwd: project,
    stdio: 'inherit',
  })
} finally {
  rmSync(project, { recursive: true })
}
console.log('the built package can be imported, and is typed')
