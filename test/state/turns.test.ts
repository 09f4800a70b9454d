// Work on recorded worlds, without worlds: what is appended, and when.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LoggedChange } from '../../src/state/effects.ts'
import { memoryLog } from '../../src/state/engines/memory.ts'
import { Turns } from '../../src/state/turns.ts'

const textsOf = ({ changes }: { readonly changes: readonly LoggedChange[] }) => changes.map(({ world }) => world).join()

function turnsOn(appended: (readonly string[])[], write = textsOf): Turns {
  const memory = {
    apply: async () => {},
    redo: (change: LoggedChange) => change,
    bound: () => {},
    appended: (_: unknown, texts: readonly string[]) => void appended.push(texts),
    snapshot: async () => '',
  }
  const meter = { appends: { observe() {} }, catchUps: { observe() {} }, conflicts: 0 }
  return new Turns(memoryLog(), memory, { log: 'log', at: 0 }, { write, now: () => 0, meter })
}

const changeNamed = (world: string): LoggedChange => ({
  world,
  effect: { kind: 'clock', course: undefined },
  undo() {},
})

test('changes of no work are appended without further work', async () => {
  const appended: (readonly string[])[] = []
  const turns = turnsOn(appended)
  turns.pending.recordAside(changeNamed('counts'))
  assert.equal(await turns.run(async () => 'read', { text: 'GET /' }), 'read')
  assert.deepEqual(appended, [])
  await turns.tick()
  assert.deepEqual(appended, [['counts']])
  await turns.tick()
  assert.equal(appended.length, 1)
})

test('`settled` waits for work that began before, and for work behind it', async () => {
  const turns = turnsOn([])
  const done: string[] = []
  const work = (name: string) => async () => {
    await new Promise(resolve => void setImmediate(resolve))
    done.push(name)
  }
  const [first, second] = [turns.run(work('first'), { text: 'a' }), turns.run(work('second'), { text: 'b' })]
  await turns.settled()
  assert.deepEqual(done, ['first', 'second'])
  await Promise.all([first, second])
})

test('work that fails keeps its changes, and the next work runs', async () => {
  const appended: (readonly string[])[] = []
  const turns = turnsOn(appended)
  const failing = turns.run(
    async () => {
      turns.pending.record(changeNamed('a change'))
      throw new Error('no')
    },
    { text: 'PUT /' },
  )
  await assert.rejects(failing, /no/)
  assert.equal(await turns.run(async () => 1, { text: 'GET /' }), 1)
  assert.deepEqual(appended, [['a change']])
})

test('work whose changes cannot be written is refused, and the next work runs', async () => {
  const appended: (readonly string[])[] = []
  const turns = turnsOn(appended, group => {
    if (textsOf(group).includes('unwritable')) throw new Error('no text')
    return textsOf(group)
  })
  const work = (text: string) => async () => turns.pending.record(changeNamed(text))
  await assert.rejects(turns.run(work('unwritable'), { text: 'PUT /' }), /no text/)
  await turns.run(work('a change'), { text: 'PUT /' })
  assert.deepEqual(appended, [['a change']])
})
