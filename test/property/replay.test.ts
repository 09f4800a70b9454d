import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply } from '../../src/kernel/http.ts'
import { draw } from '../../src/world/draws.ts'
import { simulate } from '../simulate.ts'
import { cases } from '../support/cases.ts'
import type { Ask } from '../support/in-process.ts'
import { FixedClock } from '../virtual-clock.ts'

const REQUESTS = cases(5000)
const WHAT = ['GET /things', 'GET /things/1', 'PATCH /things/1'] as const

const YAML = `
seed: 7
defaults:
  latency: { p50: 12ms, p90: 40ms, p99: 400ms, max: 2s }
  fault: [{ kind: reset, probability: 0.1 }, { kind: status, status: 503, every: 9 }, { kind: hang, probability: 0.05 }]
operations: { listThings: { respond: { list: things } }, getThing: { respond: { read: things } }, changeThing: { respond: { update: things } } }
`

const bodyOf = (what: string): Ask => (what.startsWith('PATCH') ? { body: { name: 'uno' } } : {})

/** Sends requests. Returns the fate of each: the reply and its delay. */
function fateTeller() {
  const clock = new FixedClock(1e12)
  const { ask, gateway } = simulate(YAML, clock)
  const fateOf = async (what: string, options: Ask = {}): Promise<string> => {
    const before = clock.slept.length
    return fate(await ask(what, { ...bodyOf(what), ...options })) + clock.slept.slice(before).join()
  }
  return { ask, fateOf, gateway }
}

const fate = ({ status, wire }: Reply): string => `${wire?.kind ?? status} `

test('the n-th request of an operation has the same fate whatever else runs', async () => {
  const [first, second] = [fateTeller(), fateTeller()]
  const fates = new Map<string, string[]>(WHAT.map(what => [what, []]))
  for (let i = 0; i < REQUESTS; i++) {
    const what = WHAT[i % WHAT.length] as string
    fates.get(what)?.push(await first.fateOf(what))
  }
  const all = [...fates.values()].flat()
  assert.ok(new Set(all).size > REQUESTS / 10, 'fates differ')
  for (const kind of ['200', '503', 'reset', 'close'])
    assert.ok(
      all.some(one => one.startsWith(kind)),
      kind,
    )

  // In another order, with requests to another world and to unknown paths in between.
  const left = WHAT.map(what => ({ what, fates: (fates.get(what) as string[]).values() }))
  for (let i = 0; left.length > 0; i++) {
    const at = Math.floor(draw(1, 'order', i, 'pick') * left.length)
    const { what, fates } = left[at] as (typeof left)[number]
    const next = fates.next()
    if (next.done) left.splice(at, 1)
    else assert.equal(await second.fateOf(what), next.value)
    if (i % 5 === 0) await second.fateOf(what, { headers: { 'understudy-world': 'elsewhere' } })
    if (i % 7 === 0) await second.fateOf('GET /nowhere')
  }
})

test('concurrent requests have the fates of their order of arrival', async () => {
  const [first, second] = [fateTeller(), fateTeller()]
  const one: string[] = []
  for (let i = 0; i < 1000; i++) one.push(fate(await first.ask('GET /things')))
  const many = await Promise.all(Array.from({ length: 1000 }, () => second.ask('GET /things')))
  assert.deepEqual(many.map(fate), one)
})

test('a request can repeat the fate of another without using one up', async () => {
  const { fateOf, gateway } = fateTeller()
  const fates: string[] = []
  for (let i = 0; i < 50; i++) fates.push(await fateOf('GET /things'))
  gateway.reset()
  const again = (ordinal: number | string) =>
    fateOf('GET /things', { headers: { 'understudy-ordinal': String(ordinal) } })
  for (const ordinal of [50, 9, 1, 17, 9]) assert.equal(await again(ordinal), fates[ordinal - 1])
  assert.equal(await fateOf('GET /things'), fates[0])
  for (const wrong of ['0', '-1', 'x', '1e3', '']) assert.equal(await again(wrong), '400 ')
})

test('with `clientControls: false` a request cannot choose its fate', async () => {
  const { ask } = simulate(
    'listen: { clientControls: false }\noperations: { listThings: { fault: { kind: reset, every: 2 }, respond: { list: things } } }',
  )
  assert.equal((await ask('GET /things', { headers: { 'understudy-ordinal': '2' } })).status, 200)
})
