// Records that are named within their owner: the same name under two owners is two records.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveInferred } from './serve-inferred.ts'

const DOCUMENT = `
openapi: 3.0.3
info: { title: Cluster, version: '1' }
paths:
  /namespaces/{namespace}/pods:
    parameters: [{ in: path, name: namespace, required: true, schema: { type: string } }]
    get: { operationId: listPods, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/PodList' } } } } } }
    post:
      operationId: createPod
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pod' } } } }
      responses: { '201': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pod' } } } } }
  /namespaces/{namespace}/pods/{name}:
    parameters:
      - { in: path, name: namespace, required: true, schema: { type: string } }
      - { in: path, name: name, required: true, schema: { type: string } }
    get: { operationId: readPod, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pod' } } } } } }
    put:
      operationId: replacePod
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pod' } } } }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pod' } } } } }
    delete: { operationId: deletePod, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pod' } } } } } }
  /pods:
    get: { operationId: listAllPods, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/PodList' } } } } } }
  /repos/{owner}/{repo}/labels:
    parameters:
      - { in: path, name: owner, required: true, schema: { type: string } }
      - { in: path, name: repo, required: true, schema: { type: string } }
    get: { operationId: listLabels, responses: { '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Label' } } } } } } }
    post:
      operationId: createLabel
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Label' } } } }
      responses: { '201': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Label' } } } } }
  /repos/{owner}/{repo}/labels/{name}:
    parameters:
      - { in: path, name: owner, required: true, schema: { type: string } }
      - { in: path, name: repo, required: true, schema: { type: string } }
      - { in: path, name: name, required: true, schema: { type: string } }
    get: { operationId: readLabel, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Label' } } } } } }
    patch:
      operationId: updateLabel
      requestBody: { required: true, content: { application/json: { schema: { type: object, properties: { colour: { type: string } } } } } }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Label' } } } } }
    delete: { operationId: deleteLabel, responses: { '204': { description: gone } } }
components:
  schemas:
    Pod:
      type: object
      properties:
        kind: { type: string }
        metadata: { type: object, properties: { name: { type: string }, namespace: { type: string }, uid: { type: string } } }
        spec: { type: object, properties: { image: { type: string } } }
    PodList: { type: object, required: [items], properties: { items: { type: array, items: { $ref: '#/components/schemas/Pod' } } } }
    Label: { type: object, additionalProperties: false, required: [name], properties: { name: { type: string }, colour: { type: string } } }
`

type Pods = { readonly items: { readonly metadata: { readonly name: string; readonly namespace: string } }[] }
const pod = (image: string) => ({ kind: 'Pod', metadata: { name: 'web' }, spec: { image } })

test('a name within two namespaces names two records', async () => {
  const send = await serveInferred(DOCUMENT)
  const { status, body, headers } = await send('POST /namespaces/red/pods', pod('one'))
  assert.equal(status, 201)
  assert.deepEqual(body, { ...pod('one'), metadata: { name: 'web', namespace: 'red' } })
  assert.equal(headers.location, '/namespaces/red/pods/web')
  assert.equal((await send('POST /namespaces/blue/pods', pod('two'))).status, 201)
  assert.equal((await send('POST /namespaces/red/pods', pod('three'))).status, 409)
  const imageOf = async (namespace: string) =>
    ((await send(`GET /namespaces/${namespace}/pods/web`)).body as { spec: { image: string } }).spec.image
  assert.deepEqual([await imageOf('red'), await imageOf('blue')], ['one', 'two'])
  assert.equal((await send('GET /namespaces/green/pods/web')).status, 404)

  const namesIn = async (path: string) =>
    ((await send(`GET ${path}`)).body as Pods).items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  assert.deepEqual(await namesIn('/namespaces/red/pods'), ['red/web'])
  const all = await namesIn('/pods')
  assert.deepEqual(
    all.filter(name => name.endsWith('/web')),
    ['blue/web', 'red/web'],
  )

  assert.equal((await send('PUT /namespaces/red/pods/web', pod('four'))).status, 200)
  assert.deepEqual([await imageOf('red'), await imageOf('blue')], ['four', 'two'])
  assert.equal((await send('DELETE /namespaces/red/pods/web')).status, 200)
  assert.equal((await send('GET /namespaces/red/pods/web')).status, 404)
  assert.equal(await imageOf('blue'), 'two')
})

test('an owner without a field in the record is stored and not shown', async () => {
  const send = await serveInferred(DOCUMENT)
  const bug = { name: 'bug', colour: 'red' }
  const created = await send('POST /repos/ann/boat/labels', bug)
  assert.deepEqual([created.status, created.body, created.headers.location], [201, bug, '/repos/ann/boat/labels/bug'])
  assert.equal((await send('POST /repos/ann/kite/labels', { name: 'bug' })).status, 201)
  assert.equal((await send('POST /repos/ann/boat/labels', bug)).status, 409)
  const labelsOf = async (repo: string) =>
    ((await send(`GET /repos/ann/${repo}/labels`)).body as { name: string }[]).filter(({ name }) => name === 'bug')
  assert.deepEqual(await labelsOf('boat'), [bug])
  assert.deepEqual(await labelsOf('kite'), [{ name: 'bug' }])
  assert.deepEqual(await labelsOf('sail'), [])
  const changed = await send('PATCH /repos/ann/boat/labels/bug', { colour: 'blue' })
  assert.deepEqual(changed.body, { name: 'bug', colour: 'blue' })
  assert.deepEqual((await send('GET /repos/ann/boat/labels/bug')).body, { name: 'bug', colour: 'blue' })
  assert.deepEqual((await send('GET /repos/ann/kite/labels/bug')).body, { name: 'bug' })
  assert.equal((await send('GET /repos/bob/boat/labels/bug')).status, 404)
  assert.equal((await send('DELETE /repos/ann/kite/labels/bug')).status, 204)
  assert.deepEqual(await labelsOf('boat'), [{ name: 'bug', colour: 'blue' }])
})

test('a record without an owner is visible to every owner', async () => {
  const send = await serveInferred(DOCUMENT)
  const [first] = (await send('GET /repos/ann/boat/labels')).body as { name: string }[]
  assert.ok(first)
  const path = `/repos/bob/kite/labels/${encodeURIComponent(first.name)}`
  assert.deepEqual((await send(`GET ${path}`)).body, first)
  assert.equal((await send('POST /repos/ann/boat/labels', first)).status, 409)
  assert.deepEqual((await send(`PATCH ${path}`, { colour: 'grey' })).body, { ...first, colour: 'grey' })
  assert.deepEqual(((await send('GET /repos/ann/boat/labels')).body as { name: string }[])[0], {
    ...first,
    colour: 'grey',
  })
})
