// Each of twelve kinds of change breaks its callers alone, with the reason and its places in both contracts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entryOf, writeHar } from '../../../src/gateway/journal/har.ts'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { NextJudge } from '../../../src/wings/next/judge.ts'
import { keptOfRecording } from '../../../src/wings/next/kept.ts'
import { formatNext } from '../../../src/wings/next/report.ts'
import { NextTally } from '../../../src/wings/next/tally.ts'
import { readHar } from '../../../src/wings/project/har.ts'
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

/** Judges requests of ann by a next contract. */
async function reportOf(edits: Parameters<typeof edited>[0], ...kept: readonly Parameters<typeof keptOf>[1][]) {
  const plans = plansOf(edited(edits))
  const tally = new NextTally(new NextJudge(plans.now, plans.next))
  for (const sent of kept) await tally.add(keptOf('ann', sent))
  return tally.report()
}
const editsOf = (start: string) => PAIRS.find(({ change }) => change.startsWith(start))?.edits ?? []

test('a recording names its consumers, where the journal or the recording has masked their credentials', async () => {
  const plans = plansOf(edited(editsOf('an enum of requests')))
  const headers = (key: string) => ({ 'x-key': key, 'content-type': 'application/json' })
  const entries = ['***', 'Masked-1'].map(key =>
    entryOf({
      ...{ at: 0, latency: 1, method: 'POST', origin: 'http://localhost', path: '/pets', query: '', consumer: 'ann' },
      request: { headers: headers(key), body: '{"name":"Rex","kind":"bird"}', isPartial: false },
      reply: { headers: {}, body: undefined, isPartial: true, status: 201 },
    }),
  )
  const tally = new NextTally(new NextJudge(plans.now, plans.next))
  for await (const exchange of readHar([Buffer.from(writeHar(entries, '1'))], 'a.har', new Diagnostics()))
    await tally.add(keptOfRecording(exchange))
  const report = await tally.report()
  const row = report.rows.find(({ calls }) => calls > 0)
  assert.deepEqual([row?.consumer, row?.operation, row?.verdict, row?.calls], ['ann', 'createPet', 'breaks', 2])
  assert.deepEqual(report.neverSeen, ['bob', 'eve'])
})

test('a request that was accepted is not judged where the current contract refuses it as it was kept', async () => {
  const headers = { 'x-key': 'key-of-ann' }
  const kept = { line: 'POST /pets', body: '{"name":"Rex","kind":"bird"}', headers }
  const edits = editsOf('an enum of requests')
  const report = await reportOf(edits, { ...kept, status: 201 }, { ...kept, status: 415 })
  const row = report.rows.find(({ operation }) => operation === 'createPet')
  assert.deepEqual([report.refused, row?.verdict, row?.calls], [1, 'not-judged', 1])
  const gone = await reportOf(editsOf('an operation is removed'), { line: 'DELETE /pets/a', status: 204, query: 'x=1' })
  assert.deepEqual(gone.rows.find(({ operation }) => operation === 'deletePet')?.verdict, 'breaks')
})

test('the parts that were not judged are named also where another part has a verdict', async () => {
  const kept = {
    line: 'POST /pets',
    body: '{"name":"Rex","kind":"bird"}',
    status: 201,
    replyBody: { lost: 'not kept' },
  }
  const edits = [...editsOf('an enum of requests'), ...editsOf('an enum of replies')]
  const report = await reportOf(edits, kept)
  assert.equal(report.rows.find(({ operation }) => operation === 'createPet')?.verdict, 'breaks')
  const text = formatNext(report, 'text', '1.0.0')
  assert.match(text, /^Not judged: ann createPet \(1\) the body of the reply was not kept$/m)
})
