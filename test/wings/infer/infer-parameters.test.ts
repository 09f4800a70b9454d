import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess } from '../../support/in-process.ts'
import { answers, documentOf, integer, naming, object, ref, string, takes } from '../../support/small-document.ts'

type Fields = Readonly<Record<string, unknown>>

test('a parameter named filter with a default does not search', async () => {
  const filter = { in: 'query', name: 'filter', schema: { ...string, default: 'all' } }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/notes': {
          get: { parameters: [filter], ...answers(200, { type: 'array', items: ref('Note') }) },
          post: { ...takes(object({ text: string })), ...answers(201, ref('Note')) },
        },
        '/notes/{id}': { ...naming('id'), get: answers(200, ref('Note')) },
      },
      { Note: object({ id: string, text: string }) },
    ),
  )
  const made = (await send('POST /notes', { text: 'One' })).body as Fields
  for (const line of ['GET /notes', 'GET /notes?filter=all']) {
    assert.ok(
      ((await send(line)).body as Fields[]).some(one => one.id === made.id),
      line,
    )
  }
})

test('a generated record names records that exist where a field is called as their id', async () => {
  const collection = (name: string) => ({
    [`/${name}s`]: {
      get: answers(200, { type: 'array', items: ref(name) }),
      post: { ...takes(ref(name)), ...answers(201, ref(name)) },
    },
    [`/${name}s/{id}`]: { ...naming('id', integer), get: answers(200, ref(name)) },
  })
  const { send } = await inferredInProcess(
    documentOf(
      { ...collection('order'), ...collection('pet') },
      {
        pet: object({ id: integer, name: string }, { required: ['id', 'name'] }),
        order: object({ id: integer, petId: integer, paid: integer }, { required: ['id', 'petId', 'paid'] }),
      },
    ),
  )
  for (const { petId } of (await send('GET /orders')).body as { petId: number }[]) {
    assert.equal((await send(`GET /pets/${petId}`)).status, 200)
  }
  assert.equal((await send('POST /orders', { id: 77, petId: 4711, paid: 1 })).status, 201)
})

test('a parameter selects by a state, and one of its values selects everything', async () => {
  const state = { in: 'query', name: 'state', schema: { ...string, enum: ['open', 'closed', 'all'], default: 'open' } }
  for (const own of [string, { ...string, enum: ['open', 'closed'] }]) {
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/issues': {
            get: { parameters: [state], ...answers(200, { type: 'array', items: ref('Issue') }) },
            post: { ...takes(object({ title: string })), ...answers(201, ref('Issue')) },
          },
          '/issues/{id}': {
            ...naming('id', integer),
            get: answers(200, ref('Issue')),
            patch: { ...takes(object({ state: own })), ...answers(200, ref('Issue')) },
          },
        },
        { Issue: object({ id: integer, title: string, state: own }, { required: ['id', 'state'] }) },
      ),
    )
    const shown = async (query: string) => ((await send(`GET /issues${query}`)).body as Fields[]).map(({ id }) => id)
    const { id } = (await send('POST /issues', { title: 'Leak' })).body as Fields
    assert.ok((await shown('')).includes(id))
    assert.ok(!(await shown('?state=closed')).includes(id))
    assert.equal((await send(`PATCH /issues/${id}`, { state: 'closed' })).status, 200)
    assert.ok(!(await shown('')).includes(id))
    assert.ok((await shown('?state=closed')).includes(id))
    assert.ok((await shown('?state=all')).includes(id))
  }
})

test('a path in the singular is about the one who asks, who is found by the login', async () => {
  const user = object({ id: integer, login: string, name: string }, { required: ['id', 'login', 'name'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/users': { get: answers(200, { type: 'array', items: ref('User') }) },
        '/users/{username}': { ...naming('username'), get: answers(200, ref('User')) },
        '/user': {
          get: answers(200, ref('User')),
          patch: { ...takes(object({ name: string })), ...answers(200, ref('User')) },
        },
      },
      { User: user },
    ),
  )
  assert.equal(((await send('PATCH /user', { name: 'Ada' })).body as Fields).name, 'Ada')
  const { login, name } = (await send('GET /user')).body as Fields
  assert.equal(name, 'Ada')
  assert.equal(((await send(`GET /users/${login}`)).body as Fields).name, 'Ada')
})

test('a field with other values than the path is not the owner in it', async () => {
  const Message = object(
    { id: string, text: string, type: { ...string, enum: ['regular', 'reply'] } },
    { required: ['id'] },
  )
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/channels/{type}/messages': {
          ...naming('type'),
          get: answers(200, { type: 'array', items: ref('Message') }),
          post: { ...takes(object({ text: string })), ...answers(201, ref('Message')) },
        },
        '/channels/{type}/messages/{id}': {
          parameters: [...naming('type').parameters, ...naming('id').parameters],
          get: answers(200, ref('Message')),
        },
      },
      { Message },
    ),
  )
  const { id } = (await send('POST /channels/team/messages', { text: 'Hello' })).body as Fields
  const listed = (await send('GET /channels/team/messages')).body as Fields[]
  assert.ok(listed.some(one => one.id === id))
})

test('sorts by what a parameter names and refuses nothing that its schema allows', async () => {
  const book = { Book: object({ id: integer, title: string }, { required: ['title'] }) }
  const sortedBy = async (schema: object) => {
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/books': {
            get: {
              parameters: [{ name: 'sort', in: 'query', schema }],
              ...answers(200, { type: 'array', items: ref('Book') }),
            },
            post: { ...takes(ref('Book')), ...answers(201, ref('Book')) },
          },
          '/books/{id}': { ...naming('id', integer), get: answers(200, ref('Book')) },
        },
        book,
      ),
    )
    for (const title of ['Zeno', 'Emma']) await send('POST /books', { title })
    return async (word: string) => {
      const { status, body, headers } = await send(`GET /books${word === '' ? '' : `?sort=${word}`}`)
      const titles = (body as { title: string }[]).map(({ title }) => title).filter(one => /^(?:Zeno|Emma)$/.test(one))
      return [status, titles.join(), headers['understudy-warning']]
    }
  }
  const free = await sortedBy(string)
  assert.deepEqual(await free('title'), [200, 'Emma,Zeno', undefined])
  assert.deepEqual(await free('relevance'), [200, 'Zeno,Emma', 'sort: no field of books: relevance'])
  const some = await sortedBy({ type: 'string', enum: ['title', 'relevance', 'age'], default: 'age' })
  assert.deepEqual(await some(''), [200, 'Zeno,Emma', undefined])
  assert.deepEqual(await some('title'), [200, 'Emma,Zeno', undefined])
  assert.deepEqual(await some('relevance'), [200, 'Zeno,Emma', 'sort: no field of books: relevance'])
})
