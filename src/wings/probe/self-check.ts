// Calls every operation of a plan in process, like a client, and validates each reply.

import { isInjected } from '../../behaviours/fault/index.ts'
import { type RespondConfig, withinsOf } from '../../behaviours/respond/config.ts'
import { responseFor } from '../../contract/contract.ts'
import { placeOf } from '../../contract/documents.ts'
import { nonconformanceOf } from '../../contract/judge.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import type { Reply } from '../../kernel/http.ts'
import type { Progress } from '../../kernel/terminal.ts'
import { respondBlock } from '../../load/seed/seed.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import type { World } from '../../world/world.ts'
import { documentsSuccess, type Probe, probesOf } from './probe.ts'
import { createRunner, type TrialRunner } from './runner.ts'

/** The counts for the closing line. */
export interface SelfCheck {
  readonly operations: number
  readonly requests: number
}

/**
 * Reports every reply that is undocumented or invalid, and every invalid request that was accepted. It uses its own worlds.
 */
export async function selfCheck(plan: Plan, report: Diagnostics, progress?: Progress): Promise<SelfCheck> {
  const runner = createRunner(plan)
  let requests = 0
  const operations = plan.operations.filter(({ operation }) => operation.wing === undefined)
  for (const planned of operations) {
    const { operation } = planned
    progress?.('calling every operation:', planned.index, operations.length)
    const probes = probesOf(planned, plan)
    if (typeof probes === 'string') {
      report.warning('not-checked', `${operation.id} was not called: ${probes}`, placeOf(operation.node, 'key'))
      continue
    }
    /** Undocumented statuses that are already reported. */
    const refused = new Set<number>()
    const world = runner.newWorld()
    for (const probe of probes) {
      requests += 1
      const reply = await replyTo(probe, runner, world)
      const finding = assess(planned, plan, probe, reply)
      if (finding === undefined) continue
      const [severity, code, message] = finding
      if (code === 'undocumented-refusal') {
        if (refused.has(reply.status)) continue
        refused.add(reply.status)
      }
      const hint = code === 'undocumented-refusal' ? `document ${reply.status}` : undefined
      report[severity](
        code,
        `${operation.id}, a request ${probe.what}: ${message}`,
        placeOf(operation.node, 'key'),
        hint,
      )
    }
  }
  return { operations: operations.length, requests }
}

/** The number of attempts of a request, because configured faults are random. */
const TRIES = 5

/** Returns the reply to a probe: for a valid one, the first success; for another, the first without a configured fault. */
async function replyTo({ request, valid }: Probe, runner: TrialRunner, world: World): Promise<Reply> {
  for (let tried = 1; ; tried++) {
    const { reply } = await runner.send(request, world)
    if ((valid ? isSuccess(reply) : !isInjected(reply)) || tried === TRIES) return reply
  }
}

const isSuccess = ({ status }: Reply): boolean => status >= 200 && status < 300

/** Returns whether an operation should succeed: its contract documents a success, and no fixed reply is configured. */
function isToSucceed({ operation, chain }: PlannedOperation): boolean {
  const answers = chain.find(({ name }) => name === 'respond')?.detail ?? ''
  return documentsSuccess(operation) && !/^[3-5]\d\d\b/.test(answers)
}

/** Returns whether an operation needs records and there are none initially. */
function lacksRecords(respond: RespondConfig = {}, { simulation }: Plan): boolean {
  const owners = withinsOf(respond.within).map(({ resource }) => resource)
  const named = [...Object.values(respond), ...owners]
  return named.some(name => typeof name === 'string' && simulation.resources.get(name)?.seeds.length === 0)
}

type SelfCheckFinding = readonly ['error' | 'warning', string, string]

function assess(planned: PlannedOperation, plan: Plan, { valid }: Probe, reply: Reply): SelfCheckFinding | undefined {
  const { operation, lifecycle } = planned
  const { status, refusal } = reply
  const respond = respondBlock(operation, plan.simulation.file)
  if (!valid && isInjected(reply)) return undefined
  const documented = responseFor(operation, status) !== undefined
  if (status === 501 && refusal !== undefined)
    return ['warning', 'not-simulated', 'the contract documents no reply that can be sent']
  if (status >= 500 && !documented) return ['error', 'failed', `answered ${status}`]
  if (!valid && status < 400) return ['error', 'taken', `was answered ${status} instead of being refused`]
  const isGone = status === 410 && lifecycle !== undefined
  const hasReason = (status === 404 && lacksRecords(respond, plan)) || (status === 409 && respond?.delete !== undefined)
  if (valid && status >= 400 && !isGone && isToSucceed(planned) && !hasReason) {
    const reason = refusal === undefined ? '' : ` (${refusal.detail})`
    return ['error', 'never-succeeds', `was answered ${status}${reason}, and never with a success`]
  }
  const fault = nonconformanceOf(operation, reply)
  if (fault === undefined && valid && status >= 400 && !documentsSuccess(operation) && respond === undefined)
    return ['warning', 'no-success', `was answered ${status}, because the contract documents no success`]
  if (fault === undefined) return undefined
  // A contract without refusals leaves them to the gateway; one with some has omitted this one.
  if (fault.code === 'undocumented-status' && !valid) {
    if (![...operation.responses.keys()].some(one => /^4/.test(one))) return undefined
    return ['warning', 'undocumented-refusal', `was refused with ${status}, which the contract does not document`]
  }
  // A contract without a success leaves that to the gateway too.
  const isOpen = fault.code === 'undocumented-status' && isSuccess(reply) && !documentsSuccess(operation)
  if (isOpen) return ['warning', fault.code, `was answered ${status}, because the contract documents no success`]
  const isMinor = status >= 400 && fault.code !== 'undocumented-status'
  return [isMinor ? 'warning' : 'error', fault.code, fault.message]
}
