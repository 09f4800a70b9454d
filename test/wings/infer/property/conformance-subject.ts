// The gateways whose replies are held to their contracts: the shipped one, and such as are inferred from documents.

import assert from 'node:assert/strict'
import { type Log, silentLog } from '../../../../src/gateway/log.ts'
import type { Request } from '../../../../src/kernel/http.ts'
import { formatDiagnostics } from '../../../../src/kernel/report.ts'
import type { Plan, PlannedOperation } from '../../../../src/plan/plan.ts'
import { validRequest } from '../../../../src/wings/probe/probe.ts'
import type { Clock } from '../../../../src/world/clock.ts'
import { CORPUS } from '../../../support/corpus.ts'
import { loadInferred, loadPlan } from '../../../support/load.ts'
import { FixedClock } from '../../../virtual-clock.ts'

const HOME = `${import.meta.dirname}/../../../..`
/** More documents, separated by commas: `CONFORMANCE=/tmp/a.json`. */
const MORE = (process.env.CONFORMANCE ?? '').split(',').filter(file => file !== '')
export const FILES = ['config/gateway.yaml', ...CORPUS.filter(path => /\/(?:harbour|depot)-/.test(path)), ...MORE]

export interface ConformanceSubject {
  readonly plan: Plan
  readonly clock: Clock
  /** Gathers errors in `failures`. */
  readonly log: Log
  readonly failures: unknown[]
  /** The operations that a valid request can be made for. */
  readonly valid: readonly (readonly [planned: PlannedOperation, request: Request])[]
}

export async function conformanceSubject(file: string): Promise<ConformanceSubject> {
  const inferred = !file.endsWith('gateway.yaml')
  const { plan, report } = inferred ? await loadInferred(file, HOME, {}) : loadPlan(file, HOME, {})
  assert.ok(plan !== undefined, formatDiagnostics(report.list))
  const failures: unknown[] = []
  const log: Log = { ...silentLog, error: fields => void failures.push(fields) }
  const valid = plan.operations.flatMap(planned => {
    const request = validRequest(planned, plan, new Map())
    return typeof request === 'string' ? [] : [[planned, request] as const]
  })
  return { plan, clock: new FixedClock(), log, failures, valid }
}
