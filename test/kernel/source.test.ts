import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { parseSource, readSource } from '../../src/kernel/file/read-source.ts'
import { fillVariables, type Source } from '../../src/kernel/file/source.ts'
import { formatReport } from '../../src/kernel/report.ts'
import { size } from '../support/cases.ts'

/** Returns the line of a text as a diagnostic shows it. */
function shown(text: string, line: number): string {
  const source = parseSource('gateway.yaml', text, new Diagnostics())
  assert.ok(source)
  const consumers = (source.value as { consumers: Record<string, Record<string, unknown>> }).consumers
  for (const [name, block] of Object.entries(consumers)) {
    for (const key of [[], ...Object.keys(block ?? {}).map(key => [key])]) {
      const place = source.locate(['consumers', name, ...key], 'key')
      if (place.line === line) return place.text
    }
  }
  return assert.fail('nothing is placed there')
}

for (const [text, line, expected] of [
  ['consumers:\n  demo: { apiKey: s3cret }', 2, '  demo: { apiKey: •••••• }'],
  ['consumers:\n  demo: { apiKey: "s3 cret" }', 2, '  demo: { apiKey: "•• ••••" }'],
  ['consumers:\n  demo:\n    apiKey: s3cret # mine', 3, '    apiKey: •••••• • ••••'],
  ["consumers:\n  demo: { basic: 'ann:s3cret' }", 2, "  demo: { basic: '••••••••••' }"],
  ['consumers:\n  demo: { basic: ann:s3cret }', 2, '  demo: { basic: •••••••••• }'],
  ['consumers:\n  demo: { apiKey: "${KEY}" }', 2, '  demo: { apiKey: "${KEY}" }'],
  ['consumers:\n  demo: { apiKey: "${KEY:-s3cret}" }', 2, '  demo: { apiKey: "•{•••••••••••}" }'],
  ['consumers:\n  demo: { apiKey: s3cret, expires: 2026-01-01 }', 2, '  demo: { apiKey: ••••••, expires: 2026-01-01 }'],
  ['consumers: { demo: { apiKey: s3cret } }', 1, 'consumers: { demo: { apiKey: •••••• } }'],
  ['{"consumers":{"demo":{"apiKey":"s3cret"}},"seed":"x"}', 1, '{"consumers":{"demo":{"apiKey":"••••••"}},"seed":"x"}'],
] as const) {
  test(`${JSON.stringify(text)} is shown with its credentials masked`, () => {
    assert.equal(shown(text, line), expected)
  })
}

test('texts before and after the consumers are shown unmasked', () => {
  const text = 'seed: 1\nconsumers:\n  demo: { apiKey: s3cret }\nresources:\n  pets: { schema: Pet }'
  const source = parseSource('gateway.yaml', text, new Diagnostics())
  assert.equal(source?.locate(['seed']).text, 'seed: 1')
  assert.equal(source?.locate(['resources', 'pets', 'schema']).text, '  pets: { schema: Pet }')
})

for (const [path, line, column] of [
  [['a', 1], 3, 3],
  [['b', 'when'], 5, 9],
  [['b', 'more'], 7, 9],
  [['c'], 9, 1],
  [['d', 'e'], 10, 9],
] as const) {
  test(`a mistake at ${path.join('.')} of a file is shown at line ${line}, column ${column}`, () => {
    const text = 'a:\n  - 1\n  -\nb:\n  when: |\n    x == 1\n  more: >-\n    y\nc:\nd: { e: "z" }\n'
    const { line: shownLine, column: shownColumn } = parseSource('gateway.yaml', text, new Diagnostics())!.locate(path)
    assert.deepEqual([shownLine, shownColumn], [line, column])
  })
}

for (const line of [
  '  demo: { apiKey: "s3cret }',
  '  demo: { apiKey: s3cret',
  '  demo: apiKey: s3cret',
  '  demo: { apiKey: s3cret: }',
  "  demo: ['s3cret'",
]) {
  test(`a file with ${line.trim()} is refused with a message that shows no credential`, () => {
    const report = new Diagnostics()
    assert.equal(
      parseSource('gateway.yaml', `seed: 1\nconsumers:\n${line}\n  other: { apiKey: s3cret }`, report),
      undefined,
    )
    assert.ok(report.failed)
    assert.ok(!JSON.stringify(report.list).includes('s3cret'), JSON.stringify(report.list))
  })
}

for (const [text, value] of [
  ['9007199254740993', 9007199254740993n],
  ['0123', 123],
  ['true', true],
  ['1e3', 1000],
  ['a: b', 'a: b'],
  ['2026-01-01', '2026-01-01'],
] as const) {
  test(`an unquoted \${NAME} with the value ${text} is read as YAML`, () => {
    const source = parseSource('gateway.yaml', 'x: ${NAME}\ny: "${NAME}"', new Diagnostics()) as Source
    const filled = fillVariables(source, { NAME: text }, new Diagnostics())
    assert.deepEqual(filled?.value, { x: value, y: text })
  })
}

test('an empty key is located at its colon, and an empty item at its dash', () => {
  const source = parseSource('a.yaml', 'a:\n  b: 1\n  : { c: 2 }\nd:\n  - 1\n  -\n', new Diagnostics()) as Source
  const { line, column } = source.locate(['a', ''], 'key')
  const item = source.locate(['d', 1])
  assert.deepEqual([line, column, item.line, item.column], [3, 3, 6, 3])
})

test('a large integer in a fixture is exact, in YAML and in JSON', () => {
  for (const text of ['- { id: 9007199254740993 }', '[{"id":9007199254740993}]']) {
    assert.deepEqual(parseSource('pets', text, new Diagnostics())?.value, [{ id: 9007199254740993n }])
  }
})

const ALIASES = size(3000, 30_000)
// Each of these once took minutes or all memory.
const LARGE: readonly (readonly [name: string, text: string, code: string])[] = [
  [`${ALIASES} unknown aliases`, `x: [${'*q,'.repeat(ALIASES)}]`, 'unknown-alias'],
  [
    'a map of 2,500 merged 2,500 times',
    `b: &b {${Array.from({ length: 2500 }, (_, i) => `k${i}: 1,`).join('')}}\n${Array.from({ length: 2500 }, (_, i) => `m${i}: {<<: *b}\n`).join('')}`,
    'alias-bomb',
  ],
  ['a gateway file of 500,000 values', `errors: { body: [${'1,'.repeat(500_000)}] }`, 'file-too-large'],
]

for (const [name, text, code] of LARGE) {
  test(`${name}: ${code}`, () => {
    const report = new Diagnostics()
    assert.equal(parseSource('large.yaml', text, report), undefined)
    assert.equal(report.unsorted[0]?.code, code)
  })
}

test('an alias is known after its anchor, not before it', () => {
  const report = new Diagnostics()
  parseSource('a.yaml', 'a: &a 1\nb: &b [1]\nc: &c {d: 1}\nx: [*a, *b, *c, *late]\ny: &late 1\n', report)
  assert.deepEqual(
    report.list.map(({ code, place: { line, column } }) => [code, line, column]),
    [['unknown-alias', 4, 17]],
  )
})

test('a key of megabytes is shortened in messages', () => {
  const report = new Diagnostics()
  report.error('unknown-key', `"${'a'.repeat(1e6)}" is not a key`, {
    file: 'a',
    line: 1,
    column: 1,
    length: 1,
    text: '',
  })
  assert.ok(formatReport(report).length < 3000)
})

test('a thousand mistakes on a long line are shown with their credentials masked', () => {
  const consumers = Object.fromEntries(
    Array.from({ length: size(2000, 100_000) }, (_, i) => [`c${i}`, { apiKey: `key ${i}` }]),
  )
  const source = parseSource('one-line.json', JSON.stringify({ consumers, x: 1 }), new Diagnostics()) as Source
  for (let i = 0; i < 1000; i++) {
    const { text, column } = source.locate(['consumers', `c${i}`, 'apiKey'])
    assert.match(text.slice(column - 1, column + 20), /^"••• •+"/)
  }
})

test('a device and a path that leads to itself are not read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  try {
    const loop = join(folder, 'loop.yaml')
    symlinkSync(loop, loop)
    for (const [path, code] of [
      ['/dev/null', 'not-a-file'],
      [loop, 'unreadable-file'],
    ] as const) {
      const report = new Diagnostics()
      assert.equal(readSource(path, 'gateway.yaml', report), undefined)
      assert.equal(report.list[0]?.code, code)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
