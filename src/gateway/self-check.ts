// Calls every operation of a plan in process, as a client would, and holds each reply to the contract.

import { nonconformanceOf } from '../contract/conformance.ts'
import { type Operation, responseFor } from '../contract/contract.ts'
import { placeOf } from '../contract/document.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Reply } from '../kernel/reply.ts'
import type { Plan } from '../plan/compile.ts'
import { type Probe, probesOf } from '../plan/probe.ts'
import { realClock } from '../world/clock.ts'
import { Gateway } from './gateway.ts'
import { silentLog } from './log.ts'
import { Metrics } from './metrics.ts'

/** What was done, for the closing line. */
export interface SelfCheck {
  readonly operations: number
  readonly requests: number
}

/**
 * Reports every reply that is not documented or breaks its schema, and every invalid request that was taken. The worlds it
 * works in are its own.
 */
export async function selfCheck(plan: Plan, report: Diagnostics): Promise<SelfCheck> {
  const gateway = new Gateway(plan, realClock, silentLog, worlds => new Metrics('0', worlds))
  let requests = 0
  for (const planned of plan.operations) {
    const { operation } = planned
    const probes = probesOf(planned, plan)
    if (typeof probes === 'string') {
      report.warning('not-checked', `${operation.id} was not called: ${probes}`, placeOf(operation.node, 'key'))
      continue
    }
    for (const probe of probes) {
      requests += 1
      const reply = await gateway.handle(probe.request)
      const [severity, code, message] = judge(operation, probe, reply) ?? []
      if (severity === undefined) continue
      report[severity](
        code as string,
        `${operation.id}, a request ${probe.what}: ${message}`,
        placeOf(operation.node, 'key'),
      )
    }
    gateway.reset()
  }
  return { operations: plan.operations.length, requests }
}

type Finding = readonly ['error' | 'warning', string, string]

function judge(operation: Operation, { valid }: Probe, reply: Reply): Finding | undefined {
  const { status } = reply
  const documented = responseFor(operation, status) !== undefined
  if (status === 501 && reply.refusal !== undefined) return ['warning', 'not-simulated', 'nothing says what it answers']
  if (status >= 500 && !documented) return ['error', 'failed', `answered ${status}`]
  if (!valid && status < 400) return ['error', 'taken', `was answered ${status}, not refused`]
  const fault = nonconformanceOf(operation, reply)
  if (fault === undefined) return undefined
  // What the contract does not say of a refusal, it leaves to the gateway.
  if (fault.code === 'undocumented-status' && !valid) return undefined
  return [status >= 400 && fault.code !== 'undocumented-status' ? 'warning' : 'error', fault.code, fault.message]
}
