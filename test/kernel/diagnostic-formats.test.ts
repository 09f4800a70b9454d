import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics, formatAsJson, formatForGitHub, formatReport } from '../../src/kernel/diagnostic.ts'

const report = new Diagnostics()
report.warning('odd: code', '100% wrong\r\nreally', { file: 'a,b:c.yaml', line: 3, column: 5, length: 2, text: '' })

test('an annotation escapes line ends and separators', () => {
  assert.equal(
    formatForGitHub(report.list),
    '::warning file=a%2Cb%3Ac.yaml,line=3,col=5,endColumn=7,title=odd%3A code::100%25 wrong%0D%0Areally\n',
  )
  assert.equal(formatForGitHub([]), '')
})

test('JSON leaves out an absent hint', () => {
  assert.deepEqual(JSON.parse(formatAsJson(report)), {
    errors: 0,
    warnings: 1,
    diagnostics: [
      {
        severity: 'warning',
        code: 'odd: code',
        message: '100% wrong\r\nreally',
        file: 'a,b:c.yaml',
        line: 3,
        column: 5,
        length: 2,
      },
    ],
  })
})

test('a text has no characters that steer a terminal, and its caret meets a place behind a tab', () => {
  const steering = new Diagnostics()
  const place = { file: 'a.yaml', line: 1, column: 3, length: 1, text: '\t\u001b[2J\u0000' }
  steering.error('unknown-key', 'unknown key "\u001b[31m"', place, 'x')
  const lines = [
    'a.yaml:1:3 error unknown-key: unknown key " [31m"',
    '1 |   [2J ',
    '  |   ^',
    '  = x',
    '',
    '1 error',
    '',
  ]
  assert.equal(formatReport(steering), lines.join('\n'))
})
