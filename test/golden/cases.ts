// Golden cases: one file each, with input files and the exact output. After a line that describes the case, `-- NAME --`
// begins a file; a name that ends in a slash is a directory. Files that the case lacks are taken from shared/. UPDATE=1 writes
// the outputs again: read the difference before you keep it.

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, test } from 'node:test'

export interface GoldenCase {
  /** A directory that holds the files. */
  readonly home: string
  /** The name of the first file of the case. */
  readonly first: string
  /** Lines `NAME=value` of the part `environment`. */
  readonly environment: Readonly<Record<string, string>>
}

const SHARED = join(import.meta.dirname, 'shared')
const SEPARATOR = /^-- (\S.*) --\n/m

/** Makes a test for each case in a folder beside this file. `run` returns the content of its part `output`. */
export function testCases(folder: string, run: (golden: GoldenCase) => string | Promise<string>): void {
  const path = join(import.meta.dirname, folder)
  const scratch = mkdtempSync(join(tmpdir(), 'understudy-'))
  after(() => rmSync(scratch, { recursive: true }))
  for (const name of readdirSync(path).filter(name => name.endsWith('.txt'))) {
    const text = readFileSync(join(path, name), 'utf8')
    const [about = '', ...rest] = text.split(SEPARATOR)
    const parts = new Map<string, string>()
    for (let i = 0; i < rest.length; i += 2) parts.set(rest[i] as string, rest[i + 1] as string)
    test(`${basename(name, '.txt')}: ${about.trim()}`, async () => {
      const expected = parts.get('output') ?? ''
      const actual = await run(unpack(join(scratch, name), parts))
      if (process.env.UPDATE === '1' && actual !== expected) {
        writeFileSync(join(path, name), `${text.split(/^-- output --\n/m)[0]}-- output --\n${actual}`)
      } else
        assert.equal(actual, expected, `${name}: if the new output is better, UPDATE=1 npm test -- golden writes it`)
    })
  }
}

function unpack(home: string, parts: ReadonlyMap<string, string>): GoldenCase {
  const files = [...parts.keys()].filter(name => name !== 'output' && name !== 'environment')
  mkdirSync(home)
  for (const name of readdirSync(SHARED)) {
    if (!files.includes(name) && !files.includes(`${name}/`))
      writeFileSync(join(home, name), readFileSync(join(SHARED, name)))
  }
  for (const name of files) {
    const path = join(home, name)
    if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true })
    if (name.endsWith('/')) mkdirSync(path)
    else writeFileSync(path, parts.get(name) as string)
  }
  const lines = (parts.get('environment') ?? '').split('\n').filter(line => line.includes('='))
  const environment = Object.fromEntries(lines.map(line => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]))
  return { home, first: files[0] ?? 'gateway.yaml', environment }
}
