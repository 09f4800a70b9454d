// The engines, and the log in memory that tests share, against the same tests.

import { memoryLog } from '../../../src/state/engines/memory.ts'
import { MemoryLog } from '../../support/memory-log.ts'
import { conforms, shares } from './conformance.ts'

conforms('memory', { connect: memoryLog })

const logs = new Map<string, MemoryLog>()
const shared = {
  connect(name: string) {
    const log = logs.get(name) ?? new MemoryLog()
    logs.set(name, log)
    return log.connect()
  },
}
conforms('the log of tests', shared)
shares('the log of tests', shared)
