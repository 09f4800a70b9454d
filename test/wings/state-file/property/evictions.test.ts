// A state file after evictions of worlds.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { FileLog } from '../../../../src/wings/state-file/file-log.ts'
import { clients, contentOf, FILES, MAX, run } from '../../../property/evictions.ts'
import { surroundings } from '../../../state/engines/surroundings.ts'
import { replica } from '../../../state/replicas.ts'
import { cases } from '../../../support/cases.ts'

test('a file has the worlds that are left', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-evictions-'))
  t.after(() => rmSync(folder, { recursive: true }))
  let files = 0
  await fc.assert(
    fc.asyncProperty(clients, async steps => {
      const file = join(folder, `${++files}.state`)
      const open = () => replica(new FileLog({ file, sync: 3_600_000, recover: false }, surroundings()), {}, FILES)
      const first = await open()
      await Promise.all(
        steps.map(async own => {
          for (const one of own) await run(first, one)
        }),
      )
      const content = await contentOf(first)
      await first.state.close()
      const second = await open()
      assert.ok(Object.keys(content).length <= MAX + 1)
      assert.deepEqual(await contentOf(second), content)
      await second.state.close()
    }),
    { numRuns: cases(60) },
  )
})
