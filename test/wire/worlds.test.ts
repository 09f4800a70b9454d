import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { ask } from './ask.ts'

const KEY = { authorization: 'Bearer demo-key' }
const JSON_TYPE = { 'content-type': 'application/json' }
const PET = JSON.stringify({ name: 'Ada', categoryId: 1 })

describe('worlds over HTTP', () => {
  let gateway: RunningGateway
  let origin: string
  before(async () => {
    gateway = await startGateway({ config: 'config/gateway.yaml' })
    origin = new URL(gateway.url).origin
  })
  after(() => gateway.close())

  const steer = (method: string, path: string, body?: unknown) =>
    ask(
      gateway.control + path,
      body === undefined
        ? { method }
        : { method, headers: JSON_TYPE, body: typeof body === 'string' ? body : JSON.stringify(body) },
    )
  const pets = async (url: string, headers = {}) =>
    (await ask(`${url}/pets?limit=100`, { headers: { ...KEY, ...headers } })).body as { id: number; name: string }[]

  test('an unknown member of an order is told with the nearest that exists', async () => {
    const detailOf = async (body: object) =>
      ((await steer('PUT', '/worlds/default/clock', body)).body as { detail: string }).detail
    assert.equal(await detailOf({ rat: 60 }), '/rat is not allowed; did you mean "rate"?')
    assert.match(await detailOf({ colour: 1 }), /^\/colour is not allowed; one of: .*freeze/)
  })

  for (const [way, base, headers] of [
    ['by a header', () => gateway.url, { 'understudy-world': 'w1' }],
    ['after the base path', () => `${gateway.url}/~w2`, {}],
    ['before the base path', () => `${origin}/~w3/v1`, {}],
  ] as const) {
    test(`a client names its world ${way} and remains in it`, async () => {
      const post = { method: 'POST', headers: { ...KEY, ...JSON_TYPE, ...headers }, body: PET }
      const created = await ask(`${base()}/pets`, post)
      assert.equal(created.status, 201)
      const location = `${origin}${created.headers.location}`
      assert.equal(location, `${base()}/pets/51`)
      const read = await ask(location, { headers: { ...KEY, ...headers } })
      assert.equal((read.body as { name: string }).name, 'Ada')
      assert.equal(read.headers.link, `<${base().slice(origin.length)}/pets>; rel="successor-version"`)
      assert.equal((await pets(base(), headers)).length, 51)
      assert.equal((await pets(gateway.url)).length, 50)
    })
  }

  test('the host of a server names a permanent world', async () => {
    const staging = { host: 'staging.petstore.example.com' }
    const post = { method: 'POST', headers: { ...KEY, ...JSON_TYPE, ...staging }, body: PET }
    assert.equal((await ask(`${gateway.url}/pets`, post)).status, 201)
    assert.equal((await pets(gateway.url, staging)).length, 51)
    assert.equal((await pets(gateway.url, { host: 'petstore.example.com' })).length, 50)
    assert.equal((await pets(gateway.url)).length, 50)
    assert.equal((await steer('POST', '/worlds/staging.petstore.example.com/reset')).status, 204)
    assert.equal((await pets(gateway.url, staging)).length, 50)
  })

  test('an invalid world name is refused in the shape of the API', async () => {
    for (const [path, headers] of [
      ['/v1/pets', { 'understudy-world': 'a b' }],
      ['/v1/~a%2Fb/pets', {}],
      [`/~${'x'.repeat(65)}/v1/pets`, {}],
    ] as const) {
      const reply = await ask(origin + path, { headers: { ...KEY, ...headers } })
      assert.deepEqual(reply.body, {
        code: 'invalid_request',
        message: 'the name of a world must have 1 to 64 characters of A-Z a-z 0-9 . _ -',
        status: 400,
      })
    }
  })

  test('a request can name its time: the day after the sunset', async () => {
    const at = (time: string) => ask(`${gateway.url}/pets/7`, { headers: { ...KEY, 'understudy-time': time } })
    const before = await at('2024-01-01')
    assert.equal(before.status, 200)
    assert.equal(before.headers.deprecation, undefined)
    const after = await at('2030-12-06')
    assert.equal(after.status, 410)
    assert.equal(after.headers.date, 'Fri, 06 Dec 2030 00:00:00 GMT')
    assert.equal((await at('soon')).status, 400)
    assert.equal((await ask(`${gateway.url}/pets/7`, { headers: KEY })).status, 200)
  })

  test('setting the clock of a world does not affect other worlds', async () => {
    await steer('POST', '/worlds', { name: 'future' })
    const set = await steer('PUT', '/worlds/future/clock', { now: '2030-12-06T00:00:00Z', freeze: true })
    assert.deepEqual(set.body, { now: '2030-12-06T00:00:00.000Z', real: false, frozen: true, rate: 0 })
    const read = (base: string) => ask(`${base}/pets/7`, { headers: KEY })
    const future = await read(`${gateway.url}/~future`)
    assert.deepEqual([future.status, future.headers.date], [410, 'Fri, 06 Dec 2030 00:00:00 GMT'])
    assert.equal((await read(gateway.url)).status, 200)
    await steer('DELETE', '/worlds/future/clock')
    assert.equal((await read(`${gateway.url}/~future`)).status, 200)
  })

  test('the expiry of a key is checked at the time of the request', async () => {
    const headers = { authorization: 'Bearer retired-key' }
    const at = async (time: string) =>
      (await ask(`${gateway.url}/pets`, { headers: { ...headers, 'understudy-time': time } })).status
    assert.deepEqual([await at('2025-12-31'), await at('2026-01-01')], [200, 401])
  })

  test('a snapshot restores a world exactly, also into another world', async () => {
    await steer('POST', '/worlds', { name: 'one' })
    const big = '{"name":"Big","categoryId":9223372036854775807}'
    assert.equal((await steer('PUT', '/worlds/one/collections/pets/9007199254740993', big)).status, 201)
    await steer('PUT', '/worlds/one/clock', { now: '2029-01-01', freeze: true })
    const snapshot = (await steer('GET', '/worlds/one/snapshot')).text
    assert.match(snapshot, /"id":9007199254740993,"name":"Big","categoryId":9223372036854775807/)
    assert.match(snapshot, /"clock":\{"now":"2029-01-01T00:00:00.000Z","freeze":true\}/)
    assert.equal((await steer('POST', '/worlds', `{"name":"two","snapshot":${snapshot}}`)).status, 201)
    assert.equal((await steer('GET', '/worlds/two/snapshot')).text, snapshot)
    await steer('POST', '/worlds/one/reset')
    assert.equal((await steer('PUT', '/worlds/one/snapshot', snapshot)).status, 204)
    assert.equal((await steer('GET', '/worlds/one/snapshot')).text, snapshot)
    const created = await ask(`${gateway.url}/~one/pets`, {
      method: 'POST',
      headers: { ...KEY, ...JSON_TYPE },
      body: PET,
    })
    assert.equal(created.headers.location, '/v1/~one/pets/9007199254740994')
  })

  test('an invalid snapshot changes nothing, and every mistake is named', async () => {
    await steer('POST', '/worlds', { name: 'kept' })
    const before = (await steer('GET', '/worlds/kept/snapshot')).text
    const records = [{ id: 1, name: 'Rex', categoryId: 1 }, { id: 1, name: 5, categoryId: 2 }, { name: 'None' }]
    const refused = await steer('PUT', '/worlds/kept/snapshot', {
      version: 1,
      clock: { now: 'tomorrow' },
      collections: { pets: { records, created: [9] }, pats: { records: [] } },
    })
    assert.equal(refused.status, 422)
    assert.equal((refused.body as { code: string }).code, 'invalid_snapshot')
    assert.equal(
      (refused.body as { detail: string }).detail,
      [
        '/clock "now" must be a date, a timestamp or an offset with its sign: 2030-12-06, 2030-12-06T10:00:00Z, +30d or -12h',
        '/collections/pets/records/1/name must be a string',
        '/collections/pets/records/1/id is a duplicate of /records/0',
        '/collections/pets/records/2/id is required',
        '/collections/pets/records/2/categoryId is required',
        '/collections/pets/created/0 must be the id of a record',
        '/collections/pats is not a resource; did you mean "pets"?',
      ].join('; '),
    )
    for (const body of ['', '[]', '{"version":1', '{"version":1,"collections":{"pets":[]}}', '"x"']) {
      assert.equal((await steer('PUT', '/worlds/kept/snapshot', body)).status, 400, body)
    }
    assert.equal((await steer('GET', '/worlds/kept/snapshot')).text, before)
  })

  test('a body of a hundred megabytes is refused, and the next request is served', async () => {
    const body = new Uint8Array(100_000_000).fill(0x20)
    const reply = await ask(`${gateway.control}/worlds/default/snapshot`, { method: 'PUT', headers: JSON_TYPE, body })
    assert.equal(reply.status, 413)
    assert.equal((await steer('GET', '/worlds/default')).status, 200)
  })

  test('records are changed from outside the API, and the API shows them', async () => {
    await steer('POST', '/worlds', { name: 'edit' })
    const path = '/worlds/edit/collections/pets'
    const put = await steer('PUT', `${path}/7`, { name: 'Changed', categoryId: 1, status: 'sold' })
    assert.deepEqual(put.body, { id: 7, name: 'Changed', categoryId: 1, status: 'sold' })
    assert.equal((await pets(`${gateway.url}/~edit`)).find(({ id }) => id === 7)?.name, 'Changed')
    assert.equal((await steer('DELETE', `${path}/7`)).status, 204)
    assert.equal((await pets(`${gateway.url}/~edit`)).length, 49)
    const page = await steer('GET', `${path}?limit=2`)
    assert.deepEqual([(page.body as unknown[]).length, page.headers['x-total-count']], [2, '49'])
    await steer('PUT', path, [{ id: 3, name: 'Only', categoryId: 1 }])
    assert.deepEqual(await pets(`${gateway.url}/~edit`), [{ id: 3, name: 'Only', categoryId: 1 }])
    await steer('DELETE', path)
    assert.deepEqual(await pets(`${gateway.url}/~edit`), [])
    assert.equal((await pets(gateway.url)).length, 50)
  })

  test('a write creates the world that it names; a refused write and a read do not', async () => {
    const pet = { name: 'Ada', categoryId: 1 }
    for (const [name, method, path, body, status] of [
      ['m1', 'PUT', '/clock', { now: '2030-12-06' }, 200],
      ['m2', 'PUT', '/collections/pets', [{ id: 1, ...pet }], 204],
      ['m3', 'PUT', '/collections/pets/7', pet, 200],
      ['m4', 'PUT', '/snapshot', { version: 1, collections: { pets: { records: [] } } }, 204],
      ['m5', 'POST', '/reset', undefined, 204],
      ['m6', 'DELETE', '/collections/pets', undefined, 204],
    ] as const) {
      const reply = await steer(method, `/worlds/${name}${path}`, body)
      assert.equal(reply.status, status, `${name}: ${reply.text}`)
      assert.equal((await steer('GET', `/worlds/${name}`)).status, 200)
    }
    assert.equal((await ask(`${gateway.url}/~m1/pets/7`, { headers: KEY })).status, 410)
    assert.equal((await pets(`${gateway.url}/~m2`)).length, 1)
    assert.equal((await pets(`${gateway.url}/~m3`)).find(({ id }) => id === 7)?.name, 'Ada')
    for (const [method, path, body, status] of [
      ['PUT', '/clock', { now: 'soon' }, 400],
      ['PUT', '/collections/pets/7', { name: 5 }, 422],
      ['PUT', '/collections/pats/7', pet, 404],
      ['PUT', '/snapshot', { version: 1, collections: { pats: { records: [] } } }, 422],
      ['GET', '/clock', undefined, 404],
    ] as const) {
      const reply = await steer(method, `/worlds/n1${path}`, body)
      assert.equal(reply.status, status, reply.text)
      assert.equal((await steer('GET', '/worlds/n1')).status, 404)
    }
  })

  test('concurrent writes to one new world are all kept', async () => {
    const [clock, record] = await Promise.all([
      steer('PUT', '/worlds/both/clock', { now: '2030-12-06T00:00:00Z', freeze: true }),
      steer('PUT', '/worlds/both/collections/pets/7', { name: 'Ada', categoryId: 1 }),
    ])
    assert.deepEqual([clock.status, record.status], [200, 200])
    assert.equal(((await steer('GET', '/worlds/both/clock')).body as { frozen: boolean }).frozen, true)
    assert.equal((await pets(`${gateway.url}/~both`)).find(({ id }) => id === 7)?.name, 'Ada')
  })

  test('a reset or a deletion removes the requests of the world', async () => {
    const create = (base: string) =>
      ask(`${base}/pets`, { method: 'POST', headers: { ...KEY, ...JSON_TYPE }, body: PET })
    const once = async (world: string) => {
      const { body } = await steer('GET', `/requests/verify?operation=createPet&world=${world}&min=1&max=1`)
      return (body as { ok: boolean }).ok
    }
    await steer('POST', '/worlds/other/reset')
    await create(`${gateway.url}/~other`)
    for (const begin of [() => steer('POST', '/worlds/suite/reset'), () => steer('DELETE', '/worlds/suite')]) {
      await begin()
      await create(`${gateway.url}/~suite`)
      assert.ok(await once('suite'))
    }
    await steer('POST', '/reset')
    await create(gateway.url)
    assert.ok(await once('default'))
    assert.ok(await once('other'), 'another world keeps its requests')
    await steer('POST', '/reset')
  })

  test('the metrics count worlds and do not name sandboxes', async () => {
    const { text } = await ask(`${gateway.control}/metrics`)
    assert.match(text, /^understudy_worlds\{kind="permanent"\} 3$/m)
    assert.match(text, /^understudy_worlds\{kind="sandbox"\} \d+$/m)
    assert.match(text, /^understudy_sandbox_evictions_total\{reason="idle"\} 0$/m)
    assert.match(text, /^understudy_collection_records\{world="default",collection="pets"\} 50$/m)
    assert.doesNotMatch(text, /"w1"|"future"/)
  })
})
