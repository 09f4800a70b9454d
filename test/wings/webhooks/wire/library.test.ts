import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startGateway } from '../../../../src/index.ts'
import { fileOf } from '../../../support/in-process.ts'
import { PAID, SHOP } from '../shop.ts'

test('a test causes, awaits and verifies deliveries by method calls', async () => {
  let status = 503
  const server = createServer((_, reply) => void reply.writeHead(status).end())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const gateway = await startGateway({ config: fileOf(SHOP + PAID.replace('http://localhost:9', origin)) })
  try {
    const world = gateway.world('default')
    world.freeze('2030-01-01')
    const headers = { 'content-type': 'application/merge-patch+json' }
    await fetch(`${gateway.url}/orders/1`, { method: 'PATCH', headers, body: '{"status":"paid"}' })
    await gateway.delivered()
    assert.deepEqual(
      gateway.deliveries().map(({ state, why }) => [state, why]),
      [['pending', 'the receiver answered 503']],
    )
    status = 204
    world.freeze('+1h')
    await gateway.delivered('default')
    assert.equal(gateway.verifyDeliveries({ webhook: 'orderPaid', state: 'delivered' }, 1).passed, true)
    const [{ id, state } = assert.fail()] = await gateway.sendWebhook('orderPaid', {
      record: { id: 9, status: 'paid' },
    })
    assert.equal(state, 'delivered')
    assert.equal((await gateway.redeliver(id)).attempts.length, 2)
    assert.throws(
      () => gateway.deliveries({ webhook: 'orderPayed' }),
      /no webhook "orderPayed"; did you mean "orderPaid"/,
    )
    await assert.rejects(gateway.sendWebhook('none'), /no webhook none/)
    await assert.rejects(gateway.redeliver('none'), /no delivery none/)
  } finally {
    await gateway.close()
    server.close()
  }
})
