import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '../../src/gateway/log.ts'
import { Worlds } from '../../src/gateway/worlds/worlds.ts'
import type { Request } from '../../src/kernel/http.ts'
import type { Plan } from '../../src/plan/plan.ts'
import type { WorldsSettings } from '../../src/plan/settings.ts'
import type { Entry } from '../../src/world/records/types.ts'
import type { World } from '../../src/world/world.ts'
import { loadPlan } from '../support/load.ts'
import { FixedClock } from '../virtual-clock.ts'

const { plan: shipped } = loadPlan('config/gateway.yaml', '.', {})
assert(shipped)

const withSettings = (settings: Partial<WorldsSettings>, clientControls = true): Plan => ({
  ...shipped,
  simulation: {
    ...shipped.simulation,
    worlds: { ...shipped.simulation.worlds, ...settings },
    listen: { ...shipped.simulation.listen, clientControls },
  },
})

const HOUR = 3_600_000
const logged: { world?: string; reason?: string }[] = []
const clock = new FixedClock(Date.UTC(2026, 0, 1))
const worldsOf = (settings: Partial<WorldsSettings> = {}, clientControls = true) =>
  new Worlds(withSettings(settings, clientControls), clock, { ...silentLog, warn: fields => void logged.push(fields) })

const request = (path: string, headers: Request['headers'] = {}): Request => ({
  method: 'GET',
  path,
  query: '',
  headers,
  hasBody: false,
  readBody: async () => ({ bytes: new Uint8Array() }),
  address: '127.0.0.1',
})

const visit = (worlds: Worlds, path: string, headers: Request['headers'] = {}) => {
  const found = worlds.visit(request(path, headers))
  if ('status' in found) return found.refusal?.detail ?? ''
  found.admit?.()
  return [found.world.name, found.path ?? path, found.address?.('/v1') ?? '/v1'].join(' ')
}

const add = async (world: World, name: string) =>
  (await world.collection('pets').create({ name, categoryId: 1, status: 'available' })) as Entry

const BAD_NAME = 'the name of a world must have 1 to 64 characters of A-Z a-z 0-9 . _ -'
for (const [path, headers, expected] of [
  ['/v1/pets', {}, 'default /v1/pets /v1'],
  ['/v1/pets', { 'understudy-world': 'alice' }, 'alice /v1/pets /v1'],
  ['/v1/pets', { 'understudy-world': 'default' }, 'default /v1/pets /v1'],
  ['/~alice/v1/pets', {}, 'alice /v1/pets /~alice/v1'],
  ['/v1/~alice/pets', {}, 'alice /v1/pets /v1/~alice'],
  ['/v1/~alice/pets/1', { 'understudy-world': 'alice' }, 'alice /v1/pets/1 /v1/~alice'],
  ['/v1/~alice', {}, 'alice /v1 /v1/~alice'],
  ['/~alice', {}, 'alice / /~alice/v1'],
  ['/v1/pets/~alice', {}, 'default /v1/pets/~alice /v1'],
  ['/v10/~alice/pets', {}, 'default /v10/~alice/pets /v1'],
  [`/v1/~${'x'.repeat(64)}/pets`, {}, `${'x'.repeat(64)} /v1/pets /v1/~${'x'.repeat(64)}`],
  [`/v1/~${'x'.repeat(65)}/pets`, {}, BAD_NAME],
  ['/v1/~/pets', {}, BAD_NAME],
  ['/v1/~a%20b/pets', {}, BAD_NAME],
  ['/v1/pets', { 'understudy-world': '' }, BAD_NAME],
  ['/v1/pets', { 'understudy-world': 'a, b' }, BAD_NAME],
  ['/v1/pets', { 'understudy-world': '__proto__' }, '__proto__ /v1/pets /v1'],
  [
    '/v1/~alice/pets',
    { 'understudy-world': 'bob' },
    'the path and Understudy-World name different worlds; the path names alice',
  ],
  ['/v1/pets', { cookie: 'theme=dark; understudy-world=alice' }, 'alice /v1/pets /v1'],
  ['/v1/pets', { cookie: 'my-understudy-world=alice' }, 'default /v1/pets /v1'],
  ['/v1/pets', { cookie: 'understudy-world=alice', 'understudy-world': 'bob' }, 'bob /v1/pets /v1'],
  ['/v1/~bob/pets', { cookie: 'understudy-world=alice' }, 'bob /v1/pets /v1/~bob'],
  ['/v1/pets', { cookie: 'understudy-world=a%20b' }, BAD_NAME],
  ['/v1/pets', { cookie: 'understudy-world=' }, BAD_NAME],
  ['/v1/pets', { host: 'petstore.example.com', cookie: 'understudy-world=alice' }, 'alice /v1/pets /v1'],
  ['/v1/pets', { host: 'petstore.example.com' }, 'petstore.example.com /v1/pets /v1'],
  ['/v1/pets', { host: 'STAGING.petstore.example.com:4010' }, 'staging.petstore.example.com /v1/pets /v1'],
  ['/v1/pets', { host: 'elsewhere.example.com' }, 'default /v1/pets /v1'],
  ['/v1/pets', { host: 'petstore.example.com', 'understudy-world': 'alice' }, 'alice /v1/pets /v1'],
] as const) {
  test(`${path} with ${JSON.stringify(headers)} reaches: ${expected}`, () => {
    assert.equal(visit(worldsOf(), path, headers), expected)
  })
}

test('a request can name its time, absolute or relative to the clock of its world', () => {
  const worlds = worldsOf()
  worlds.default.clock.adjust({ now: 0, freeze: true })
  const found = worlds.visit(request('/v1/pets', { 'understudy-time': '+12h' }))
  assert('clock' in found)
  assert.equal(found.clock.now(), 12 * HOUR)
  assert.equal(found.clock.adjusted, true)
  assert.equal(worlds.default.clock.now(), 0)
})

test('a request with an invalid time is refused and creates no world', () => {
  const worlds = worldsOf()
  const text = visit(worlds, '/v1/pets', { 'understudy-time': 'soon', 'understudy-world': 'alice' })
  assert.match(text, /Understudy-Time must be a date/)
  assert.equal(worlds.get('alice'), undefined)
})

test('with `clientControls: false` the headers and the `~` in the path are ignored', () => {
  const worlds = worldsOf({}, false)
  const headers = { 'understudy-world': 'alice', 'understudy-time': 'soon' }
  assert.equal(visit(worlds, '/v1/~bob/pets', headers), 'default /v1/~bob/pets /v1')
})

test('with `sandboxes: false` only permanent worlds can be named', () => {
  const worlds = worldsOf({ sandboxes: false })
  assert.equal(
    visit(worlds, '/v1/pets', { 'understudy-world': 'alice' }),
    'unknown world alice; sandboxes are switched off',
  )
  assert.equal(visit(worlds, '/v1/~default/pets'), 'default /v1/pets /v1/~default')
  assert.equal(worlds.create('alice'), 'switched-off')
})

test('the configuration names the world of unknown hosts, which can be the world of a host', () => {
  const worlds = worldsOf({ default: 'petstore.example.com' })
  assert.equal(visit(worlds, '/v1/pets', { host: '127.0.0.1:4010' }), 'petstore.example.com /v1/pets /v1')
  assert.deepEqual(
    worlds.list().map(({ name }) => name),
    ['petstore.example.com', 'staging.petstore.example.com'],
  )
})

test("sandboxes begin with the seeds and do not see each other's writes", async () => {
  const worlds = worldsOf()
  const [alice, bob] = ['alice', 'bob'].map(name => worlds.create(name) as World) as [World, World]
  const { id } = await add(alice, 'Ada')
  assert.equal((await alice.collection('pets').read(id))?.value.name, 'Ada')
  assert.equal(await bob.collection('pets').read(id), undefined)
  assert.equal(await worlds.default.collection('pets').read(id), undefined)
  assert.equal(bob.collection('pets').size, worlds.default.collection('pets').size)
})

test('a reset world has its seeds and real time, and others keep theirs', async () => {
  const worlds = worldsOf()
  const size = worlds.default.collection('pets').size
  for (const name of ['default', 'petstore.example.com', 'alice', 'bob']) {
    const world = worlds.get(name) ?? (worlds.create(name) as World)
    world.clock.adjust({ freeze: true })
    await add(world, name)
  }
  for (const name of ['default', 'petstore.example.com', 'alice']) assert.equal(worlds.reset(name), undefined)
  const states = ['default', 'petstore.example.com', 'alice', 'bob'].map(name => {
    const { collections, clock } = worlds.get(name) as World
    return `${name} ${(collections.get('pets')?.size ?? 0) - size} ${clock.adjusted}`
  })
  assert.deepEqual(states, ['default 0 false', 'petstore.example.com 0 false', 'alice 0 false', 'bob 1 true'])
  assert.equal(visit(worlds, '/v1/pets', { host: 'petstore.example.com' }), 'petstore.example.com /v1/pets /v1')
  assert.equal(worlds.reset('nobody'), 'unknown')
})

test('a world is created once and deleted once, a permanent one never', () => {
  const worlds = worldsOf()
  assert.equal(typeof worlds.create('alice'), 'object')
  assert.equal(worlds.create('alice'), 'exists')
  assert.equal(worlds.create('default'), 'exists')
  assert.equal(worlds.create('a b'), 'bad-name')
  assert.equal(worlds.delete('alice'), undefined)
  assert.equal(worlds.delete('alice'), 'unknown')
  assert.equal(worlds.delete('default'), 'permanent')
  assert.equal(worlds.delete('petstore.example.com'), 'permanent')
})

test('a forked world has the records and the time of its origin, and then diverges', async () => {
  const worlds = worldsOf()
  const { id } = await add(worlds.default, 'Ada')
  worlds.default.clock.adjust({ now: 0, freeze: true })
  const copy = worlds.create('copy', worlds.default) as World
  assert.equal((await copy.collection('pets').read(id))?.value.name, 'Ada')
  assert.equal(copy.clock.now(), 0)
  await copy.collection('pets').remove(id)
  assert.equal((await worlds.default.collection('pets').read(id))?.value.name, 'Ada')
})

test('above the bound the least recently used sandbox is removed, counted and logged', () => {
  logged.length = 0
  const worlds = worldsOf({ max: 2 })
  for (const name of ['a', 'b', 'a', 'c']) visit(worlds, `/v1/~${name}/pets`)
  assert.deepEqual(
    worlds.list().map(({ name }) => name),
    ['default', 'petstore.example.com', 'staging.petstore.example.com', 'c', 'a'],
  )
  assert.deepEqual(worlds.evictions.counts, { capacity: 1, idle: 0, memory: 0 })
  assert.deepEqual(logged, [{ world: 'b', reason: 'capacity' }])
})

test('an unchanged sandbox is removed before a changed one', async () => {
  const worlds = worldsOf({ max: 3 })
  for (const name of ['a', 'b', 'c']) visit(worlds, `/v1/~${name}/pets`)
  await add(worlds.get('a') as World, 'Ada')
  for (const name of ['d', 'e', 'f', 'g']) visit(worlds, `/v1/~${name}/pets`)
  assert.equal(worlds.get('a')?.collection('pets').size, (worlds.default.collection('pets').size ?? 0) + 1)
  assert.deepEqual(worlds.evictions.counts, { capacity: 4, idle: 0, memory: 0 })
})

test('a refused request creates no sandbox and removes none', () => {
  const worlds = worldsOf({ max: 2 })
  for (const name of ['a', 'b']) visit(worlds, `/v1/~${name}/pets`)
  for (let i = 0; i < 300; i++) worlds.visit(request(`/v1/~x${i}/pets`))
  assert.deepEqual([worlds.get('x299'), worlds.get('a')?.name, worlds.get('b')?.name], [undefined, 'a', 'b'])
  assert.deepEqual(worlds.evictions.counts, { capacity: 0, idle: 0, memory: 0 })
})

test('an idle sandbox is removed after `idle`, a permanent world never', () => {
  logged.length = 0
  const worlds = worldsOf({ idle: HOUR })
  for (const name of ['a', 'b']) visit(worlds, `/v1/~${name}/pets`)
  clock.time += HOUR / 2
  visit(worlds, '/v1/~a/pets')
  clock.time += HOUR / 2 + 1
  assert.deepEqual(
    worlds.list().map(({ name }) => name),
    ['default', 'petstore.example.com', 'staging.petstore.example.com', 'a'],
  )
  assert.deepEqual(worlds.evictions.counts, { capacity: 0, idle: 1, memory: 0 })
  assert.deepEqual(logged, [{ world: 'b', reason: 'idle' }])
})

test('a reload keeps the records of every world, applies new bounds and closes disabled sandboxes', async () => {
  const worlds = worldsOf()
  const sandbox = worlds.create('alice') as World
  const ids = await Promise.all([sandbox, worlds.default].map(async world => (await add(world, 'Ada')).id))
  worlds.adopt(withSettings({ max: 5 }))
  for (const [i, name] of ['alice', 'default'].entries()) {
    assert.equal(
      (
        await worlds
          .get(name)
          ?.collection('pets')
          .read(ids[i] as number)
      )?.value.name,
      'Ada',
    )
  }
  worlds.adopt(withSettings({ sandboxes: false }))
  assert.equal(worlds.get('alice'), undefined)
  assert.equal((await worlds.default.collection('pets').read(ids[1] as number))?.value.name, 'Ada')
})
