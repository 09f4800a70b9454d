// Comparing forwarded replies takes time from a budget. Replies that wait together may not exceed it together.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '../../../src/behaviours/exchange.ts'
import { Mask } from '../../../src/gateway/mask.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import { driftObserver } from '../../../src/wings/drift/observe.ts'
import { realApiObserver } from '../../../src/wings/real-api/observe.ts'
import { breathe } from '../../../src/world/real-time.ts'
import { CONTRACT } from '../../simulate.ts'
import { gatewayOf, load, requestOf } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'

test('no reply is compared once the time for judging is spent, and each is counted', async () => {
  const loaded = load(CONTRACT)
  const plan = loaded.plan as Plan
  const gateway = gatewayOf(loaded, new FixedClock())
  const drift = gateway.observed(driftObserver)
  const { operation } = plan.operations[0] as Plan['operations'][number]
  const realApi = gateway.observed(realApiObserver)
  const request = requestOf('GET /things')
  const mask = new Mask(plan)
  const exchange = { operation, state: () => realApi, request } as unknown as Exchange
  const follow = () => {
    const judgement = { text: undefined, breaks: false, body: new Uint8Array() }
    drift.follow({ plan, exchange, path: operation.path }, { status: 599, headers: {}, body: undefined }, judgement)
  }
  follow()
  await breathe()
  await breathe()
  assert.equal(drift.report(mask).compared, 1)
  realApi.judging.spend(3_600_000)
  follow()
  follow()
  await breathe()
  await breathe()
  const { compared, dropped } = drift.report(mask)
  assert.deepEqual([compared, dropped], [1, 2])
  const counted = (await gateway.metrics.page()).match(/^understudy_drift_total\{.*kind="dropped"\} (\d+)$/m)
  assert.equal(counted?.[1], '2')
})
