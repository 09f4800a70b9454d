import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { draw } from '../../src/world/draws.ts'
import { Collection } from '../../src/world/records/collection.ts'
import type { RecordStates } from '../../src/world/records/types.ts'
import { cases } from '../support/cases.ts'
import { FixedClock } from '../virtual-clock.ts'

const options = {
  name: 'orders',
  idField: 'id',
  assign: 'sequence',
  indexed: ['status'],
  maxRecords: 1000,
  seed: 7,
} as const

const states: RecordStates = {
  field: 'status',
  from: new Map([
    ['pending', [{ to: 'paid' }, { to: 'expired', after: () => 900 }]],
    [
      'paid',
      [{ to: 'shipped', after: (share: number) => 100 + share * 1000, set: (at: number) => ({ shippedAt: at }) }],
    ],
    [
      'shipped',
      [
        { to: 'delivered', after: () => 300 },
        { to: 'lost', after: (share: number) => 100 + share * 500 },
      ],
    ],
    ['delivered', []],
  ]),
}

/** The model of one record, advanced step by step. */
interface Model {
  readonly id: number
  status: string
  since: number
  entry: number
  shippedAt?: number
}

const nextOf = ({ id, status, since, entry }: Model) =>
  (states.from.get(status) ?? [])
    .filter(edge => edge.after !== undefined)
    .map(edge => {
      const share = draw(options.seed, `orders/${id}`, entry, `after ${edge.to}`)
      return { edge, due: since + Math.max(1, Math.round(edge.after?.(share) ?? 0)) }
    })
    .sort((a, b) => a.due - b.due)[0]

function live(model: Model, now: number): void {
  for (let next = nextOf(model); next !== undefined && next.due <= now; next = nextOf(model)) {
    model.status = next.edge.to
    model.since = next.due
    model.entry += 1
    if (next.edge.set !== undefined) model.shippedAt = next.due
  }
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('move' as const), by: fc.integer({ min: -500, max: 1500 }) }),
  fc.record({ kind: fc.constant('create' as const), status: fc.constantFrom('pending', 'paid', 'delivered') }),
  fc.record({ kind: fc.constant('write' as const), which: fc.nat(5), status: fc.constantFrom('paid', 'shipped') }),
  fc.record({ kind: fc.constant('touch' as const), which: fc.nat(5) }),
  fc.record({ kind: fc.constant('look' as const) }),
  fc.record({ kind: fc.constant('fork' as const) }),
  fc.record({ kind: fc.constant('restore' as const) }),
)

test('timed states follow a model over moves of the clock, writes, forks and snapshots', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
      const clock = new FixedClock(1_000_000)
      const seeds = [
        { id: 1, status: 'pending' },
        { id: 2, status: 'paid' },
      ]
      let orders = new Collection({ ...options, states }, seeds)
      orders.follow(clock)
      const models: Model[] = seeds.map(seed => ({ ...seed, since: clock.time, entry: 1 }))
      // Setting the clock back undoes no transition.
      const look = () => {
        for (const model of models) live(model, clock.time)
      }
      for (const one of steps) {
        if (one.kind === 'move') {
          clock.time += one.by
          continue
        }
        look()
        if (one.kind === 'create') {
          await orders.create({ status: one.status })
          models.push({ id: models.length + 1, status: one.status, since: clock.time, entry: 1 })
        } else if (one.kind === 'write' || one.kind === 'touch') {
          const model = models[one.which % models.length] as Model
          const old = await orders.read(model.id)
          const status = one.kind === 'write' ? one.status : model.status
          await orders.replace(model.id, { ...old?.value, status, note: 'x' })
          if (status !== model.status) Object.assign(model, { status, since: clock.time, entry: model.entry + 1 })
        } else if (one.kind === 'fork') {
          const before = orders
          orders = orders.fork()
          orders.follow(clock)
          // Later changes of the original do not affect the copy.
          await before.put(1, { status: 'delivered' })
        } else if (one.kind === 'restore') {
          const dump = JSON.parse(JSON.stringify(await orders.dump()))
          orders = new Collection({ ...options, states })
          orders.follow(clock)
          await orders.load(dump)
        }
        const text = (await orders.list({ filters: [], limit: 1000 })).text
        const shown = (JSON.parse(text) as (Model & { shippedAt?: number })[]).map(record => ({
          id: record.id,
          status: record.status,
          shippedAt: record.shippedAt,
        }))
        assert.deepEqual(
          shown,
          models.map(({ id, status, shippedAt }) => ({ id, status, shippedAt })),
        )
        const sold = await orders.list({ filters: [{ field: 'status', values: ['shipped'] }], limit: 1000 })
        assert.equal(sold.count, models.filter(({ status }) => status === 'shipped').length)
      }
    }),
    { numRuns: cases(150) },
  )
})

test('a cycle of short edges ends', async () => {
  const clock = new FixedClock(1_000_000)
  const circle: RecordStates = {
    field: 'status',
    from: new Map([
      ['on', [{ to: 'off', after: () => 1 }]],
      ['off', [{ to: 'on', after: () => 1 }]],
    ]),
  }
  const lamps = new Collection({ ...options, states: circle }, [{ id: 1, status: 'on' }])
  lamps.follow(clock)
  await lamps.read(1)
  clock.time += 365 * 86_400_000
  assert.match(String((await lamps.read(1))?.value.status), /^(?:on|off)$/)
})
