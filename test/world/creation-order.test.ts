import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { CreationOrder } from '../../src/world/creation-order.ts'

suite('the order of creation', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), skip: fc.nat(2) }),
    fc.record({ do: fc.constant('delete' as const), ordinal: fc.nat(60) }),
    fc.record({ do: fc.constant('oldest' as const) }),
    fc.record({ do: fc.constant('clone' as const), change: fc.boolean() }),
  )

  test('is that of a map by ordinal, whatever goes and whoever shares it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), steps => {
        let order = new CreationOrder()
        let ordinal = 0
        let model = new Map<number, number>()
        const left: [CreationOrder, number[]][] = []
        for (const one of steps) {
          if (one.do === 'add') {
            ordinal += 1 + one.skip
            order.add(ordinal, ordinal * 10)
            model.set(ordinal, ordinal * 10)
          } else if (one.do === 'delete') {
            order.delete(one.ordinal)
            model.delete(one.ordinal)
          } else if (one.do === 'oldest') {
            const [oldest] = model.keys()
            order.delete(oldest ?? 0)
            model.delete(oldest ?? 0)
          } else {
            // Work goes on with the copy, or with what it was made of; the other must stay as it was.
            const clone = order.clone()
            left.push([one.change ? order : clone, [...model.values()]])
            if (one.change) order = clone
            model = new Map(model)
          }
          assert.deepEqual(order.ids(), [...model.values()])
          assert.equal(order.oldest, [...model.values()][0])
        }
        for (const [other, ids] of left) assert.deepEqual(other.ids(), ids)
      }),
    )
  })

  test('goes on for long where the oldest go', () => {
    const order = new CreationOrder()
    for (let ordinal = 1; ordinal <= 100_000; ordinal++) {
      order.add(ordinal, ordinal)
      if (ordinal > 3) order.delete(ordinal - 3)
    }
    assert.equal(order.oldest, 99_998)
    assert.deepEqual(order.ids(), [99_998, 99_999, 100_000])
  })

  test('goes on for long where one stays and the others come and go', () => {
    const order = new CreationOrder()
    order.add(1, 'kept')
    for (let ordinal = 2; ordinal <= 100_000; ordinal++) {
      order.add(ordinal, ordinal)
      order.delete(ordinal)
    }
    assert.equal(order.oldest, 'kept')
    assert.deepEqual(order.ids(), ['kept'])
  })
})
