// The public documents, each loaded and checked.

import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { suite, test } from 'node:test'
import type { LoadConfiguration } from '../../../src/cli/command.ts'
import { selfCheck } from '../../../src/wings/probe/self-check.ts'
import { CORPUS } from '../../support/corpus.ts'

/** The expected mistakes of a document. Documents that are not listed have none. */
const FLAWED: Readonly<Record<string, readonly string[]>> = {
  'media-of-all-kinds.yaml': ['invalid-header'],
  'flawed-3.0.yaml': [
    ...['missing-info', 'unknown-key', 'missing-schema', 'ignored-parameter', 'missing-description'],
    ...['duplicate-operation-id', 'undeclared-path-parameter', 'left-out', 'unresolvable-ref'],
    ...['invalid-path', 'unknown-format', 'newer-keyword', 'unknown-keyword', 'invalid-keyword', 'circular-ref'],
  ],
}

/** Makes a test of each document. */
export const checkCorpus = (how: string, load: LoadConfiguration): void =>
  void suite('a public document', () => {
    for (const path of CORPUS) {
      const name = basename(path)
      test(`${name} is served ${how}, and every reply matches its contract`, async () => {
        const { plan, report } = await load(path, '.', {})
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
  })
