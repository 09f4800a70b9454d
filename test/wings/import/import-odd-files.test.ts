import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importOf, lost, mockoonResponse } from './imports.ts'

const stub = (request: object, response: object) => ({ request: { method: 'GET', ...request }, response })
const SOUND = stub({ url: '/sound' }, { jsonBody: { ok: 1 } })

test('a reply with a placeholder in a key is left out, and the rest is imported', async () => {
  const body = { '${request.path}': 1 }
  const imported = await importOf({
    'mappings.json': { mappings: [stub({ url: '/odd' }, { jsonBody: { list: [body] } }), SOUND] },
  })
  assert.deepEqual(lost(imported), [
    '1:14 this reply is left out, because a key of its body has a placeholder, which only values may have',
  ])
  assert.equal(await imported.send('GET /sound'), '200 {"ok":1}')
})

test('a parameter whose name has quotes is imported', async () => {
  const odd = stub({ urlPath: '/odd', queryParameters: { 'x"y': { equalTo: '1' } } }, { jsonBody: { odd: 1 } })
  const imported = await importOf({ 'mappings.json': { mappings: [odd, SOUND] } })
  assert.deepEqual(lost(imported), [])
  assert.equal(await imported.send('GET /odd?x%22y=1'), '200 {"odd":1}')
  assert.equal((await imported.send('GET /odd?x%22y=2')).slice(0, 3), '404')
})

test('a reply that a gateway refuses is left out with the reason, and the rest is imported', async () => {
  const [wrong, far] = ['a-b', 'id'].map(name =>
    stub({ urlPathTemplate: '/odd/{key}', pathParameters: { [name]: { equalTo: '1' } } }, { body: name }),
  )
  const imported = await importOf({ 'mappings.json': { mappings: [wrong, far, SOUND] } })
  assert.deepEqual(lost(imported).sort(), [
    '1:14 this is left out, because the project is refused with it: request.params has no "a-b"',
    '1:141 this is left out, because the project is refused with it: request.params has no "id"',
  ])
  assert.equal(await imported.send('GET /sound'), '200 {"ok":1}')
  const proxy = { name: 'a', endpointPrefix: '', proxyMode: true, proxyHost: 'a.test', routes: [] }
  const route = { type: 'http', method: 'get', endpoint: 'a', responses: [mockoonResponse({ body: 'A' })] }
  const mocked = await importOf({ 'env.json': { ...proxy, routes: [route] } })
  assert.deepEqual(lost(mocked), [
    '1:1 "upstream" is left out, because the project is refused with it: "url" must be a URL with http or https',
  ])
  assert.equal(await mocked.send('GET /a'), '200 A')
})

test('the report names the place of a value that has the wrong type', async () => {
  const route = (more: object) => ({ type: 'http', method: 'get', endpoint: 'a', responses: [], ...more })
  const sound = route({ endpoint: 'sound', responses: [mockoonResponse({ body: 'S' })] })
  const environment = (...routes: unknown[]) => ({
    'env.json': { name: 'a', endpointPrefix: '', routes: [sound, ...routes] },
  })
  const cases: readonly (readonly [route: unknown, said: RegExp])[] = [
    [route({ documentation: -1 }), /^1:\d+ this is left out, because "documentation" must be a string$/],
    [route({ responses: 5 }), /^1:\d+ this is left out, because "responses" must be an array$/],
    [route({ responses: [mockoonResponse({ statusCode: {} })] }), /"statusCode" must be an integer or string$/],
    [route({ responses: [mockoonResponse({ rules: [{}] })] }), /because "target" is required$/],
    [7, /because it must be an object$/],
  ]
  for (const [odd, said] of cases) {
    const imported = await importOf(environment(odd))
    assert.equal(lost(imported).length, 1)
    assert.match(lost(imported)[0] as string, said)
    assert.equal(await imported.send('GET /sound'), '200 S')
  }
})

test('records of a db.json with ids beyond the safe integers get ids that differ', async () => {
  const imported = await importOf({
    'db.json': '{"posts":[{"id":1e300,"t":"a"},{"id":1e300,"t":"b"},{"id":3,"t":"c"}]}',
  })
  assert.equal(imported.report.failed, false)
  assert.equal(await imported.send('GET /posts/4'), '200 {"id":4,"t":"a"}')
  assert.equal(await imported.send('GET /posts/5'), '200 {"id":5,"t":"b"}')
})
