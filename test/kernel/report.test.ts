import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { formatFindings, formatReport } from '../../src/kernel/report.ts'

const report = new Diagnostics()
report.warning('odd: code', '100% wrong\r\nreally', { file: 'a,b:c.yaml', line: 3, column: 5, length: 2, text: '' })

const findings = new Diagnostics()
const place = (line: number, file = 'api/my contract.yaml') => ({ file, line, column: 3, length: 4, text: '  name: x' })
findings.add({
  severity: 'error',
  code: 'difference',
  message: '"<a> | \u0000\ud800',
  place: place(7),
  subject: 'getPet',
})
findings.add({ severity: 'warning', code: 'odd-page', message: 'long', place: place(9), hint: 'ask *less*' })
findings.add({
  severity: 'error',
  code: 'difference',
  message: 'again',
  place: place(1, 'b.yaml'),
  subject: 'listPets',
})

test('an annotation escapes line ends and separators', () => {
  assert.equal(
    formatFindings('github', report.list),
    '::warning file=a%2Cb%3Ac.yaml,line=3,col=5,endColumn=7,title=odd%3A code::100%25 wrong%0D%0Areally\n',
  )
  assert.equal(formatFindings('github', []), '')
})

test('JSON leaves out an absent hint', () => {
  assert.deepEqual(JSON.parse(formatFindings('json', report.list)), {
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

test('a text names the subject before the message', () => {
  assert.match(formatFindings('text', findings.list), /^b\.yaml:1:3 error difference: listPets: again$/m)
})

test('SARIF has a rule for each code, and a result with a region for each finding', () => {
  const log = JSON.parse(formatFindings('sarif', findings.list, { version: '1.2.3' }))
  assert.equal(log.version, '2.1.0')
  const [run] = log.runs
  assert.equal(run.columnKind, 'utf16CodeUnits')
  assert.deepEqual(Object.keys(run.tool.driver), ['name', 'version', 'rules'])
  assert.deepEqual(
    run.tool.driver.rules.map(({ id }: { id: string }) => id),
    ['difference', 'odd-page'],
  )
  for (const { ruleId, ruleIndex, level, message, locations } of run.results) {
    assert.equal(run.tool.driver.rules[ruleIndex].id, ruleId)
    assert.ok(run.tool.driver.rules[ruleIndex].help.text.length > 0)
    assert.ok(['error', 'warning'].includes(level))
    assert.equal(typeof message.text, 'string')
    const { artifactLocation, region } = locations[0].physicalLocation
    assert.ok(URL.canParse(artifactLocation.uri, 'file:///'))
    assert.ok(region.startLine >= 1 && region.startColumn >= 1 && region.endColumn >= region.startColumn)
  }
  assert.equal(run.results[0].locations[0].physicalLocation.artifactLocation.uri, 'api/my%20contract.yaml')
  assert.deepEqual(run.results[0].locations[0].logicalLocations, [{ fullyQualifiedName: 'getPet' }])
  assert.deepEqual(JSON.parse(formatFindings('sarif', [])).runs[0].results, [])
})

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  isArray: name => name === 'testsuite' || name === 'testcase',
})
const parsed = (text: string) => {
  assert.equal(XMLValidator.validate(text), true, text)
  return parser.parse(text).testsuites
}

test('JUnit has a suite for each file and a case for each finding, of which the errors fail', () => {
  const suites = parsed(formatFindings('junit', findings.list))
  assert.equal(suites.tests, '3')
  assert.equal(suites.failures, '2')
  assert.deepEqual(
    suites.testsuite.map(({ name, tests, failures }: Record<string, string>) => [name, tests, failures]),
    [
      ['api/my contract.yaml', '2', '1'],
      ['b.yaml', '1', '1'],
    ],
  )
  const [first, second] = suites.testsuite[0].testcase
  assert.equal(first.failure.type, 'difference')
  assert.equal(first.failure.message, '"<a> |  \ufffd')
  assert.match(second['system-out'], /my contract.yaml:9:3 long\nask \*less\*/)
  assert.equal(second.failure, undefined)
})

test('the name of a case in JUnit has no line, no count and no time; equal ones are numbered', () => {
  const findingAt = (line: number, message: string) => ({
    severity: 'error' as const,
    code: 'breaks',
    subject: 'ann getPet',
    message,
    constant: 'the operation is gone',
    place: { file: 'next.yaml', line, column: 1, length: 1, text: '' },
  })
  const namesOf = (line: number, calls: number) => {
    const list = [findingAt(line, `gone (${calls} calls)`), findingAt(line + 1, `gone (${calls} calls)`)]
    return parsed(formatFindings('junit', list)).testsuite[0].testcase.map(({ name }: { name: string }) => name)
  }
  assert.deepEqual(namesOf(5, 1), [
    'breaks ann getPet: the operation is gone',
    'breaks ann getPet: the operation is gone (2)',
  ])
  assert.deepEqual(namesOf(70, 9), namesOf(5, 1))
})

test('JUnit without findings has one case, which passes: servers refuse an empty report', () => {
  const { tests, failures, testsuite } = parsed(formatFindings('junit', []))
  assert.deepEqual([tests, failures, testsuite[0].testcase[0].name], ['1', '0', 'no findings'])
})

test('Markdown keeps a finding in its row', () => {
  const rows = formatFindings('markdown', findings.list).split('\n')
  assert.equal(rows.length, 6)
  assert.equal(rows[2], '| error | **difference** getPet: "\\<a\\> \\|  \ud800 | api/my contract.yaml:7:3 |')
  assert.match(rows[3] as string, /^\| warning \| \*\*odd-page\*\* long<br>ask \\\*less\\\* \|/)
  assert.equal(formatFindings('markdown', []), '')
})
