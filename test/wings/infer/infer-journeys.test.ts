// Inferred state in the journeys of clients: what was sent is read back, and names the one who sent it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess } from '../../support/in-process.ts'
import { answers, documentOf, integer, naming, object, ref, string, takes } from '../../support/small-document.ts'

type Fields = Readonly<Record<string, unknown>>

test('a key that a request gives is kept, even if the example of the contract is the key of a seed', async () => {
  const Voucher = object({ code: { ...string, example: 'A1' }, note: string })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/vouchers': {
          get: answers(200, { type: 'array', items: ref('Voucher') }),
          post: { ...takes(ref('Voucher')), ...answers(201, ref('Voucher')) },
        },
        '/vouchers/{code}': { ...naming('code'), get: answers(200, ref('Voucher')) },
      },
      { Voucher },
    ),
  )
  assert.equal((await send('POST /vouchers', { code: 'B2', note: 'One' })).status, 201)
  assert.deepEqual((await send('GET /vouchers/B2')).body, { code: 'B2', note: 'One' })
})

test('a record may have a part that is called as its collection', async () => {
  const User = object({ username: string, email: string, profile: ref('Profile') })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/users/profiles': {
          get: answers(200, { type: 'array', items: ref('User') }),
          post: { ...takes(object({ ...User.properties, password: string })), ...answers(201, ref('User')) },
        },
        '/users/profiles/{user}': { ...naming('user'), get: answers(200, ref('User')) },
      },
      { User, Profile: object({ bio: string }) },
    ),
  )
  const ada = { username: 'ada', email: 'ada@example.com', profile: { bio: 'Likes bread.' } }
  await send('POST /users/profiles', { ...ada, password: 'secret' })
  assert.deepEqual((await send('GET /users/profiles/ada')).body, ada)
})

test('a PUT creates no record under an id that its schema does not allow', async () => {
  const User = object({ id: integer, name: string })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/users': { get: answers(200, { type: 'array', items: ref('User') }) },
        '/users/{id}': {
          ...naming('id'),
          get: answers(200, ref('User')),
          put: { ...takes(object({ name: string })), ...answers(200, ref('User')) },
        },
      },
      { User },
    ),
  )
  assert.equal((await send('PUT /users/77', { name: 'Ada' })).status, 200)
  assert.deepEqual((await send('GET /users/77')).body, { id: 77, name: 'Ada' })
  assert.equal((await send('PUT /users/ada', { name: 'Ada' })).status, 404)
})

test('a number in a path names a record whose id is a text', async () => {
  const Group = object({ id: string, label: string }, { required: ['id', 'label'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/groups': {
          get: answers(200, { type: 'array', items: ref('Group') }),
          post: { ...takes(object({ label: string })), ...answers(201, ref('Group')) },
        },
        '/groups/{groupKey}': { ...naming('groupKey', integer), get: answers(200, ref('Group')) },
      },
      { Group },
    ),
  )
  const { id } = (await send('POST /groups', { label: 'Bakers' })).body as Fields
  assert.deepEqual((await send(`GET /groups/${id}`)).body, { id, label: 'Bakers' })
})

test('a record beside its id is read and listed with what was sent', async () => {
  const fields = { name: string, kind: string, note: string }
  const beside = (schema: object) => object({ id: integer, result: schema })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/charts': {
          get: answers(200, object({ result: { type: 'array', items: object({ id: integer, ...fields }) } })),
          post: { ...takes(object(fields)), ...answers(201, beside(object(fields))) },
        },
        '/charts/{pk}': { ...naming('pk', integer), get: answers(200, beside(object({ id: integer, ...fields }))) },
      },
      {},
    ),
  )
  const sent = { name: 'One', kind: 'bar', note: 'First.' }
  const made = (await send('POST /charts', sent)).body as Fields
  assert.equal(typeof made.id, 'number')
  assert.deepEqual(made.result, { id: made.id, ...sent })
  const { result } = (await send(`GET /charts/${made.id}`)).body as { result: Fields }
  assert.deepEqual(result, { id: made.id, ...sent })
})

test('fields that a request has beside each other are read within the attributes of the record', async () => {
  const Attributes = object({ name: string, emails: { type: 'array', items: string }, created: string })
  const List = object({ id: integer, type: string, attributes: ref('Attributes') })
  const Reply = object({ data: ref('List') })
  const Asked = object({ name: string, emails: { type: 'array', items: string } })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/lists': {
          get: answers(200, object({ data: { type: 'array', items: ref('List') } })),
          post: { ...takes(Asked), ...answers(201, ref('Reply')) },
        },
        '/lists/{id}': {
          ...naming('id', integer),
          get: answers(200, ref('Reply')),
          patch: { ...takes(Asked), ...answers(200, ref('Reply')) },
        },
      },
      { List, Attributes, Reply },
    ),
  )
  const sent = { name: 'Friends', emails: ['ada@example.com'] }
  const attributesOf = (body: unknown) => ((body as Fields).data as Fields).attributes as Fields
  const made = (await send('POST /lists', sent)).body
  const { id } = (made as Fields).data as Fields
  const { created, ...given } = attributesOf((await send(`GET /lists/${id}`)).body)
  assert.deepEqual(given, sent)
  assert.equal(typeof created, 'string')
  await send(`PATCH /lists/${id}`, { name: 'Old friends' })
  assert.deepEqual(attributesOf((await send(`GET /lists/${id}`)).body), { ...sent, name: 'Old friends', created })
})

test('a value that the attributes of a record cannot hold does not refuse the request', async () => {
  const Attributes = object({
    name: string,
    mode: { ...string, enum: ['open', 'closed'] },
    due: { ...string, format: 'date' },
  })
  const Task = object({ id: integer, attributes: ref('Attributes') }, { required: ['id', 'attributes'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/tasks': {
          post: { ...takes(object({ name: string, mode: string, due: string })), ...answers(201, ref('Task')) },
        },
        '/tasks/{id}': { ...naming('id', integer), get: answers(200, ref('Task')) },
      },
      { Task, Attributes },
    ),
  )
  const made = await send('POST /tasks', { name: 'Paint', mode: 'ajar', due: 'soon' })
  assert.equal(made.status, 201)
  const { id } = made.body as Fields
  const read = (await send(`GET /tasks/${id}`)).body as Fields
  assert.equal((read.attributes as Fields).name, 'Paint')
})

test('a create beside a single record begins a record anew', async () => {
  const Account = object(
    { name: string, bio: { ...string, nullable: true }, token: string },
    { required: ['name', 'bio', 'token'] },
  )
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/accounts': { post: { ...takes(object({ name: string })), ...answers(201, ref('Account')) } },
        '/account': {
          get: answers(200, ref('Account')),
          put: { ...takes(object({ bio: string })), ...answers(200, ref('Account')) },
        },
      },
      { Account },
    ),
  )
  const made: Fields[] = []
  for (const name of ['ada', 'bo']) {
    const { status, headers, body } = await send('POST /accounts', { name })
    assert.deepEqual([status, headers.location], [201, undefined])
    made.push(body as Fields)
    await send('PUT /account', { bio: `About ${name}.` })
  }
  assert.deepEqual(
    made.map(({ name, bio }) => [name, bio]),
    [
      ['ada', null],
      ['bo', null],
    ],
  )
  assert.notEqual(made[0]?.token, made[1]?.token)
  assert.equal(((await send('GET /account')).body as Fields).bio, 'About bo.')
})

for (const [what, notFound, creates, status] of [
  ['is a 404 where that is documented', true, false, 404],
  ['is answered where no 404 is documented', false, false, 200],
  ['is answered where a create elsewhere may give it', true, true, 200],
] as const) {
  test(`an unknown name of items without a collection ${what}`, async () => {
    const Profile = object({ handle: string, bio: string, following: { type: 'boolean' } }, { required: ['handle'] })
    const shown = answers(200, object({ profile: ref('Profile') }))
    const documented = notFound ? { responses: { ...shown.responses, 404: { description: 'none' } } } : shown
    const profile = '/profiles/{handle}'
    const { gateway, send } = await inferredInProcess(
      documentOf(
        {
          [profile]: { ...naming('handle'), get: documented },
          [`${profile}/follow`]: { ...naming('handle'), post: documented },
          ...(creates
            ? {
                '/users': {
                  post: { ...takes(object({ handle: string, password: string })), ...answers(201, ref('User')) },
                },
              }
            : {}),
          '/user': {
            get: answers(200, ref('User')),
            put: { ...takes(object({ bio: string })), ...answers(200, ref('User')) },
          },
        },
        { Profile, User: object({ handle: string, bio: string, token: string }) },
      ),
    )
    assert.equal((await send('GET /profiles/ghost')).status, status)
    assert.equal((await send('POST /profiles/ghost/follow')).status, status)
    if (status === 200) return
    const [seed] = gateway.plan.simulation.resources.get('profiles')?.seeds ?? []
    assert.equal((await send(`GET /profiles/${seed?.handle}`)).status, 200)
  })
}

test('a new record has the optional times of its beginning, and none of later events', async () => {
  const time = { ...string, format: 'date-time' }
  const Permit = object({ id: integer, holder: string, issued_at: time, revoked_at: time }, { required: ['id'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/permits': { post: { ...takes(object({ holder: string })), ...answers(201, ref('Permit')) } },
        '/permits/{id}': { ...naming('id', integer), get: answers(200, ref('Permit')) },
      },
      { Permit },
    ),
  )
  const made = (await send('POST /permits', { holder: 'Ada' })).body as Fields
  assert.deepEqual(Object.keys(made), ['id', 'holder', 'issued_at'])
})
