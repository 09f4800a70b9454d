// Worlds that are made, written, deleted and evicted at random, far more than `worlds.max`: replicas agree on what is left.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Replica, replica } from '../state/replicas.ts'
import { cases } from '../support/cases.ts'
import { MemoryLog } from '../support/memory-log.ts'
import { clients, contentOf, FILES, MAX, run } from './evictions.ts'
import { slow } from './slow-engine.ts'

for (const count of [1, 2]) {
  test(`${count} replicas keep to worlds.max and agree on the worlds that are left`, async () => {
    await fc.assert(
      fc.asyncProperty(clients, fc.infiniteStream(fc.boolean()), async (steps, chance) => {
        const log = new MemoryLog()
        const connect = () =>
          replica(
            slow(log.connect(), () => chance.next().value === true),
            {},
            FILES,
          )
        const replicas: Replica[] = []
        for (let i = 0; i < count; i++) replicas.push(await connect())
        const work = steps.map(async own => {
          for (const one of own) await run(replicas[one.replica % count] as Replica, one)
        })
        await Promise.all(work)
        // A write appends all that its replica has recorded.
        for (const { send } of [...replicas, ...replicas]) await send('POST /books', { title: 'last' })
        for (const { gateway } of replicas) await gateway.change(() => {}, 'catch up')
        const contents = await Promise.all([...replicas, await connect()].map(contentOf))
        for (const content of contents) {
          assert.ok(Object.keys(content).length <= MAX + 1)
          assert.deepEqual(content, contents[0])
        }
      }),
      { numRuns: cases(60) },
    )
  })
}
