// A log that cannot be written loses lines, but no request fails.

import assert from 'node:assert/strict'
import { existsSync, openSync } from 'node:fs'
import { startProgram } from './program.ts'
import { attack } from './table.ts'

const KIND = 'log'
const skipped = existsSync('/dev/full') ? undefined : 'skipped: no /dev/full here'

/** A path whose line in the log is long: some hundred of them are more than may wait. */
const LONG = `/v1/${'x'.repeat(3000)}`

/** @param lost whether more lines are logged than may wait */
async function serves(stdio: Parameters<typeof startProgram>[0], lost: boolean, args: string[] = []): Promise<string> {
  if (skipped !== undefined) return skipped
  const program = await startProgram(stdio, args)
  try {
    for (let i = 0; i < 20; i++) assert.equal(await program.status('/v1/pets?limit=1'), 200)
    assert.equal(await program.metric(LOST), 0, 'lines wait')
    for (let i = 0; i < 300; i++) assert.equal(await program.status(LONG), 404)
    assert.equal((await program.metric(LOST)) > 0, lost)
    assert.equal(await program.stop(), 0)
    return `320 of 320 answered, ${lost ? 'lines counted' : 'no line lost'}, exit code 0`
  } finally {
    program.child.kill('SIGKILL')
  }
}

const LOST = 'understudy_log_lines_lost_total'

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
    for (let i = 0; i < 300; i++) assert.equal(await program.status(LONG), 404)
    assert.ok((await program.metric(LOST)) > 0)
    assert.equal(await program.stop(), 0)
    return '300 of 300 answered, lines counted, exit code 0'
  } finally {
    program.child.kill('SIGKILL')
  }
})

attack(KIND, 'the reader never reads', async () => {
  const program = await startProgram(['ignore', 'ignore', 'pipe'])
  try {
    program.child.stderr?.pause()
    // More bytes than a pipe buffers.
    for (let i = 0; i < 100; i++) assert.equal(await program.status(LONG), 404)
    assert.equal(await program.stop(), 0)
    return '100 of 100 answered, exit code 0'
  } finally {
    program.child.kill('SIGKILL')
  }
})
