import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileGlob } from '../../src/kernel/names.ts'
import { compilePattern, findNesting } from '../../src/kernel/pattern.ts'
import { Schemas } from '../../src/kernel/schema/schema.ts'
import { size } from '../support/cases.ts'

// A backtracking engine would practically never end on each of these. The test passes if it ends.
const HOSTILE: readonly (readonly [pattern: string, text: string])[] = [
  ['^(a+)+$', `${'a'.repeat(50_000)}b`],
  ['(?i)^(a+)+$', `${'a'.repeat(50_000)}b`],
  ['^(\\p{L}+)+$', `${'a'.repeat(60)}1`],
  ['^(a|a)*$', `${'a'.repeat(60)}b`],
  ['^(a{1,50}){1,50}$', `${'a'.repeat(2600)}b`],
  ['^(?=a)(a+)+$', `${'a'.repeat(60)}b`],
  ['^(a+)+\\1$', `${'a'.repeat(60)}b`],
  ['^a*a*a*a*a*a*b$', 'a'.repeat(50_000)],
  ['(x+x+)+y', 'x'.repeat(50_000)],
  ['^(a+)+$', `${'a'.repeat(1_000_000)}b`],
  ['[a-z]+@[a-z]+', 'a'.repeat(1_000_000)],
]

for (const [pattern, text] of HOSTILE) {
  test(`${pattern} is found not to match`, () => {
    assert.equal(compilePattern(pattern)?.test(text), false)
  })
}

test('thousands of hostile texts in one value are checked', () => {
  for (const pattern of ['^(a+)+$', '(?i)^(a+)+$']) {
    const items = Array.from({ length: size(3000, 10_000) }, (_, i) => `${'a'.repeat(40 + (i % 3))}!`)
    assert.notEqual(new Schemas().compile({ items: { pattern } })(items), undefined)
  }
})

test('an interrupted search rejects a hostile text, and later texts are accepted', () => {
  const pattern = compilePattern('(?i)^([a-z]+)+$')
  assert.equal(pattern?.test(`${'a'.repeat(60)}!`), false)
  // A busy machine may interrupt some of these, too.
  const later = Array.from({ length: 5000 }, () => pattern?.test('a'.repeat(60)))
  assert.ok(later.includes(true))
})

test('long texts match like short ones', () => {
  const cases = [
    ['^[a-z0-9]+(-[a-z0-9]+)*$', 'some-quite-long-slug', 'Some-quite-long-slug'],
    [
      '^[^@\\s]+@[^@\\s]+\\.[a-z]+$',
      'somebody.with.a.long.name@subdomain.example.com',
      'somebody.with.a.long.name.example.com',
    ],
    ['^(?=.*\\d)(?=.*[a-z]).{8,}$', 'a1'.repeat(200), 'a'.repeat(400)],
    ['^(\\p{L}+ ?)+$', 'Ærøskøbing og Ölüdeniz', 'Ærøskøbing 1 Ölüdeniz'],
  ] as const
  for (const [pattern, good, bad] of cases) {
    const expression = compilePattern(pattern)
    // A busy machine may interrupt some searches, and after each of them some texts are refused without one.
    const found = Array.from({ length: 50 }, () => expression?.test(good))
    assert.ok(found.includes(true), pattern)
    assert.equal(expression?.test(bad), false, pattern)
  }
})

test('long texts match as V8 matches them', () => {
  const atom = fc.constantFrom(
    ...[
      'a',
      'b',
      '.',
      '\\d',
      '\\w',
      '\\s',
      '\\S',
      '\\W',
      '[a-c]',
      '[^a]',
      '[\\d\\-x]',
      '[\\s_]',
      '[^\\s@]',
      '\\.',
      '\\/',
    ],
    ...[
      '\\_',
      '\\u0061',
      '\\x61',
      '[\\b]',
      '\\b',
      '\\B',
      '@',
      'é',
      '[é-ü]',
      '\\n',
      '[\\w.]',
      '{',
      '}',
      ']',
      '\\e',
      '[[a]',
      '\\u00e9',
    ],
  )
  // V8 takes up to 6 ms for 14 characters, and twice as long for each further one: a longer search may be interrupted.
  const long = fc
    .string({ unit: fc.constantFrom(...'ab1_-@. \n\ré\u00a0\u2028{}]/e[x😀'), minLength: 12, maxLength: 14 })
    .filter(text => text.length === 13 || text.length === 14)
  const flags = fc.constantFrom('', '(?i)')
  fc.assert(
    fc.property(flags, atom, atom, atom, fc.constantFrom('', '$'), long, (flag, one, two, three, end, text) => {
      // Repetitions within repetitions are left to the other engine for texts of more than 12 characters.
      const pattern = `^(?:(?:${one})+|(?:${two})?)*${three}${end}`
      assert.equal(
        compilePattern(flag + pattern)?.test(text),
        new RegExp(pattern, flag === '' ? '' : 'i').test(text),
        pattern,
      )
    }),
    { numRuns: size(300, 3000) },
  )
})

test('optional parts in a row are found not to match', () => {
  for (const pattern of [`^${'a?'.repeat(40)}b$`, `${'(?:a|a)'.repeat(40)}b`, `^${'a{0,30}'.repeat(10)}b`]) {
    assert.equal(compilePattern(pattern)?.test('a'.repeat(60)), false, pattern)
  }
})

test('texts of a megabyte match', () => {
  const base64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'
  const cases = [
    [base64, 'QUJD'.repeat(250_000)],
    ['^[\\w+/]*={0,2}$', 'QUJD'.repeat(250_000)],
  ] as const
  for (const [pattern, good] of cases) {
    const expression = compilePattern(pattern)
    assert.equal(expression?.test(good), true, pattern)
    assert.equal(expression?.test(`${good}!`), false, pattern)
  }
  const ambiguous = compilePattern('^(a+)+$')
  // A busy machine may interrupt some searches.
  const found = Array.from({ length: 10 }, () => ambiguous?.test('a'.repeat(1_000_000)))
  assert.ok(found.includes(true))
})

test('a pattern is anchored if each of its alternatives begins at the start', () => {
  for (const pattern of ['^a', '^(?:a|b)+$']) assert.equal(findNesting(pattern).anchored, true, pattern)
  for (const pattern of ['a^', '^a|b', '[^a]', '(?:^a)']) assert.equal(findNesting(pattern).anchored, false, pattern)
})

test('a text above maxLength is not searched', () => {
  const check = new Schemas().compile({ type: 'string', maxLength: 3, pattern: '^b' })
  assert.deepEqual(
    check('aaaaaaaa')?.map(({ keyword }) => keyword),
    ['maxLength'],
  )
  assert.deepEqual(
    check('aaa')?.map(({ keyword }) => keyword),
    ['pattern'],
  )
  // Three characters of two units each.
  assert.deepEqual(
    check('😀😀😀')?.map(({ keyword }) => keyword),
    ['pattern'],
  )
})

test('a glob equals the regular expression with .* for *', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 12 })
  fc.assert(
    fc.property(text, text, (pattern, sent) => {
      const expression = new RegExp(`^${pattern.split('*').join('.*')}$`, 's')
      assert.equal(compileGlob(pattern)(sent), expression.test(sent))
    }),
  )
  assert.equal(compileGlob(`${'*a'.repeat(1000)}b`)('a'.repeat(100_000)), false)
})
