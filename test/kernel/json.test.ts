import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  approximate,
  holdsExact,
  parseInteger,
  parseJson,
  parsePointer,
  pointer,
  stringifyJson,
} from '../../src/kernel/json.ts'

const MAX = 2n ** 63n - 1n

for (const [text, value] of [
  ['1', 1],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['-9007199254740993', -9007199254740993n],
  ['9007199254740993.0', 9007199254740993n],
  ['9.007199254740993e15', 9007199254740993n],
  ['9007199254740993000e-3', 9007199254740993n],
  ['922337203685477580.7e1', MAX],
  ['1e15', 1e15],
  ['1e300', 1e300],
  ['0e999', 0],
  ['1.5', 1.5],
  ['0.1234567890123456789', 0.12345678901234568],
  ['9007199254740993.5', 9007199254740994],
  ['"9007199254740993"', '9007199254740993'],
  ['"#1 9007199254740993"', '#1 9007199254740993'],
  ['[9007199254740993,"=","#","#12",""]', [9007199254740993n, '=', '#', '#12', '']],
  ['{"#9007199254740993":9007199254740993}', { '#9007199254740993': 9007199254740993n }],
  [
    '{"a\\"" : "\\\\\\"9007199254740993" , "b":9007199254740993}',
    { 'a"': '\\"9007199254740993', b: 9007199254740993n },
  ],
] as const) {
  test(`${text} is read without losing a digit`, () => {
    const parsed = parseJson(text)
    assert.ok('value' in parsed)
    assert.deepStrictEqual(parsed.value, value)
    assert.equal(
      parsed.exact,
      JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? 'BIG' : item)).includes('BIG'),
    )
  })
}

for (const [text, fault] of [
  ['', 'is empty'],
  [' \n', 'is empty'],
  ['{', 'is not JSON: it ends too early'],
  ['[1,', 'is not JSON: it ends too early'],
  ['1e400', 'holds a number out of range, 1e400'],
  [`-${'9'.repeat(400)}`, `holds a number out of range, -${'9'.repeat(23)}…`],
  ['['.repeat(600), 'is nested deeper than 256 levels'],
] as const) {
  test(`${text.slice(0, 20).trim() || 'nothing'} ${fault}`, () => {
    assert.deepEqual(parseJson(text), { fault })
  })
}

for (const [text, kept] of [
  ['1.10', '1.10'],
  ['[10.00,0.50, -7.0]', '[10.00,0.50,-7.0]'],
  ['{"a":0.12345678901234567890}', '{"a":0.12345678901234567890}'],
  ['123456789012.123456789012', '123456789012.123456789012'],
  ['9007199254740993.5', '9007199254740993.5'],
  ['1.2345678901234567890e3', '1.2345678901234567890e3'],
  // Unchanged: numbers that a double holds exactly, integers in any notation, and texts.
  ['[1.5,0.1,1e5,1e-7]', '[1.5,0.1,100000,1e-7]'],
  ['9007199254740993.0', '9007199254740993'],
  ['["1.10","at 2.0 ","#1.10"]', '["1.10","at 2.0 ","#1.10"]'],
  ['"2026-01-01T00:00:00.000Z"', '"2026-01-01T00:00:00.000Z"'],
] as const) {
  test(`${text} is sent and written as ${kept}`, () => {
    const parsed = parseJson(text, true)
    assert.ok('value' in parsed)
    assert.equal(stringifyJson(parsed.value), kept)
    assert.equal(parsed.exact, holdsExact(parsed.value))
    assert.deepEqual(approximate(parsed.value), JSON.parse(text))
  })
}

test('brackets in texts do not count as nesting', () => {
  const text = JSON.stringify(['['.repeat(1000), '\\"'.repeat(300)])
  assert.ok('value' in parseJson(text))
})

test('256 levels are read, 257 are refused', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}"${'x'.repeat(600)}"${']'.repeat(levels)}`
  assert.ok('value' in parseJson(nested(256)))
  assert.ok('fault' in parseJson(nested(257)))
})

test('__proto__ is an ordinary member, also beside a large integer', () => {
  for (const number of ['1', '9007199254740993']) {
    const parsed = parseJson(`{"__proto__":{"x":${number}}}`)
    assert.ok('value' in parsed)
    assert.deepEqual(Object.keys(parsed.value as object), ['__proto__'])
    assert.equal(stringifyJson(parsed.value), `{"__proto__":{"x":${number}}}`)
    assert.deepEqual(Object.keys(approximate(parsed.value) as object), ['__proto__'])
  }
})

test('a text with hostile numbers is read', () => {
  const text = `{"a":"${'#'.repeat(400_000)}","b":9007199254740993,"c":"${'\\\\'.repeat(200_000)}"}`
  const parsed = parseJson(text)
  assert.ok('value' in parsed)
  assert.equal(stringifyJson(parsed.value), text)
})

test('undefined is left out or written as null, as by JSON.stringify', () => {
  assert.equal(stringifyJson({ a: undefined, b: [undefined, 2n ** 60n] }), `{"b":[null,${2n ** 60n}]}`)
})

for (const [digits, value] of [
  ['5', 5],
  ['-5', -5],
  ['007', 7],
  ['9223372036854775807', MAX],
  ['1e2', undefined],
  ['0x10', undefined],
  [' 5', undefined],
  ['5 ', undefined],
  ['+5', undefined],
  ['5.0', undefined],
  ['', undefined],
  ['-', undefined],
  ['٥', undefined],
  ['5\n', undefined],
] as const) {
  test(`${JSON.stringify(digits)} is ${value === undefined ? 'not an integer' : value}`, () => {
    assert.equal(parseInteger(digits), value)
  })
}

for (const [path, text] of [
  [[], ''],
  [['a', 0], '/a/0'],
  [['a/b', '~', '~1', ''], '/a~1b/~0/~01/'],
] as const) {
  test(`the pointer ${text || '(empty)'} is parsed back to its path`, () => {
    assert.equal(pointer(path), text)
    assert.deepEqual(parsePointer(text), path.map(String))
  })
}
