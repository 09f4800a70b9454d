// Created records have the fields that only a server knows; what the client may send and left out stays out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'
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
  assert.deepEqual(rest, { id: 6, name: 'food', stars_count: 0, open_issues: 0, empty: false, topics: [] })
  assert.equal(full_name, `${(owner as Repo).login}/food`)
  assert.match(String(html_url), /^http:.*\/repos\/6$/)
  assert.match(String(commits_url), /^http:.*\/repos\/6\/commits$/)
  assert.match(String(created_at), /^\d{4}-/)
  assert.deepEqual((await send('GET /repos/6')).body, body)
  const again = (await send('POST /repos', { name: 'again' })).body as Repo
  assert.deepEqual(again.owner, owner)
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

test('a known consumer owns what it creates', async () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: openapi.yaml
consumers: { ada: { key: secret } }
resources: { repos: { schema: Repo, filled: [owner, full_name] } }
operations: { createRepo: { respond: { create: repos } } }
`,
    'openapi.yaml': `${REPOS}  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }\nsecurity: [{ key: [] }]\n`,
  })
  const { body } = await send('POST /repos', { name: 'food' }, { 'x-key': 'secret' })
  const { owner, full_name } = body as Repo
  assert.deepEqual([owner, full_name], [{ login: 'ada' }, 'ada/food'])
})
