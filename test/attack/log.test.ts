// A log that cannot be written loses lines, but no request fails.

import assert from 'node:assert/strict'
import { existsSync, openSync } from 'node:fs'
import { pause } from '../support/until.ts'
import { type Program, startProgram } from './program.ts'
import { attack } from './table.ts'

const KIND = 'log'
const skipped = existsSync('/dev/full') ? undefined : 'skipped: no /dev/full here'

async function serves(stdio: Parameters<typeof startProgram>[0], lost: boolean, args: string[] = []): Promise<string> {
  if (skipped !== undefined) return skipped
  const program = await startProgram(stdio, args)
  try {
    for (let i = 0; i < 20; i++) assert.equal(await program.status('/v1/pets?limit=1'), 200)
    await assertLost(program, lost)
    assert.equal(await program.stop(), 0)
    return `20 of 20 served, ${lost ? 'lines counted' : 'no line lost'}, exit code 0`
  } finally {
    program.child.kill('SIGKILL')
  }
}

/** Lines are written in batches, so that a loss may be counted a moment after the requests it concerns. */
async function assertLost(program: Program, lost: boolean): Promise<void> {
  let lines = 0
  for (let tries = 0; tries < (lost ? 1000 : 3) && lines === 0; tries++) {
    if (tries > 0) await pause(100)
    lines = await program.metric('understudy_log_lines_lost_total')
  }
  assert.equal(lines > 0, lost, `${lines} lines were lost`)
}

const full = () => openSync('/dev/full', 'w')

attack(KIND, 'standard output is full', () => serves(['ignore', full(), 'ignore'], false))
attack(KIND, 'standard error is full', () => serves(['ignore', 'ignore', full()], true))
attack(KIND, 'standard error is full, warnings only', () =>
  serves(['ignore', 'ignore', full()], false, ['--log-level', 'warn']),
)
attack(KIND, 'both are full', () => serves(['ignore', full(), full()], true))

attack(KIND, 'the reader of both goes away', async () => {
  const program = await startProgram(['ignore', 'pipe', 'pipe'])
  try {
    program.child.stdout?.destroy()
    program.child.stderr?.destroy()
    for (let i = 0; i < 20; i++) assert.equal(await program.status('/v1/pets?limit=1'), 200)
    await assertLost(program, true)
    assert.equal(await program.stop(), 0)
    return '20 of 20 served, lines counted, exit code 0'
  } finally {
    program.child.kill('SIGKILL')
  }
})

attack(KIND, 'the reader never reads', async () => {
  const program = await startProgram(['ignore', 'ignore', 'pipe'])
  try {
    program.child.stderr?.pause()
    // More bytes than a pipe buffers.
    const path = `/v1/${'x'.repeat(3000)}`
    for (let i = 0; i < 100; i++) assert.equal(await program.status(path), 404)
    assert.equal(await program.stop(), 0)
    return '100 of 100 answered, exit code 0'
  } finally {
    program.child.kill('SIGKILL')
  }
})
