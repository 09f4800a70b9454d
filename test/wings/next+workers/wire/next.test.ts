import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { NextReport } from '../../../../src/wings/next/types.ts'
import { until } from '../../../support/until.ts'
import { FREE_PORTS, understudy } from '../../../wire/start-program.ts'
import { edited, GATEWAY, NOW, PAIRS } from '../../next/pairs.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))

test('the report of several workers is that of the program', async () => {
  const pair = PAIRS.find(({ change }) => change.startsWith('an enum of replies'))
  writeFileSync(join(home, 'openapi.yaml'), NOW)
  writeFileSync(join(home, 'next.yaml'), edited(pair?.edits ?? []))
  writeFileSync(join(home, 'gateway.yaml'), `${GATEWAY}next: ./next.yaml\n`)
  const child = understudy(join(home, 'gateway.yaml'), '--workers', '2', ...FREE_PORTS, '--no-watch')
  try {
    const api = await until(() => /API +(http:\S+)/.exec(child.output())?.[1])
    const control = await until(() => /Control plane +(http:\S+)/.exec(child.output())?.[1])
    // Connections are dealt in turn: each worker answers two of them.
    const headers = { 'x-key': 'key-of-bob', 'understudy-next': '1', connection: 'close' }
    for (let i = 0; i < 4; i++) await fetch(`${api}/pets`, { headers })
    const { requests, rows, consumers } = (await (await fetch(`${control}/next`)).json()) as NextReport
    assert.deepEqual([requests, consumers], [4, ['bob']])
    assert.deepEqual([rows[0]?.operation, rows[0]?.calls, rows[0]?.findings[0]?.calls], ['listPets', 4, 4])
  } finally {
    child.kill('SIGKILL')
  }
})
