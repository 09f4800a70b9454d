import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics, suggest } from '../../src/kernel/diagnostic.ts'
import { remedyFor } from '../../src/kernel/remedies.ts'
import { sourceFiles } from './source-files.ts'

/** A call that reports a mistake, up to its code and its other operands. */
const REPORTS =
  /\b(?:error|warning|warn|warnOnce|wrong|say|report|fail|mistake)\(\s*(?:text, )?'([a-z]+(?:-[a-z0-9]+)+)',?/g
/** The code of a mistake or a fault that is an object. */
const OBJECTS = /\bcode: '([a-z]+(?:-[a-z0-9]+)+)'/g

/** Returns the rest of a call, from an index of a text to its closing parenthesis. */
function restOfCall(code: string, from: number): string {
  let depth = 1
  for (let i = from; i < code.length; i++) {
    depth += code[i] === '(' ? 1 : code[i] === ')' ? -1 : 0
    if (depth === 0) return code.slice(from, i)
  }
  return code.slice(from)
}

test('every mistake ends with what to write instead: its code has a remedy, or each place that reports it gives a hint', () => {
  const bare: string[] = []
  for (const { path, text: code } of sourceFiles.filter(({ path }) => !path.startsWith('console/'))) {
    for (const found of code.matchAll(REPORTS)) {
      const name = found[1] as string
      const rest = restOfCall(code, found.index + found[0].length)
      const hints = /(?:^|[\s,])(?:hint|foreign\.hint|stranger\.hint|example|APART|beginning\(.*\))$/
      const last = rest
        .trim()
        .replace(/,$/, '')
        .replace(/,\s*(?:'key'|'value'|part)$/, '')
      const isText = /,\s*(?:'[^']*'|"[^"]*"|`[^`]*`)$/.test(last) || hints.test(last)
      if (remedyFor(name) === undefined && !isText) bare.push(`${path}: ${name}`)
    }
    for (const [whole, name = ''] of code.matchAll(OBJECTS)) {
      const near = code.slice(code.indexOf(whole), code.indexOf(whole) + 300)
      if (remedyFor(name) === undefined && !/\bhint\b/.test(near)) bare.push(`${path}: ${name}`)
    }
  }
  assert.deepEqual(bare, [], 'add the code to src/kernel/remedies.ts')
})

test('a mistake without a hint gets the remedy of its code', () => {
  const report = new Diagnostics()
  const place = { file: 'a', line: 1, column: 1, length: 1, text: '' }
  report.error('duplicate-key', 'duplicate key', place)
  report.error('unknown-tag', 'no operation has the tag', { ...place, line: 2 }, 'did you mean "pets"?')
  assert.deepEqual(
    report.list.map(({ hint }) => hint),
    ['rename or remove one of them', 'did you mean "pets"?'],
  )
})

test('a word is not suggested for a short one of another meaning', () => {
  for (const [word, other] of [
    ['mean', 'min'],
    ['not', 'int'],
    ['Math', 'nth'],
    ['host', 'port'],
  ] as const)
    assert.equal(suggest(word, [other, 'something-else'])?.startsWith('did you mean'), false, `${word}: ${other}`)
  assert.equal(suggest('stauts', ['status']), 'did you mean "status"?')
})
