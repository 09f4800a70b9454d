// The engine in a file, against the tests of all engines.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { FileLog } from '../../../src/wings/state-file/file-log.ts'
import { conforms, keeps } from '../../state/engines/conformance.ts'
import { surroundings } from '../../state/engines/surroundings.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-engines-'))
after(() => rmSync(folder, { recursive: true }))
for (const sync of [0, 1000]) {
  const connect = (name: string) => {
    const file = join(folder, `${name}-${sync}.state`)
    return new FileLog({ file, sync, recover: false }, surroundings())
  }
  const kind = sync === 0 ? 'file' : 'file with an interval'
  conforms(kind, { connect })
  keeps(kind, { connect })
}
