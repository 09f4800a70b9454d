// Inferred state of a collection that has several paths: what one of them creates, the others show.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveInferred } from './serve-inferred.ts'

const answers = (schema: string, status = 200) =>
  `responses: { '${status}': { description: ok, content: { application/json: { schema: ${schema} } } }, '404': { description: none } }`
const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`
const takes = (fields: string) =>
  `requestBody: { required: true, content: { application/json: { schema: { type: object, required: [${fields}], properties: { ${fields}: { type: string } } } } } }`
const inPath = (...names: string[]) =>
  `parameters: [${names.map(name => `{ name: ${name}, in: path, required: true, schema: { type: string } }`).join(', ')}]`

const DOCUMENT = `
openapi: 3.0.3
info: { title: Forge, version: '1' }
paths:
  /user/repos:
    get: { operationId: listMyRepos, ${answers(`{ type: array, items: ${ref('Repo')} }`)} }
    post: { operationId: createRepo, ${takes('name')}, ${answers(ref('Repo'), 201)} }
  /orgs/{org}/repos:
    ${inPath('org')}
    get: { operationId: listOrgRepos, ${answers(`{ type: array, items: ${ref('Repo')} }`)} }
    post: { operationId: createOrgRepo, ${takes('name')}, ${answers(ref('Repo'), 201)} }
  /repos/{owner}/{repo}:
    ${inPath('owner', 'repo')}
    get: { operationId: getRepo, ${answers(ref('Repo'))} }
    patch: { operationId: editRepo, ${takes('description')}, ${answers(ref('Repo'))} }
    delete: { operationId: deleteRepo, responses: { '204': { description: deleted } } }
  /repos/{owner}/{repo}/issues:
    ${inPath('owner', 'repo')}
    get: { operationId: listIssues, ${answers(`{ type: array, items: ${ref('Issue')} }`)} }
    post: { operationId: createIssue, ${takes('title')}, ${answers(ref('Issue'), 201)} }
  /repos/{owner}/{repo}/issues/{number}:
    ${inPath('owner', 'repo', 'number')}
    get: { operationId: getIssue, ${answers(ref('Issue'))} }
  /repos/{owner}/{repo}/issues/{number}/notes:
    ${inPath('owner', 'repo', 'number')}
    get: { operationId: listNotes, ${answers(`{ type: array, items: ${ref('Note')} }`)} }
    post: { operationId: createNote, ${takes('text')}, ${answers(ref('Note'), 201)} }
  /admin/teams:
    post: { operationId: createTeam, ${takes('name')}, ${answers(ref('Team'), 201)} }
  /teams:
    get: { operationId: listTeams, ${answers(`{ type: array, items: ${ref('Team')} }`)} }
  /teams/{name}:
    ${inPath('name')}
    get: { operationId: getTeam, ${answers(ref('Team'))} }
  /posts:
    get: { operationId: listPosts, ${answers(`{ type: array, items: ${ref('Post')} }`)} }
    post: { operationId: createPost, ${takes('title')}, ${answers(ref('Post'), 201)} }
  /posts/{slug}:
    ${inPath('slug')}
    get: { operationId: getPost, ${answers(ref('Post'))} }
components:
  schemas:
    Post: { type: object, required: [slug, title], properties: { slug: { type: string, maxLength: 20 }, title: { type: string } } }
    Repo: { type: object, properties: { id: { type: integer }, name: { type: string }, description: { type: string }, owner: { type: object, properties: { login: { type: string } } } } }
    Issue: { type: object, required: [number, title], properties: { number: { type: integer }, title: { type: string } } }
    Note: { type: object, required: [id, text], properties: { id: { type: integer }, text: { type: string } } }
    Team: { type: object, required: [name], properties: { name: { type: string }, size: { type: integer } } }
`

interface Named {
  readonly name: string
}

/** Serves the document. Returns functions for the statuses, the record and the listed names of replies. */
async function forge() {
  const send = await serveInferred(DOCUMENT)
  return {
    status: async (line: string, body?: unknown) => (await send(line, body)).status,
    record: async (line: string, body?: unknown) => (await send(line, body)).body as Named & Record<string, unknown>,
    names: async (line: string) => ((await send(line)).body as readonly Named[]).map(({ name }) => name),
  }
}

test('a record that the path of the caller creates is read, changed, deleted and listed by the others', async () => {
  const { status, record, names } = await forge()
  assert.equal((await record('POST /user/repos', { name: 'food' })).name, 'food')
  assert.equal((await record('GET /repos/ada/food')).name, 'food')
  assert.equal(await status('GET /repos/ada/none'), 404)
  assert.equal((await record('PATCH /repos/ada/food', { description: 'Eat' })).description, 'Eat')
  assert.ok((await names('GET /user/repos')).includes('food'))
  assert.ok((await names('GET /orgs/acme/repos')).includes('food'))
  assert.equal(await status('DELETE /repos/ada/food'), 204)
  assert.equal(await status('GET /repos/ada/food'), 404)
  assert.ok(!(await names('GET /user/repos')).includes('food'))
})

test('the key that a create at another path gives stays', async () => {
  const { status, record, names } = await forge()
  assert.equal((await record('POST /admin/teams', { name: 'red' })).name, 'red')
  assert.equal((await record('GET /teams/red')).name, 'red')
  assert.ok((await names('GET /teams')).includes('red'))
  assert.equal(await status('GET /teams/blue'), 404)
})

test('the children of a parent that several parameters name are its own', async () => {
  const send = await serveInferred(DOCUMENT)
  const rows = async (line: string) => (await send(line)).body as readonly Record<string, unknown>[]
  const [seeded] = await rows('GET /user/repos')
  assert.equal((await rows(`GET /repos/ada/${encodeURIComponent(String(seeded?.name))}/issues`)).length, 1)
  assert.equal((await send('GET /repos/ada/food/issues')).status, 404)
  assert.equal((await send('POST /user/repos', { name: 'food' })).status, 201)
  assert.deepEqual(await rows('GET /repos/ada/food/issues'), [])
  const issue = (await send('POST /repos/ada/food/issues', { title: 'Too salty' })).body as { number: number }
  assert.deepEqual(await rows('GET /repos/ada/food/issues'), [issue])
  const notes = `/repos/ada/food/issues/${issue.number}/notes`
  assert.deepEqual(await rows(`GET ${notes}`), [])
  assert.equal((await send(`POST ${notes}`, { text: 'yes' })).status, 201)
  assert.equal((await rows(`GET ${notes}`)).length, 1)
  assert.equal((await send('DELETE /repos/ada/food')).status, 204)
  assert.equal((await send('GET /repos/ada/food/issues')).status, 404)
  assert.equal((await send('GET /repos/ada/food/issues/1')).status, 404)
})
