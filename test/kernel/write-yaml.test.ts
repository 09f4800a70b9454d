import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { parseSource } from '../../src/kernel/file/read-source.ts'
import { writeYaml } from '../../src/kernel/file/write-yaml.ts'
import { approximate, type Json } from '../../src/kernel/json.ts'
import { cases } from '../support/cases.ts'

test('a value is written in short blocks, with comments above its members', () => {
  const value = {
    contract: './openapi.yaml',
    operations: { listPets: { respond: { list: 'pets', filter: ['status'] }, latency: { p50: '20ms', p99: '80ms' } } },
    since: { date: '2024-01-01', on: 'on', text: 'two\nlines' },
  }
  const comments = new Map([
    ['', 'Made of a recording.'],
    ['/operations', 'In the order of the contract'],
    ['/operations/listPets/latency', 'measured in 200 requests'],
  ])
  assert.equal(
    writeYaml(value, comments),
    `# Made of a recording.

contract: ./openapi.yaml
# In the order of the contract
operations:
  listPets:
    respond: { list: pets, filter: [ status ] }
    # measured in 200 requests
    latency: { p50: 20ms, p99: 80ms }
since:
  date: "2024-01-01"
  "on": "on"
  text: |-
    two
    lines
`,
  )
})

test('a written value is read back as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), value => {
      const whole = { kept: value } as Json
      const report = new Diagnostics()
      const read = parseSource('written.yaml', writeYaml(whole), report)
      assert.equal(JSON.stringify(approximate(read?.value as Json)), JSON.stringify(whole), report.unsorted[0]?.message)
    }),
    { numRuns: cases(500) },
  )
})
