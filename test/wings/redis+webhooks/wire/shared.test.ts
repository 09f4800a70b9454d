import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../../../support/until.ts'
import { NO_REDIS, RedisServer } from '../../../wire/redis-server.ts'
import { Replicas } from '../../../wire/replicas.ts'
import { create, openReceiver, toldNotes } from '../../webhooks/kept.ts'

const replicas = new Replicas()
after(() => replicas.end())

test('of several replicas one makes each delivery, and another goes on after a kill', { skip: NO_REDIS }, async () => {
  const redis = await new RedisServer().start()
  const receiver = await openReceiver()
  const state = `{ redis: "${redis.url}" }`
  const yaml = toldNotes(receiver.origin)
  const [a, b] = [await replicas.serve(state, yaml), await replicas.serve(state, yaml)]
  const texts = Array.from({ length: 20 }, (_, i) => `note ${i}`)
  await Promise.all(texts.map((text, i) => create(i % 2 === 0 ? a : b, text)))
  await until(async () => (await b.send('GET control:/deliveries?state=delivered')).body.total === 20)
  assert.deepEqual([...receiver.got].sort(), [...texts].sort())
  receiver.status = 503
  await create(a, 'pending')
  await until(async () => receiver.got.includes('pending'))
  receiver.status = 204
  await a.kill()
  await until(async () => (await b.send('GET control:/deliveries?state=delivered')).body.total === 21)
  await b.kill()
  receiver.close()
  await redis.remove()
})
