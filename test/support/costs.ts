// TEST_COSTS=FILE appends a line for each test file: the processor time of its tests and programs in milliseconds.

import { appendFileSync, readFileSync } from 'node:fs'
import { after, before } from 'node:test'

const { TEST_COSTS } = process.env
/** Milliseconds of a tick, in which Linux counts the time of children. */
const TICK = 10

/** Processor time of this process and of its children that have ended, in milliseconds. */
function spent(): number {
  const { user, system } = process.cpuUsage()
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (user + system) / 1000 + (Number(fields[13]) + Number(fields[14])) * TICK
}

/** Records the time of the tests of a file. For a suite, whose files run in sequence. */
export function recordCost(file: string): void {
  if (TEST_COSTS === undefined) return
  let begin = 0
  before(() => {
    begin = spent()
  })
  after(() => appendFileSync(TEST_COSTS, `${Math.round(spent() - begin)} ${file}\n`))
}
