import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AllRequests } from '../../src/gateway/journal/all-requests.ts'
import { describeEntry } from '../../src/gateway/journal/entry.ts'
import { OPERATIONS, simulate } from '../simulate.ts'

test('the other processes know of a request what the one that answered it knows', async () => {
  const { gateway, ask } = simulate(`operations: ${OPERATIONS}`)
  const all = new AllRequests(gateway.journal)
  const lines: string[] = []
  const add = async (added: readonly string[]) => void lines.push(...added)
  const read = async () => ({ requests: lines, dropped: 0 })
  all.share({ member: 0, add, read, clear: async () => {} }, { name: () => 'log', catchUp: async () => {} })
  await ask('GET /things/9?a=1', { headers: { traceparent: `00-${'c'.repeat(32)}-00f067aa0ba902b7-01` } })
  const described = [...(await all.read()).each()].map(describeEntry)
  const [{ durationMs, ...own }] = [...gateway.journal.each()].map(describeEntry) as [(typeof described)[0]]
  assert.equal(own.trace, 'c'.repeat(32))
  assert.deepEqual(
    described.map(({ durationMs, ...request }) => request),
    [own],
  )
})
