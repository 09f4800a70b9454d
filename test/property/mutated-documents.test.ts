import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { largeDocument } from '../../bench/large-document.ts'
import { cases } from '../support/cases.ts'
import { loadFiles } from '../support/in-process.ts'

const SOUND = JSON.stringify(largeDocument({ operations: 5, weight: 900 }))
const JUNK: readonly unknown[] = [
  ...[null, true, -1, '', 'get', '{', '(?<', [], {}, [null], { '': {} }, { type: 'object' }, { $ref: '#' }],
  ...[{ $ref: '#/nowhere' }, { $ref: '#/paths' }, { allOf: [{ $ref: '#/components/schemas/Error' }] }],
]

type Tree = Record<string, unknown>

const slotsOf = (value: unknown): [Tree, string][] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, child]) => [[value as Tree, key] as [Tree, string], ...slotsOf(child)])

test('every mutated document gives a plan or an error', () => {
  const change = fc.record({ at: fc.nat(), junk: fc.option(fc.constantFrom(...JUNK)) })
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), changes => {
      const document = JSON.parse(SOUND) as Tree
      for (const { at, junk } of changes) {
        const slots = slotsOf(document)
        const [holder, key] = slots[at % slots.length] ?? [document, 'paths']
        if (junk === null) delete holder[key]
        else holder[key] = structuredClone(junk)
      }
      const { plan, report } = loadFiles({ 'openapi.json': JSON.stringify(document) })
      assert.ok(plan !== undefined || report.failed)
    }),
    { numRuns: cases(40) },
  )
})
