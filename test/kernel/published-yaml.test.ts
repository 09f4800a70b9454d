// Reads documents that others wrote, those of the installed packages and of this project, and variants of them, as `yaml` does.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { parseSource } from '../../src/kernel/file/read-source.ts'
import { size } from '../support/cases.ts'
import { differenceOf } from './yaml-difference.ts'

const ROOT = join(import.meta.dirname, '../..')
const KINDS = ['gateway', 'contract', 'records'] as const
const LARGEST_JSON = 5_000

function documentsIn(folder: string): readonly (readonly [path: string, text: string])[] {
  const root = realpathSync(join(ROOT, folder))
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(path => /\.(?:ya?ml|json)$/.test(path) && (folder === 'node_modules' || !path.includes('node_modules')))
    .filter(path => statSync(join(root, path)).isFile())
    .map(path => [join(folder, path), readFileSync(join(root, path), 'utf8')] as const)
    .filter(([path, text]) => !path.endsWith('.json') || text.length < LARGEST_JSON)
}

const DOCUMENTS = ['node_modules', 'test', 'docs', 'config', 'deploy', 'fixtures'].flatMap(documentsIn)

test('documents of packages are read as `yaml` reads them, values and places', () => {
  assert.ok(DOCUMENTS.length >= 300, `${DOCUMENTS.length} documents`)
  for (const [path, text] of DOCUMENTS) {
    for (const kind of KINDS) assert.equal(differenceOf(text, kind), undefined, `${path}, as ${kind}`)
  }
})

/** Texts that are put into a document at some place. */
const INSERTED = [
  '\n',
  ' ',
  '\t',
  ':',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  '- ',
  '#',
  '&a ',
  '*a',
  '| ',
  '!x ',
  ', ',
  '\r\n',
  '1.10 ',
  '0o17 ',
]

/** Texts that nobody writes, and that are read in another way: a line that ends with CR alone, an empty key, a key `0o17` or with a tag. */
const ODD = /\r(?!\n)|^\s*:(?:\s|$)|\{\s*0o|!x\s+\S+:|[{,]\s*:/m

test('variants of YAML documents with a text more, or a character less, are read as `yaml` reads them', () => {
  const short = DOCUMENTS.filter(([path, text]) => !path.endsWith('.json') && text.length > 10 && text.length < 4000)
  let step = 0
  for (const [path, text] of short) {
    for (let variant = 0; variant < size(3, 5); variant++) {
      step += 1
      const at = (step * 7919) % text.length
      const inserted = INSERTED[step % INSERTED.length] as string
      const changed =
        step % 3 === 0 ? text.slice(0, at) + text.slice(at + 1) : text.slice(0, at) + inserted + text.slice(at)
      if (ODD.test(changed)) continue
      for (const kind of KINDS) assert.equal(differenceOf(changed, kind), undefined, `${path}, as ${kind}:\n${changed}`)
    }
  }
})

for (const [name, text] of [
  ['a brace in the column of its key', 'a:\n  b: {\n    "c": [],\n    "d": true\n  }\ne: 1\n'],
  ['a bracket in the column of its key', 'a:\n  b: [\n    1,\n  ]\n'],
  ['booleans and octals of YAML 1.1', 'a: [yes, on, 012, 0o12, 0x1F, 1_000, 2026-01-01]\n'],
  ['a document of YAML 1.1', '%YAML 1.1\n---\na: [yes, on, 012]\n'],
  ['known and unknown tags', 'a: !!binary aGk=\nb: !custom { c: 1 }\nc: !!str 1\nd: !!set { x, y }\n'],
  ['keys that are numbers', 'a: { 200: x, 1.10: y, 0x1F: z, true: w }\n'],
  ['merged maps', 'a: &a { x: 1, y: 2 }\nb: { <<: *a, y: 3 }\nc: { y: 4, <<: [*a, { z: 5 }] }\n'],
  ['an anchor that is set twice', 'a: &a 1\nb: *a\nc: &a 2\nd: *a\n'],
  ['a byte order mark and CRLF', '\uFEFFa: 1\r\nb:\r\n  - "c\r\n    d"\r\n'],
  ['blocks with indicators', 'a: |2-\n    b\n   c\nd: >+\n  e\n\n  f\n\ng: 1\n'],
] as const) {
  for (const kind of KINDS) {
    test(`${name}: read as \`yaml\` reads it, as ${kind}`, () => {
      assert.equal(parseSource('a.yaml', text, new Diagnostics(), kind) === undefined, false)
      assert.equal(differenceOf(text, kind), undefined)
    })
  }
}

for (const quote of ["'", '"']) {
  for (const kind of KINDS) {
    test(`a text in ${quote} that continues less indented than its key is read with a warning, as ${kind}`, () => {
      const report = new Diagnostics()
      const text = `a:\n  b:\n    c: ${quote}first\n  third\n\n  fourth${quote}\n    d: 1\n`
      const source = parseSource('a.yaml', text, report, kind)
      assert.deepEqual(source?.value, { a: { b: { c: 'first third\nfourth', d: 1 } } })
      assert.deepEqual(
        report.list.map(({ code, severity, place: { line, column } }) => [code, severity, line, column]),
        [['text-indentation', 'warning', 3, 8]],
      )
      const { line, column } = source?.locate(['a', 'b', 'd'], 'key') ?? {}
      assert.deepEqual([line, column], [7, 5])
    })
  }
}

test('a quote that is missing is a mistake, not a text that continues at the next quote', () => {
  const report = new Diagnostics()
  assert.equal(parseSource('a.yaml', 'a: "x\nb: "y"\nc: "z"\n', report), undefined)
  assert.deepEqual([report.list[0]?.code, report.list[0]?.place.line], ['syntax', 1])
})

for (const [name, text, code] of [
  ['a cycle of aliases', 'x:\n  y: {\n  }\na: &a [*a]\n', 'alias-bomb'],
  ['levels beyond the bound', `x:\n  y: {\n  }\na: ${'['.repeat(3000)}${']'.repeat(3000)}\n`, 'too-deep'],
  [
    'a map that is merged thousands of times',
    `b: &b {${'abcdefghij'
      .split('')
      .flatMap(a => [...'0123456789'].map(b => `${a}${b}: 1,`))
      .join('')}}\n${Array.from({ length: 1100 }, (_, i) => `m${i}: {<<: *b}\n`).join('')}x:\n  y: {\n  }\n`,
    'alias-bomb',
  ],
] as const) {
  test(`${name} is refused by both readers: ${code}`, () => {
    for (const kind of KINDS) {
      const report = new Diagnostics()
      assert.equal(parseSource('a.yaml', text, report, kind), undefined)
      assert.equal(report.unsorted[0]?.code, code, kind)
    }
  })
}
