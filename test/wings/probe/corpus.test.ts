import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { suite, test } from 'node:test'
import { selfCheck } from '../../../src/wings/probe/self-check.ts'
import { loadInferred, loadPlan } from '../../support/load.ts'

/** The expected mistakes of a document. Documents that are not listed have none. */
const FLAWED: Readonly<Record<string, readonly string[]>> = {
  'media-of-all-kinds.yaml': ['invalid-header'],
  'flawed-3.0.yaml': [
    ...['missing-info', 'unknown-key', 'invalid-default', 'missing-schema', 'ignored-parameter', 'missing-description'],
    ...['invalid-example', 'duplicate-operation-id', 'undeclared-path-parameter', 'left-out', 'unresolvable-ref'],
    ...['invalid-path', 'unknown-format', 'newer-keyword', 'unknown-keyword', 'invalid-keyword', 'circular-ref'],
  ],
}

suite('a public document', () => {
  for (const name of readdirSync('test/corpus')) {
    for (const stateful of [false, true]) {
      test(`${name} is served ${stateful ? 'with state' : 'without state'}, and every reply matches its contract`, async () => {
        const load = stateful ? loadInferred : loadPlan
        const { plan, report } = await load(`test/corpus/${name}`, '.', {})
        assert.ok(plan)
        const codes = report.list.map(({ code }) => code)
        for (const code of FLAWED[name] ?? [])
          assert.ok(codes.includes(code), `${code} is not among ${codes.join(', ')}`)
        if (FLAWED[name] === undefined) assert.deepEqual(codes, [])
        await selfCheck(plan, report)
        assert.deepEqual(
          report.list.filter(({ severity }) => severity === 'error').map(({ message }) => message),
          [],
        )
      })
    }
  }
})
