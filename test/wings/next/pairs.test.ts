// Each of twelve kinds of change breaks its callers alone, with the reason and its places in both contracts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NextJudge } from '../../../src/wings/next/judge.ts'
import { NextTally } from '../../../src/wings/next/tally.ts'
import { edited, keptOf, NOW, PAIRS, placeIn, plansOf } from './pairs.ts'

for (const { change, edits, operation, ann, bob, verdict, ...wanted } of PAIRS) {
  test(`${change}: ${verdict} for the consumer who is affected, safe for the other, not seen for the third`, async () => {
    const document = edited(edits)
    const plans = plansOf(document)
    const tally = new NextTally(new NextJudge(plans.now, plans.next))
    for (const kept of [ann, ann]) await tally.add(keptOf('ann', kept))
    await tally.add(keptOf('bob', bob))
    const report = await tally.report()
    const row = report.rows.find(one => one.consumer === 'ann' && one.calls > 0)
    assert.deepEqual([row?.operation, row?.verdict, row?.calls], [operation, verdict, 2])
    const findings = row?.findings.map(({ reason, now, next, calls }) => [reason, now, next, calls])
    const { reason, now = '', next = '' } = wanted
    const expected = [
      [reason, `openapi.yaml:${reason && placeIn(NOW, now)}`, `next.yaml:${reason && placeIn(document, next)}`, 2],
    ]
    assert.deepEqual(findings, reason === undefined ? [] : expected)
    const others = report.rows.filter(one => one.consumer === 'bob' && one.calls > 0)
    assert.deepEqual(
      others.map(one => [one.verdict, one.calls, one.findings.length]),
      [['safe', 1, 0]],
    )
    assert.deepEqual(report.neverSeen, ['eve'])
    assert.ok(report.rows.every(one => one.consumer !== 'eve'))
    assert.equal([report.requests, report.refused, report.unmatched].join(), '3,0,0')
    if (verdict === 'safe')
      assert.deepEqual(
        report.rows.filter(one => one.verdict !== 'safe'),
        [],
      )
  })
}
