import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../../../support/until.ts'
import { Replicas } from '../../../wire/replicas.ts'
import { create, openReceiver, toldNotes } from '../../webhooks/kept.ts'

const replicas = new Replicas()
after(() => replicas.end())

test('pending deliveries survive a kill, and those that are done are not repeated', async () => {
  const receiver = await openReceiver()
  const yaml = toldNotes(receiver.origin)
  const before = await replicas.serve('{ file: ./told.state, sync: always }', yaml)
  await create(before, 'done')
  await until(async () => (await before.send('GET control:/deliveries?state=delivered')).body.total === 1)
  receiver.status = 503
  await create(before, 'pending')
  await until(async () => receiver.got.length === 2)
  await before.kill()
  receiver.status = 204
  const again = await replicas.serve('{ file: ./told.state, sync: always }', yaml)
  await until(async () => (await again.send('GET control:/deliveries?state=delivered')).body.total === 2)
  assert.deepEqual(receiver.got.slice(0, 2), ['done', 'pending'])
  assert.ok(receiver.got.slice(2).every(text => text === 'pending'))
  await again.kill()
  receiver.close()
})
