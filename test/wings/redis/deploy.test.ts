import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { formatDiagnostics } from '../../../src/kernel/report.ts'
import { assertFits } from '../../support/configurations.ts'
import { loadPlan } from '../../support/load.ts'
import { ROOT } from '../../support/pages.ts'

test('the configuration of replicas fits the shipped schema, and is without a mistake or a warning', () => {
  const path = join(ROOT, 'deploy/gateway.yaml')
  assertFits(parse(readFileSync(path, 'utf8')))
  const { report } = loadPlan(path, ROOT, {}, { strict: true })
  assert.equal(formatDiagnostics(report.list), '')
})
