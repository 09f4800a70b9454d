// Inferred state as clients of large APIs use it: new accounts, and PUTs that change a part.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess } from '../../support/in-process.ts'
import { answers, documentOf, naming, object, ref, string, takes } from '../../support/small-document.ts'

type Fields = Readonly<Record<string, unknown>>

for (const [count, status] of [
  [25, 201],
  [5, 404],
] as const) {
  test(`an account that was never listed may create something below it: ${status} with ${count} paths below`, async () => {
    const things = Array.from({ length: count }, (_, i) => [
      `/accounts/{accountId}/things${i}`,
      {
        parameters: [{ in: 'path', name: 'accountId', required: true, schema: string }],
        get: answers(200, { type: 'array', items: ref('Thing') }),
        post: { ...takes(ref('Thing')), ...answers(201, ref('Thing')) },
      },
    ])
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/accounts': {
            get: answers(200, { type: 'array', items: ref('Account') }),
            post: { ...takes(ref('Account')), ...answers(201, ref('Account')) },
          },
          '/accounts/{accountId}': { ...naming('accountId'), get: answers(200, ref('Account')) },
          ...Object.fromEntries(things),
        },
        {
          Account: object({ id: { ...string, readOnly: true }, name: string }),
          Thing: object({ id: { ...string, readOnly: true }, accountId: { ...string, readOnly: true }, name: string }),
        },
      ),
    )
    const made = await send('POST /accounts/AC4711/things0', { name: 'One' })
    assert.equal(made.status, status)
    if (status !== 201) return
    assert.equal((made.body as Fields).accountId, 'AC4711')
    const listed = (await send('GET /accounts/AC4711/things0')).body as Fields[]
    assert.ok(listed.some(one => one.id === (made.body as Fields).id))
    assert.equal((await send('GET /accounts/AC4711')).status, 404)
  })
}

for (const [what, description, required, expected] of [
  ['says that other fields remain', 'Only the fields provided are updated.', ['name'], { name: 'Two', note: 'Keep' }],
  ['requires nothing of what creating requires', '', [], { name: 'One', note: 'New' }],
  ['requires what creating requires', '', ['name'], { name: 'Two' }],
] as const) {
  test(`a PUT on the item that ${what} leaves ${JSON.stringify(expected)}`, async () => {
    const fields = { name: string, note: string }
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/tasks': { post: { ...takes(object(fields, { required: ['name'] })), ...answers(201, ref('Task')) } },
          '/tasks/{id}': {
            ...naming('id'),
            get: answers(200, ref('Task')),
            put: { description, ...takes(object(fields, { required })), ...answers(200, ref('Task')) },
          },
        },
        { Task: object({ id: { ...string, readOnly: true }, ...fields }) },
      ),
    )
    const { id } = (await send('POST /tasks', { name: 'One', note: 'Keep' })).body as { id: string }
    await send(`PUT /tasks/${id}`, required.length > 0 ? { name: 'Two' } : { note: 'New' })
    assert.deepEqual((await send(`GET /tasks/${id}`)).body, { id, ...expected })
  })
}

for (const [isCreated, status] of [
  [false, 201],
  [true, 404],
] as const) {
  const what = isCreated ? 'must exist if clients can create it' : 'is any if no client can find or create it'
  test(`an owner below an account that was never listed ${what}`, async () => {
    const Card = object({ id: { ...string, readOnly: true }, accountId: { ...string, readOnly: true }, name: string })
    const below = Array.from({ length: 25 }, (_, i) => [
      i === 0 ? '/accounts/{accountId}/cards/{cardId}/things0' : `/accounts/{accountId}/things${i}`,
      {
        parameters: [...naming('accountId').parameters, ...(i === 0 ? naming('cardId').parameters : [])],
        get: answers(200, { type: 'array', items: ref('Thing') }),
        post: { ...takes(ref('Thing')), ...answers(201, ref('Thing')) },
      },
    ])
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/accounts': { get: answers(200, { type: 'array', items: ref('Account') }) },
          '/accounts/{accountId}': { ...naming('accountId'), get: answers(200, ref('Account')) },
          '/accounts/{accountId}/cards': {
            ...naming('accountId'),
            get: answers(200, { type: 'array', items: ref('Card') }),
            ...(isCreated ? { post: { ...takes(ref('Card')), ...answers(201, ref('Card')) } } : {}),
          },
          ...Object.fromEntries(below),
        },
        {
          Account: object({ id: { ...string, readOnly: true }, name: string }),
          Card,
          Thing: object({ id: { ...string, readOnly: true }, cardId: { ...string, readOnly: true }, name: string }),
        },
      ),
    )
    assert.deepEqual((await send('GET /accounts/AC4711/cards')).body, [])
    assert.equal((await send('POST /accounts/AC4711/cards/C1/things0', { name: 'One' })).status, status)
  })
}

test('the numbers of issues count from 1 in each repository, and are listed in their order', async () => {
  const repo = { in: 'path', name: 'repo', required: true, schema: string }
  const index = { in: 'path', name: 'index', required: true, schema: { type: 'integer' } }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/repos': {
          get: answers(200, { type: 'array', items: ref('Repo') }),
          post: { ...takes(ref('Repo')), ...answers(201, ref('Repo')) },
        },
        '/repos/{repo}': { parameters: [repo], get: answers(200, ref('Repo')) },
        '/repos/{repo}/issues': {
          parameters: [repo],
          get: answers(200, { type: 'array', items: ref('Issue') }),
          post: { ...takes(object({ title: string })), ...answers(201, ref('Issue')) },
        },
        '/repos/{repo}/issues/{index}': { parameters: [repo, index], get: answers(200, ref('Issue')) },
      },
      { Repo: object({ name: string }), Issue: object({ number: { type: 'integer' }, title: string }) },
    ),
  )
  for (const name of ['food', 'drink']) {
    await send('POST /repos', { name })
    for (let number = 1; number <= 11; number++) {
      const { body } = await send(`POST /repos/${name}/issues`, { title: name })
      assert.equal((body as Fields).number, number)
    }
  }
  const { body } = await send('GET /repos/food/issues')
  assert.deepEqual(
    (body as Fields[]).map(one => one.number),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  )
  assert.deepEqual((await send('GET /repos/drink/issues/2')).body, { number: 2, title: 'drink' })
})

test('a text selects by a flag, and an action without a record sets the flag of its reply', async () => {
  const user = { in: 'path', name: 'username', required: true, schema: string }
  const profile = answers(
    200,
    object({ username: string, following: { type: 'boolean' } }, { required: ['following'] }),
  )
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/posts': {
          get: {
            parameters: [{ in: 'query', name: 'favorited', schema: string }],
            ...answers(200, { type: 'array', items: ref('Post') }),
          },
        },
        '/profiles/{username}/follow': { parameters: [user], post: profile, delete: profile },
      },
      { Post: object({ id: { type: 'integer' }, favorited: { type: 'boolean' } }, { required: ['favorited'] }) },
    ),
  )
  const all = (await send('GET /posts')).body as Fields[]
  const liked = all.filter(one => one.favorited === true)
  assert.deepEqual((await send('GET /posts?favorited=ada')).body, liked)
  assert.deepEqual((await send('POST /profiles/bob/follow')).body, { username: 'bob', following: true })
  assert.deepEqual((await send('DELETE /profiles/bob/follow')).body, { username: 'bob', following: false })
})

test('a new organisation has no repository, and each repository says its owner', async () => {
  const path = (...names: string[]) => names.map(name => ({ in: 'path', name, required: true, schema: string }))
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/orgs': {
          get: answers(200, { type: 'array', items: ref('Org') }),
          post: { ...takes(object({ login: string })), ...answers(201, ref('Org')) },
        },
        '/orgs/{org}': { parameters: path('org'), get: answers(200, ref('Org')) },
        '/orgs/{org}/repos': {
          parameters: path('org'),
          get: answers(200, { type: 'array', items: ref('Repo') }),
          post: { ...takes(object({ name: string })), ...answers(201, ref('Repo')) },
        },
        '/repos/{owner}/{repo}': { parameters: path('owner', 'repo'), get: answers(200, ref('Repo')) },
      },
      { Org: object({ login: string }), Repo: object({ name: string, owner: object({ login: string }) }) },
    ),
  )
  await send('POST /orgs', { login: 'acme' })
  assert.deepEqual((await send('GET /orgs/acme/repos')).body, [])
  const { body } = await send('POST /orgs/acme/repos', { name: 'food' })
  assert.deepEqual(body, { name: 'food', owner: { login: 'acme' } })
  const orgs = (await send('GET /orgs')).body as { login: string }[]
  const lists = await Promise.all(orgs.map(({ login }) => send(`GET /orgs/${login}/repos`)))
  const repos = lists.flatMap(one => one.body as { name: string; owner: { login: string } }[])
  assert.equal(repos.length, 6)
  for (const repo of repos) {
    assert.deepEqual((await send(`GET /repos/${repo.owner.login}/${encodeURIComponent(repo.name)}`)).body, repo)
  }
  assert.equal((await send('GET /repos/nobody/food')).status, 404)
})

test('a count of things whose plural is irregular follows them', async () => {
  const post = { in: 'path', name: 'postId', required: true, schema: string }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/posts': {
          get: answers(200, { type: 'array', items: ref('Post') }),
          post: { ...takes(object({ title: string })), ...answers(201, ref('Post')) },
        },
        '/posts/{postId}': { parameters: [post], get: answers(200, ref('Post')) },
        '/posts/{postId}/replies': {
          parameters: [post],
          get: answers(200, { type: 'array', items: ref('Reply') }),
          post: { ...takes(object({ text: string })), ...answers(201, ref('Reply')) },
        },
      },
      {
        Post: object({ id: { type: 'integer', readOnly: true }, title: string, repliesCount: { type: 'integer' } }),
        Reply: object({ id: { type: 'integer', readOnly: true }, text: string }),
      },
    ),
  )
  const { id } = (await send('POST /posts', { title: 'Hi' })).body as Fields
  await send(`POST /posts/${id}/replies`, { text: 'Hello' })
  assert.equal(((await send(`GET /posts/${id}`)).body as Fields).repliesCount, 1)
})
