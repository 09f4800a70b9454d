// Inferred state as clients of large APIs use it: new accounts, and PUTs that change a part.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess } from '../../support/in-process.ts'
import { answers, documentOf, naming, object, ref, string, takes } from '../../support/small-document.ts'

type Fields = Readonly<Record<string, unknown>>

test('an owner must exist if the collection right above lists it', async () => {
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/accounts': { get: answers(200, { type: 'array', items: ref('Account') }) },
        '/accounts/{accountId}': { ...naming('accountId'), get: answers(200, ref('Account')) },
        '/accounts/{accountId}/things': {
          ...naming('accountId'),
          get: answers(200, { type: 'array', items: ref('Thing') }),
          post: { ...takes(ref('Thing')), ...answers(201, ref('Thing')) },
        },
      },
      {
        Account: object({ id: { ...string, readOnly: true }, name: string }),
        Thing: object({ id: { ...string, readOnly: true }, accountId: { ...string, readOnly: true }, name: string }),
      },
    ),
  )
  const [account] = (await send('GET /accounts')).body as Fields[]
  const made = await send(`POST /accounts/${account?.id}/things`, { name: 'One' })
  assert.deepEqual([made.status, (made.body as Fields).accountId], [201, account?.id])
  assert.equal((await send('POST /accounts/none/things', { name: 'One' })).status, 404)
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
