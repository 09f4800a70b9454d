// Loaded into the program with `--import`: notes the longest step of its event loop in processor time of the main thread, which
// does not depend on how busy the machine is. SIGUSR2 writes it to the file that the query of this module names, and begins
// anew. Linux only.

import { openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = new URL(import.meta.url).searchParams.get('file')
if (isMainThread && file !== null) {
  const schedule = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const buffer = Buffer.alloc(64)
  /** Milliseconds that the main thread has run. */
  const ran = () => Number(buffer.latin1Slice(0, readSync(schedule, buffer, 0, 64, 0)).split(' ')[0]) / 1e6
  let before = ran()
  let longest = 0
  let steps = 0
  const turn = () => {
    const now = ran()
    longest = Math.max(longest, now - before)
    steps += 1
    before = now
    setTimeout(turn, 1).unref()
  }
  turn()
  process.on('SIGUSR2', () => {
    writeFileSync(`${file}.new`, JSON.stringify({ longest, steps }))
    renameSync(`${file}.new`, file)
    longest = 0
    steps = 0
  })
}
