import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileOf } from '../../../support/in-process.ts'
import { until } from '../../../support/until.ts'
import { NO_REDIS, RedisServer } from '../../../wire/redis-server.ts'
import { understudy } from '../../../wire/start-program.ts'

/** The pet store with its state in Redis. */
function shared(url: string): string {
  const text = readFileSync('config/gateway.yaml', 'utf8')
  return fileOf(`${text.replace(/: (\.\.?\/)/g, `: ${resolve('config')}/$1`)}\nstate: { redis: "${url}" }\n`)
}

describe('three workers that share their state', { skip: NO_REDIS }, () => {
  const server = new RedisServer()
  let child: ReturnType<typeof understudy>
  let api = ''
  let control = ''
  const KEY = { authorization: 'Bearer demo-key', connection: 'close' }
  const send = async (path: string, body?: object) => {
    const json = body && { method: 'POST', body: JSON.stringify(body) }
    const reply = await fetch(api + path, { ...json, headers: { ...KEY, 'content-type': 'application/json' } })
    return { status: reply.status, body: (await reply.json()) as { id: number } }
  }

  before(async () => {
    await server.start()
    child = understudy(shared(server.url), '--workers', '3', '--port', '0', '--control-port', '0', '--no-watch')
    api = await until(() => /API +(http:\S+)/.exec(child.output())?.[1])
    control = await until(() => /Control plane +(http:\S+)/.exec(child.output())?.[1])
  })
  after(async () => {
    child.kill('SIGKILL')
    await server.remove()
  })

  test('ids are unique, and every worker sees acknowledged writes of the others', async () => {
    const made = await Promise.all(Array.from({ length: 60 }, (_, i) => send('/pets', { name: `${i}`, categoryId: 1 })))
    const ids = made.map(({ body }) => body.id).sort((x, y) => x - y)
    assert.deepEqual(
      ids,
      Array.from({ length: 60 }, (_, i) => 51 + i),
    )
    for (const id of [51, 80, 110, 51, 80, 110]) assert.equal((await send(`/pets/${id}`)).status, 200)
  })

  test('the control plane controls all workers and lists their requests', async () => {
    const verdict = await fetch(`${control}/requests/verify?operation=createPet&min=60&max=60`)
    assert.equal(((await verdict.json()) as { ok: boolean }).ok, true)
    const clock = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"now":"2030-12-06"}' }
    assert.equal((await fetch(`${control}/worlds/default/clock`, clock)).status, 200)
    for (let i = 0; i < 6; i++) assert.equal((await send('/pets/51')).status, 410)
    assert.equal((await fetch(`${control}/reset`, { method: 'POST' })).status, 204)
    for (let i = 0; i < 6; i++) assert.equal((await send('/pets/51')).status, 404)
    const world = await fetch(`${control}/worlds/default`)
    assert.equal(((await world.json()) as { records: { pets: number } }).records.pets, 50)
  })

  test('a killed worker loses no acknowledged write', async () => {
    const acknowledged: number[] = []
    const clients = Array.from({ length: 8 }, async (_, i) => {
      for (let n = 0; n < 20; n++) {
        const reply = await send('/pets', { name: `${i}.${n}`, categoryId: 1 }).catch(() => undefined)
        if (reply?.status === 201) acknowledged.push(reply.body.id)
      }
    })
    await until(() => acknowledged.length > 20)
    const pid = /"worker":(\d+)[^\n]*a worker serves/.exec(child.output())?.[1]
    process.kill(Number(pid), 'SIGKILL')
    await Promise.all(clients)
    assert.equal(new Set(acknowledged).size, acknowledged.length)
    await until(() => child.output().match(/a worker serves/g)?.length === 4)
    // The new worker has it, too.
    for (let round = 0; round < 4; round++) {
      for (const id of acknowledged.slice(-3)) assert.equal((await send(`/pets/${id}`)).status, 200)
    }
  })
})
