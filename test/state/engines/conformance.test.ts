// The engines, and the log in memory that tests share, against the same tests.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { FileLog } from '../../../src/state/engines/file-log.ts'
import { memoryLog } from '../../../src/state/engines/open-engine.ts'
import { MemoryLog } from '../../support/memory-log.ts'
import { conforms, keeps, shares } from './conformance.ts'
import { surroundings } from './surroundings.ts'

conforms('memory', { connect: memoryLog })

const folder = mkdtempSync(join(tmpdir(), 'understudy-engines-'))
after(() => rmSync(folder, { recursive: true }))
for (const sync of [0, 1000]) {
  const connect = (name: string) => {
    const file = join(folder, `${name}-${sync}.state`)
    return new FileLog({ kind: 'file', file, sync, recover: false }, surroundings())
  }
  const kind = sync === 0 ? 'file' : 'file with an interval'
  conforms(kind, { connect })
  keeps(kind, { connect })
}

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
