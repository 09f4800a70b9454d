// Runs the node:test tests of README.md and docs/ as shown.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { transformSync } from 'esbuild'
import { LIBRARY } from '../support/built-program.ts'
import { blocksOf, PAGES } from '../support/pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(folder, { recursive: true }))
const { NODE_TEST_CONTEXT: _, ...env } = process.env

const examples = PAGES.flatMap(page =>
  blocksOf(page)
    .filter(
      ({ language, text }) =>
        language === 'ts' &&
        (text.includes("from 'understudy-gateway/node-test'") ||
          (text.includes("from 'understudy-gateway'") && text.includes("'node:test'"))),
    )
    .map(({ text }) => ({ page, code: text })),
)

test('the pages contain tests', () => assert.ok(examples.length >= 2))

/** Returns where a package is, or a part of ours: `understudy-gateway/node-test`. */
const locate = (name: string): string =>
  name.startsWith('understudy-gateway')
    ? pathToFileURL(join(dirname(LIBRARY), `${name.split('/')[1] ?? 'index'}.js`)).href
    : import.meta.resolve(name)

for (const [i, { page, code }] of examples.entries()) {
  const name = /test\('([^']+)'/.exec(code)?.[1] ?? `example ${i + 1}`
  test(`${page}: ${name}`, async () => {
    const file = join(folder, `example-${i}.mjs`)
    const { code: script } = transformSync(code, { loader: 'ts' })
    writeFileSync(
      file,
      script.replace(/ from "(?!node:)([^"]+)"/g, (_, name: string) => ` from "${locate(name)}"`),
    )
    const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
    const [status] = await once(child, 'close')
    assert.equal(status, 0, output)
    assert.match(output, /pass [1-9]/)
  })
}
