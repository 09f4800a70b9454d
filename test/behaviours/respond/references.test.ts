import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

/** Owners, their tags, and things that refer to both. */
const things = (references: string, seeds = '') => ({
  'gateway.yaml': `
contract: ./openapi.yaml
seed: 7
resources:
  owners: { schema: Owner, seed: [{ id: 1 }, { id: 2 }, { id: 3 }] }
  things:
    schema: Thing
    references: ${references}
    ${seeds || 'seed: [{ id: 1, ownerId: 1, watchers: [1, 2] }, { id: 2, ownerId: 1, parentId: 1 }, { id: 3, ownerId: 2 }]'}
operations:
  removeOwner: { respond: { delete: owners } }
  addThing: { respond: { create: things } }
  listThings: { respond: { list: things } }
  removeThing: { respond: { delete: things } }
`,
  'openapi.yaml': `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /owners/{id}:
    delete:
      operationId: removeOwner
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '204': { description: Gone. }, '409': { description: Needed. } }
  /things:
    get: { operationId: listThings, responses: { '200': { description: All. } } }
    post:
      operationId: addThing
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
      responses: { '201': { description: Added. } }
  /things/{id}:
    delete:
      operationId: removeThing
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '204': { description: Gone. } }
components:
  schemas:
    Owner: { type: object, required: [id], properties: { id: { type: integer } } }
    Thing:
      type: object
      required: [id]
      properties:
        id: { type: integer, readOnly: true }
        ownerId: { type: [integer, 'null'] }
        parentId: { type: integer }
        watchers: { type: array, items: { type: integer } }
`,
})

suite('deleting a referenced record', () => {
  const all = (references: string) => {
    const { send } = inProcess(things(references))
    return { send, things: async () => (await send('GET /things')).body }
  }

  test('is refused with the name of a referencing record', async () => {
    const { send } = all('{ ownerId: owners }')
    const { status, body } = await send('DELETE /owners/1')
    assert.equal(status, 409)
    const detail = 'the record 1 is still referenced by /ownerId of the record 1 in things, and 1 more'
    assert.equal((body as { detail: string }).detail, detail)
    assert.equal((await send('DELETE /owners/3')).status, 204)
  })

  test('cascades to referencing records and their referencing records', async () => {
    const { send, things } = all(
      '{ ownerId: { to: owners, onDelete: cascade }, parentId: { to: things, onDelete: cascade } }',
    )
    assert.equal((await send('DELETE /owners/1')).status, 204)
    assert.deepEqual(await things(), [{ id: 3, ownerId: 2 }])
  })

  test('sets the field of referencing records to null', async () => {
    const { send, things } = all(
      '{ ownerId: { to: owners, onDelete: null }, watchers: { to: owners, onDelete: null }, parentId: { to: things, onDelete: null } }',
    )
    assert.equal((await send('DELETE /owners/1')).status, 204)
    assert.equal((await send('DELETE /things/1')).status, 204)
    assert.deepEqual(await things(), [
      { id: 2, ownerId: null },
      { id: 3, ownerId: 2 },
    ])
  })

  test('deletes nothing if a later record of the cascade forbids it', async () => {
    const { send, things } = all('{ ownerId: { to: owners, onDelete: cascade }, parentId: things }')
    const before = await things()
    assert.equal((await send('DELETE /things/1')).status, 409)
    assert.deepEqual(await things(), before)
    // Both are deleted, so that no reference remains.
    assert.equal((await send('DELETE /owners/1')).status, 204)
  })

  test('reaches records whose ids are unique only within an owner', async () => {
    const seeds = `id: { within: [parentId] }
    seed: [{ id: 1, parentId: 1, ownerId: 1 }, { id: 1, parentId: 2, ownerId: 1 }, { id: 1, parentId: 3, ownerId: 2 }]`
    const left = async (onDelete: string) => {
      const files = things(`{ ownerId: { to: owners, onDelete: ${onDelete} } }`, seeds)
      const gateway = files['gateway.yaml'].replace(/ {2}(?:add|remove)Thing.*\n/g, '')
      const { send } = inProcess({ ...files, 'gateway.yaml': gateway })
      const { status } = await send('DELETE /owners/1')
      return [status, (await send('GET /things')).body]
    }
    const other = { id: 1, parentId: 3, ownerId: 2 }
    assert.deepEqual(await left('cascade'), [204, [other]])
    const emptied = [1, 2].map(parentId => ({ id: 1, parentId, ownerId: null }))
    assert.deepEqual(await left('null'), [204, [...emptied, other]])
    assert.equal((await left('restrict'))[0], 409)
  })

  test('looks into lists of ids', async () => {
    const { send } = all('{ watchers: owners }')
    assert.equal((await send('DELETE /owners/2')).status, 409)
    assert.equal((await send('POST /things', { watchers: [1, 9] })).status, 400)
    assert.equal((await send('POST /things', { watchers: [1, 3] })).status, 201)
  })
})

suite('generated seeds', () => {
  const files = things('{ ownerId: owners, parentId: things, watchers: owners }', 'seed: { generate: 500 }')
  type Thing = { id: number; ownerId: number; parentId?: number; watchers: number[] }

  test('refer to existing records, and are the same each time', async () => {
    const { send } = inProcess(files)
    const { body } = await send('GET /things')
    const list = body as Thing[]
    assert.equal(list.length, 500)
    assert.deepEqual(
      list.map(({ id }) => id),
      Array.from({ length: 500 }, (_, i) => i + 1),
    )
    for (const { id, ownerId, parentId, watchers } of list) {
      assert.ok([1, 2, 3].includes(ownerId))
      assert.ok(parentId === undefined ? id === 1 : parentId < id)
      assert.ok(watchers.every(one => [1, 2, 3].includes(one)))
    }
    assert.deepEqual((await inProcess(files).send('GET /things')).body, body)
    assert.equal(((await send('POST /things', {})).body as Thing).id, 501)
  })
})

test('a password is not sent back, a required reference names a record, and an address is complete or absent', async () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources:
  plans: { schema: Plan, seed: [{ id: 4 }] }
  users: { schema: User, references: { planId: plans } }
operations:
  addUser: { respond: { create: users } }
  addTeamUser: { respond: { create: users } }
  getTeamUser: { respond: { read: users } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Users, version: 1.0.0 }
paths:
  /users:
    post:
      operationId: addUser
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/NewUser' } } } }
      responses: { '201': { description: Added. } }
  /teams/{team}/users:
    post:
      operationId: addTeamUser
      parameters: [{ name: team, in: path, required: true, schema: { type: string } }]
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/NewUser' } } } }
      responses: { '201': { description: Added. } }
  /teams/{team}/users/{id}:
    get:
      operationId: getTeamUser
      parameters: [{ name: team, in: path, required: true, schema: { type: string } }, { name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: One. } }
components:
  schemas:
    Plan: { type: object, properties: { id: { type: integer } } }
    NewUser: { type: object, required: [password], properties: { password: { type: string } } }
    User:
      type: object
      required: [id, planId, password]
      properties: { id: { type: integer }, planId: { type: integer }, password: { type: string, writeOnly: true } }
`,
  })
  const first = await send('POST /users', { password: 'secret' })
  assert.deepEqual(first.body, { id: 1, planId: 4 })
  assert.equal(first.headers.location, undefined)
  const second = await send('POST /teams/red/users', { password: 'secret' })
  assert.equal(second.headers.location, '/teams/red/users/2')
  assert.deepEqual((await send('GET /teams/red/users/2')).body, { id: 2, planId: 4 })
})
