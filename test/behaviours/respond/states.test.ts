import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { importSnapshot } from '../../../src/gateway/restore.ts'
import { takeSnapshot } from '../../../src/world/snapshot.ts'
import { inProcess } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'

const SHOP = readFileSync(new URL('../../../config/shop.yaml', import.meta.url), 'utf8')
const DAY = 86_400_000

interface Order {
  readonly id: number
  readonly status: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly shippedAt?: string
}

function openShop() {
  const shop = inProcess({ 'gateway.yaml': SHOP }, new FixedClock('2026-06-01T12:00:00Z'))
  const order = async (): Promise<Order> => (await shop.send('POST /v1/orders', { item: 'Book' })).body as Order
  const list = async (headers = {}): Promise<Order[]> =>
    (await shop.send('GET /v1/orders', undefined, headers)).body as Order[]
  return { ...shop, order, list }
}

describe('the state of a record', () => {
  test('changes by writes along its edges only', async () => {
    const { send, order } = openShop()
    await order()
    const paid = await send('POST /v1/orders/1/pay')
    assert.equal((paid.body as Order).status, 'paid')
    const refused = await send('POST /v1/orders/1/cancel')
    assert.equal(refused.status, 409)
    assert.deepEqual(refused.body, {
      code: 'conflict',
      message: 'this record of orders is "paid" and cannot become "cancelled"; it can become "shipped"',
    })
    // Keeping the state is not a transition.
    assert.equal((await send('POST /v1/orders/1/pay')).status, 200)
  })

  test('changes by the clock, each edge at its time, whether or not a request reads it', async () => {
    const { send, order, list, clock } = openShop()
    await order()
    await order()
    await send('POST /v1/orders/1/pay')
    clock.time += 15 * 60_000 - 1
    assert.equal((await list())[1]?.status, 'pending')
    clock.time += 1
    assert.equal((await list())[1]?.status, 'expired')
    clock.time += 30 * DAY
    const [first, second] = await list()
    assert.equal(first?.status, 'delivered')
    assert.equal(second?.status, 'expired')
    const shipped = Date.parse(first?.shippedAt ?? '')
    assert.ok(shipped > Date.parse('2026-06-01T12:00:00Z') && shipped < Date.parse('2026-06-08T12:00:00Z'))
    // The last transition was three days later, and set `updatedAt` like a write.
    assert.equal(Date.parse(first?.updatedAt ?? ''), shipped + 3 * DAY)
    assert.equal(second?.updatedAt, '2026-06-01T12:15:00.000Z')
  })

  test('changes at the same times in every world with the same seed', async () => {
    const lives = await Promise.all(
      [1, 2].map(async () => {
        const { send, order, list, clock } = openShop()
        await order()
        await send('POST /v1/orders/1/pay')
        clock.time += 30 * DAY
        return list()
      }),
    )
    assert.deepEqual(lives[0], lives[1])
  })

  test('is current in a filtered list', async () => {
    const { send, order, clock } = openShop()
    await order()
    assert.deepEqual((await send('GET /v1/orders?status=expired')).body, [])
    clock.time += DAY
    assert.equal(((await send('GET /v1/orders?status=expired')).body as Order[]).length, 1)
    assert.deepEqual((await send('GET /v1/orders?status=pending')).body, [])
  })
})

describe('a world whose records have states', () => {
  test('applies the changes of a time that its clock skips, and undoes none when it moves back', async () => {
    const { order, list, gateway } = openShop()
    await order()
    const { clock } = gateway.worlds.default
    clock.adjust({ shift: 7 * DAY })
    assert.equal((await list())[0]?.status, 'expired')
    clock.restore()
    assert.equal((await list())[0]?.status, 'expired')
  })

  test('shows a request with Understudy-Time the future state, and changes nothing', async () => {
    const { send, order, list } = openShop()
    await order()
    const ahead = { 'understudy-time': '+1d' }
    assert.equal((await list(ahead))[0]?.status, 'expired')
    assert.equal((await send('POST /v1/orders/1/pay', undefined, ahead)).status, 409)
    assert.equal((await list())[0]?.status, 'pending')
    assert.equal((await send('POST /v1/orders/1/pay')).status, 200)
  })

  test('counts earlier requests for a request with Understudy-Time', async () => {
    const { send, order } = openShop()
    await order()
    const ahead = { 'understudy-time': '+1d' }
    const look = async (headers = {}) => (await send('GET /v1/orders/1', undefined, headers)).status
    assert.deepEqual([await look(), await look(ahead), await look()], [202, 202, 202])
    assert.deepEqual([await look(ahead), await look()], [200, 200])
  })
})

describe('copies of a world', () => {
  test('keep pending state changes in a snapshot', async () => {
    const { send, order, list, gateway, clock } = openShop()
    await order()
    await send('POST /v1/orders/1/pay')
    clock.time += 3600_000
    const snapshot = JSON.parse(JSON.stringify(await takeSnapshot(gateway.worlds.default)))
    const other = openShop()
    other.clock.time = clock.time
    const { worlds, plan } = other.gateway
    const copy = await importSnapshot(worlds, plan, worlds.default.name, snapshot)
    assert.ok(!Array.isArray(copy))
    worlds.put(copy)
    clock.time += 30 * DAY
    other.clock.time += 30 * DAY
    assert.deepEqual(await other.list(), await list())
  })

  test('keep the state changes of a sandbox separate', async () => {
    const { send, order, list, clock } = openShop()
    await order()
    const mine = { 'understudy-world': 'mine' }
    await send('POST /v1/orders', { item: 'Book' }, mine)
    await send('POST /v1/orders/1/pay', undefined, mine)
    clock.time += 20 * 60_000
    assert.equal((await list())[0]?.status, 'expired')
    assert.equal((await list(mine))[0]?.status, 'paid')
  })
})
