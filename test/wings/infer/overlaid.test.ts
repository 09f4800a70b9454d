import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { inferFile } from '../../../src/wings/infer/load-inferred.ts'
import { WINGS } from '../../../src/wings.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(folder, { recursive: true }))

const skip = !WINGS.some(({ layers }) => layers !== undefined)

test('init names the overlays that it was given', { skip }, async () => {
  writeFileSync(join(folder, 'o.yaml'), 'openapi: 3.1.0\ninfo: { title: Shop, version: "1" }\npaths: {}\n')
  writeFileSync(
    join(folder, 'a.yaml'),
    `overlay: 1.1.0
info: { title: Names, version: "1" }
actions:
  - { target: $.info, update: { title: Store } }
`,
  )
  const { inferred } = await inferFile('o.yaml', folder, folder, { layers: ['a.yaml'], wings: WINGS })
  assert.match(inferred ?? '', /^# Inferred from Store 1\..*\ncontract: \[\.\/o\.yaml, \.\/a\.yaml\]\n/)
})
