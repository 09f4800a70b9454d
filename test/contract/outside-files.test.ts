import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readContract } from '../../src/contract/document/read-contract.ts'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { readSource } from '../../src/kernel/file/read-source.ts'

/** Returns the mistakes of a contract in `api/`, whose paths refer to the folder beside it. @param root `--root`, from `api/` */
function mistakesOf(paths: string, root?: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  try {
    const home = join(folder, 'api')
    const file = join(home, 'openapi.yaml')
    mkdirSync(home)
    writeFileSync(join(folder, 'outside.yaml'), 'get: { responses: { 200: { description: ok } } }')
    writeFileSync(file, `openapi: 3.0.3\ninfo: { title: t, version: "1" }\npaths:\n${paths}`)
    const report = new Diagnostics()
    const source = readSource(file, 'openapi.yaml', report, 'contract')
    assert.ok(source)
    readContract({ file, source }, home, report, { root })
    for (const { code, hint } of report.list) if (code === 'outside-file') assert.match(hint ?? '', /: --root \.\.$/)
    return report.list.map(({ code, severity, place }) => `${severity} ${code} ${place.line}`).sort()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const OUTSIDE = '  /a: { $ref: ../outside.yaml }\n'
const WARNINGS = ['warning left-out 4', 'warning outside-file 4']

test('a contract whose every path is in a file outside of its folder is an error', () => {
  assert.deepEqual(mistakesOf(OUTSIDE), ['error outside-file 4', ...WARNINGS])
})

test('a contract with a path in a file outside of its folder serves the others', () => {
  assert.deepEqual(mistakesOf(`${OUTSIDE}  /b: { get: { responses: { 200: { description: ok } } } }\n`), WARNINGS)
})

test('a contract may lead to files in a folder that is admitted', () => {
  assert.deepEqual(mistakesOf(OUTSIDE, '..'), [])
})
