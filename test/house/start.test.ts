// Modules that a wing needs only where it is configured are not loaded at the start.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { build } from 'esbuild'
import { WINGS } from '../../src/wings.ts'
import { ROOT } from './source-files.ts'

/** Returns the files of src/ that are loaded with a file, without those that are imported on demand. */
async function loadedWith(path: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [path],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
  })
  const loaded = new Set([path])
  for (const file of loaded)
    for (const { path, kind } of metafile.inputs[file]?.imports ?? []) if (kind !== 'dynamic-import') loaded.add(path)
  return [...loaded].filter(file => file.startsWith('src/'))
}

const names = WINGS.map(({ name }) => name)
/** Modules of wings that a gateway without `next` and `upstream` does not need. */
const ON_DEMAND = [
  'drift/drift-book',
  'drift/recorded',
  'infer/list',
  'next/changes',
  'next/judge',
  'next/request-check',
  'next/tally',
  'project/differences',
  'project/page-differences',
]
  .filter(path => names.includes(path.split('/')[0] as string))
  .map(path => `src/wings/${path}.ts`)

test('the list of wings loads nothing that compares, judges or infers', async () => {
  const loaded = new Set(await loadedWith('src/wings.ts'))
  for (const file of ON_DEMAND) assert.ok(existsSync(join(ROOT, file)), file)
  for (const name of names) assert.ok(loaded.has(`src/wings/${name}/wing.ts`), name)
  assert.deepEqual(
    ON_DEMAND.filter(file => loaded.has(file)),
    [],
  )
})
