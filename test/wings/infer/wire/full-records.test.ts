// Created records have the fields that only a server knows; what the client may send and left out stays out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveInferred } from './serve-inferred.ts'

const REPOS = `
openapi: 3.0.3
info: { title: Repositories, version: '1' }
paths:
  /repos:
    get: { operationId: listRepos, responses: { '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Repo' } } } } } } }
    post: { operationId: createRepo, requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewRepo' } } } }, responses: { '201': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Repo' } } } } } }
  /repos/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getRepo, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Repo' } } } } } }
    put: { operationId: putRepo, requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Repo' } } } }, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Repo' } } } } } }
components:
  schemas:
    NewRepo: { type: object, required: [name], properties: { name: { type: string }, description: { type: string } } }
    Repo: { type: object, required: [name], properties: { id: { type: integer }, name: { type: string }, description: { type: string }, full_name: { type: string }, owner: { type: object, properties: { login: { type: string } } }, html_url: { type: string, format: uri }, commits_url: { type: string }, stars_count: { type: integer }, open_issues: { type: integer }, empty: { type: boolean }, topics: { type: array, items: { type: string } }, deleted_at: { type: string, format: date-time }, created_at: { type: string, format: date-time } } }
`

type Repo = Readonly<Record<string, unknown>>

test('a created record is as full as the seeds, but for what the client left out', async () => {
  const send = await serveInferred(REPOS)
  const { status, body } = await send('POST /repos', { name: 'food' })
  assert.equal(status, 201)
  const { owner, full_name, html_url, commits_url, created_at, ...rest } = body as Repo
  for (const filled of [owner, full_name, html_url, commits_url]) assert.notEqual(filled, undefined)
  assert.deepEqual(rest, { id: 6, name: 'food', stars_count: 0, open_issues: 0, empty: false, topics: [] })
  assert.match(String(created_at), /^\d{4}-/)
  assert.deepEqual((await send('GET /repos/6')).body, body)
})

test('a replacement keeps the fields that no creating request has', async () => {
  const send = await serveInferred(REPOS)
  const made = (await send('POST /repos', { name: 'food', description: 'good' })).body as Repo
  const { description, ...kept } = made
  assert.equal(description, 'good')
  const path = `/repos/${made.id}`
  assert.deepEqual((await send(`PUT ${path}`, { name: 'soup' })).body, { ...kept, name: 'soup' })
  assert.deepEqual(((await send(`PUT ${path}`, { name: 'soup', stars_count: 3 })).body as Repo).stars_count, 3)
})

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const ok = (schema: object) => ({ 200: { description: 'ok', ...json(schema) } })
const at = (operations: object) => ({
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
  ...operations,
})
const takes = (field: string) => ({
  requestBody: json({ type: 'object', required: [field], properties: { [field]: { type: 'string' } } }),
})
const integer = { type: 'integer' }
const text = { type: 'string' }
const action = { responses: ok(ref('Article')) }

const ARTICLES = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Articles', version: '1' },
  paths: {
    '/articles': {
      get: { responses: ok({ type: 'array', items: ref('Article') }) },
      post: { ...takes('title'), responses: ok(ref('Article')) },
    },
    '/articles/{id}': at({
      get: { responses: ok(ref('Article')) },
      delete: { responses: { 204: { description: 'gone' } } },
    }),
    '/articles/{id}/favorite': at({ post: action, delete: action }),
    '/articles/{id}/like': at({ put: { responses: { 204: { description: 'done' } } } }),
    '/articles/{id}/unlike': at({ post: action }),
    '/articles/{id}/comments': at({
      get: { responses: ok({ type: 'array', items: ref('Comment') }) },
      post: { ...takes('body'), responses: ok(ref('Comment')) },
    }),
    '/articles/{id}/comments/{commentId}': at({
      parameters: ['id', 'commentId'].map(name => ({ name, in: 'path', required: true, schema: integer })),
      get: { responses: ok(ref('Comment')) },
      delete: { responses: { 204: { description: 'gone' } } },
    }),
  },
  components: {
    schemas: {
      Article: {
        type: 'object',
        required: ['id', 'title', 'favorited', 'favoritesCount', 'commentsCount'],
        properties: {
          ...{ id: { type: 'integer', readOnly: true }, title: text, favorited: { type: 'boolean' } },
          ...{ favoritesCount: integer, likes: integer, commentsCount: integer },
        },
      },
      Comment: {
        type: 'object',
        required: ['id', 'body'],
        properties: { id: { type: 'integer', readOnly: true }, body: text },
      },
    },
  },
})

test('children belong to their parents', async () => {
  const send = await serveInferred(ARTICLES)
  const seeded = []
  for (let id = 1; id <= 5; id++) seeded.push(((await send(`GET /articles/${id}/comments`)).body as unknown[]).length)
  assert.deepEqual(seeded, [1, 1, 1, 1, 1])
  const { id } = (await send('POST /articles', { title: 'Food' })).body as { id: number }
  assert.deepEqual((await send(`GET /articles/${id}/comments`)).body, [])
  const comment = (await send(`POST /articles/${id}/comments`, { body: 'good' })).body as { id: number }
  assert.deepEqual((await send(`GET /articles/${id}/comments`)).body, [comment])
  const path = `/articles/${id}/comments/${comment.id}`
  assert.equal((await send(`DELETE ${path}`)).status, 204)
  await send(`POST /articles/${id}/comments`, { body: 'again' })
  await send(`DELETE /articles/${id}`)
  assert.equal((await send(`GET /articles/${id}/comments`)).status, 404)
  assert.equal((await send(`GET /articles/${id}/comments/${comment.id + 1}`)).status, 404)
})
