// Worlds that are made, written, deleted and evicted at random, far more than `worlds.max`: replicas agree on what is left, and so
// does a process that reads the file of another.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { FileLog } from '../../src/state/engines/file-log.ts'
import { takeSnapshot } from '../../src/world/snapshot.ts'
import { surroundings } from '../state/engines/surroundings.ts'
import { GATEWAY, type Replica, replica } from '../state/replicas.ts'
import { cases } from '../support/cases.ts'
import { MemoryLog } from '../support/memory-log.ts'
import { slow } from './slow-engine.ts'

const MAX = 5
const FILES = { 'gateway.yaml': `${GATEWAY}worlds: { max: ${MAX} }\n` }

const step = fc.record({
  replica: fc.nat(1),
  world: fc.nat(19),
  kind: fc.constantFrom('create', 'read', 'create', 'read', 'make', 'delete'),
})
type Step = { readonly replica: number; readonly world: number; readonly kind: string }

async function run({ gateway, send }: Replica, { world, kind }: Step): Promise<void> {
  const name = `w${world}`
  if (kind === 'make') await gateway.change(() => void gateway.worlds.create(name), 'make')
  else if (kind === 'delete') await gateway.change(() => void gateway.deleteWorld(name), 'delete')
  else {
    const headers = { 'understudy-world': name }
    const { status } = await (kind === 'read'
      ? send('GET /books', undefined, headers)
      : send('POST /books', { title: name }, headers))
    assert.equal(status, kind === 'read' ? 200 : 201)
  }
}

/** The content of all worlds of a replica, by name. */
async function contentOf({ gateway }: Replica): Promise<Record<string, unknown>> {
  const worlds = gateway.worlds.list().toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const pairs = worlds.map(async world => {
    const { collections, ordinals } = await takeSnapshot(world)
    return [world.name, { collections, ordinals }] as const
  })
  return Object.fromEntries(await Promise.all(pairs))
}

const clients = fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 2, maxLength: 8 })

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

test('a file has the worlds that are left', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-evictions-'))
  t.after(() => rmSync(folder, { recursive: true }))
  let files = 0
  await fc.assert(
    fc.asyncProperty(clients, async steps => {
      const file = join(folder, `${++files}.state`)
      const open = () =>
        replica(new FileLog({ kind: 'file', file, sync: 3_600_000, recover: false }, surroundings()), {}, FILES)
      const first = await open()
      await Promise.all(
        steps.map(async own => {
          for (const one of own) await run(first, one)
        }),
      )
      const content = await contentOf(first)
      await first.state.close()
      const second = await open()
      assert.ok(Object.keys(content).length <= MAX + 1)
      assert.deepEqual(await contentOf(second), content)
      await second.state.close()
    }),
    { numRuns: cases(60) },
  )
})
