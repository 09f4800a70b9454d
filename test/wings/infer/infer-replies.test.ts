// Inferred state for contracts whose replies show records in several ways.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess } from '../../support/in-process.ts'
import { answers, documentOf, integer, naming, object, ref, string, takes } from '../../support/small-document.ts'

type Fields = Readonly<Record<string, unknown>>

test('a create that answers with the id only stores every sent field', async () => {
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/employees': {
          get: answers(200, object({ items: { type: 'array', items: ref('Employee') } })),
          post: {
            ...takes(ref('Employee')),
            ...answers(201, object({ number: integer }, { additionalProperties: false })),
          },
        },
        '/employees/{number}': { ...naming('number', integer), get: answers(200, ref('Employee')) },
      },
      { Employee: object({ number: integer, name: string, phone: string }, { additionalProperties: false }) },
    ),
  )
  const { status, body } = await send('POST /employees', { name: 'Ada', phone: '12' })
  const { number } = body as { number: number }
  assert.equal(status, 201)
  assert.deepEqual(body, { number })
  assert.deepEqual((await send(`GET /employees/${number}`)).body, { number, name: 'Ada', phone: '12' })
})

test('a list of summaries leaves out undeclared fields, and generates required ones, the same each time', async () => {
  const summary = object({ id: string, name: string, url: string }, { required: ['url'], additionalProperties: false })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/projects': {
          get: answers(200, { type: 'array', items: summary }),
          post: { ...takes(ref('Project')), ...answers(201, ref('Project')) },
        },
        '/projects/{id}': { ...naming('id'), get: answers(200, ref('Project')) },
      },
      { Project: object({ id: { ...string, readOnly: true }, name: string, text: string }) },
    ),
  )
  const { id } = (await send('POST /projects', { name: 'One', text: 'Long' })).body as { id: string }
  const listed = async () => ((await send('GET /projects')).body as Fields[]).find(one => one.id === id)
  const one = await listed()
  assert.deepEqual(Object.keys(one ?? {}).sort(), ['id', 'name', 'url'])
  assert.deepEqual(await listed(), one)
  assert.deepEqual((await send(`GET /projects/${id}`)).body, { id, name: 'One', text: 'Long' })
})

test('a request with a slug of a region creates a record with the whole region', async () => {
  const region = object({ slug: string, name: string }, { required: ['slug', 'name'] })
  const common = object({ region: string, size: string }, { required: ['size'] })
  const single = { allOf: [object({ name: string }, { required: ['name'] }), common] }
  const several = { allOf: [object({ names: { type: 'array', items: string } }, { required: ['names'] }), common] }
  const links = object({ actions: { type: 'array', items: string } })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/droplets': {
          get: answers(200, object({ droplets: { type: 'array', items: ref('Droplet') } })),
          post: {
            ...takes({ oneOf: [single, several] }),
            ...answers(202, {
              oneOf: [
                object({ droplet: ref('Droplet'), links }, { required: ['droplet', 'links'] }),
                object(
                  { droplets: { type: 'array', items: ref('Droplet') }, links },
                  { required: ['droplets', 'links'] },
                ),
              ],
            }),
          },
        },
        '/droplets/{id}': { ...naming('id', integer), get: answers(200, object({ droplet: ref('Droplet') })) },
      },
      {
        Droplet: object({ id: integer, name: string, size: string, region }, { required: ['id', 'name', 'region'] }),
      },
    ),
  )
  const { status, body } = await send('POST /droplets', { name: 'web', size: 's-1', region: 'nyc3' })
  assert.equal(status, 202)
  const { droplet } = body as { droplet: { id: number; region: Fields } }
  assert.equal(droplet.region.slug, 'nyc3')
  assert.deepEqual((await send(`GET /droplets/${droplet.id}`)).body, { droplet })
})

test('a page can have the numbers of its neighbours', async () => {
  const nullable = { ...integer, nullable: true }
  const pagination = object(
    { page: integer, next_page: nullable, previous_page: nullable },
    { required: ['next_page'] },
  )
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/servers': {
          get: {
            parameters: ['page', 'per_page'].map(name => ({ in: 'query', name, schema: { ...integer, minimum: 1 } })),
            ...answers(200, object({ servers: { type: 'array', items: ref('Server') }, meta: object({ pagination }) })),
          },
        },
        '/servers/{id}': { ...naming('id', integer), get: answers(200, ref('Server')) },
      },
      { Server: object({ id: integer, name: string }, { required: ['id', 'name'] }) },
    ),
  )
  const page = async (number: number) =>
    ((await send(`GET /servers?page=${number}&per_page=2`)).body as { meta: { pagination: Fields } }).meta.pagination
  assert.deepEqual(await page(1), { page: 1, next_page: 2, previous_page: null })
  assert.deepEqual(await page(3), { page: 3, next_page: null, previous_page: 2 })
})

test('an update ignores the id in its body if the server assigns ids', async () => {
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/apps': {
          get: answers(200, { type: 'array', items: ref('App') }),
          post: { ...takes(object({ name: string })), ...answers(201, ref('App')) },
        },
        '/apps/{id}': {
          ...naming('id'),
          get: answers(200, ref('App')),
          patch: { ...takes(ref('App')), ...answers(200, ref('App')) },
        },
      },
      { App: object({ id: string, name: string }, { required: ['id'] }) },
    ),
  )
  const { id } = (await send('POST /apps', { name: 'One' })).body as { id: string }
  const { status, body } = await send(`PATCH /apps/${id}`, { id: 'other', name: 'Two' })
  assert.deepEqual([status, body], [200, { id, name: 'Two' }])
})

test('a form whose names differ in spelling changes the fields of the record', async () => {
  const form = object({ FriendlyName: string, MaxAge: integer, Tags: { type: 'array', items: string } })
  const posts = { requestBody: { content: { 'application/x-www-form-urlencoded': { schema: form } } } }
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/Services': {
          get: {
            parameters: [{ in: 'query', name: 'FriendlyName', schema: string }],
            ...answers(200, object({ services: { type: 'array', items: ref('Service') } })),
          },
          post: { ...posts, ...answers(201, ref('Service')) },
        },
        '/Services/{Sid}': {
          ...naming('Sid'),
          get: answers(200, ref('Service')),
          post: { ...posts, ...answers(200, ref('Service')) },
        },
      },
      {
        Service: object(
          { sid: string, friendly_name: string, max_age: integer, tags: { type: 'array', items: string } },
          { required: ['sid', 'friendly_name'] },
        ),
      },
    ),
  )
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = (path: string, text: string) => send(`POST ${path}`, undefined, type, Buffer.from(text))
  const { sid, ...fields } = (await post('/Services', 'FriendlyName=One&MaxAge=5&Tags=a&Tags=b')).body as Fields
  assert.deepEqual(fields, { friendly_name: 'One', max_age: 5, tags: ['a', 'b'] })
  const changed = (await post(`/Services/${sid}`, 'FriendlyName=Two')).body
  assert.deepEqual(changed, { sid, friendly_name: 'Two', max_age: 5, tags: ['a', 'b'] })
  assert.deepEqual((await send('GET /Services?FriendlyName=Two')).body, { services: [changed] })
})

test('a collection whose replies are shown by examples alone has state', async () => {
  const shown = (status: number, example: unknown) => ({
    responses: { [status]: { description: 'ok', content: { 'application/json': { example } } } },
  })
  const article = { id: 7, title: 'Hello', tags: ['a'], author: null }
  const { send } = await inferredInProcess(
    documentOf({
      '/articles': {
        get: shown(200, [article, { ...article, id: 8, author: { name: 'Ada' } }]),
        post: { ...takes(object({ title: string }, { required: ['title'] })), ...shown(201, article) },
      },
      '/articles/{id}': {
        ...naming('id', integer),
        // An example may be the text of the body.
        get: shown(200, JSON.stringify(article)),
        delete: { responses: { 204: { description: 'gone' } } },
      },
    }),
  )
  const { status, body } = await send('POST /articles', { title: 'Mine' })
  const { id } = body as { id: number }
  assert.equal(status, 201)
  assert.equal(((await send(`GET /articles/${id}`)).body as Fields).title, 'Mine')
  assert.ok(((await send('GET /articles')).body as Fields[]).some(one => one.id === id && one.title === 'Mine'))
  assert.equal((await send(`DELETE /articles/${id}`)).status, 204)
  assert.equal((await send(`GET /articles/${id}`)).status, 404)
})

test('an item that is answered as a list of one is one record, if a change answers with one', async () => {
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/emails': {
          get: answers(200, { type: 'array', items: ref('Contact') }),
          post: { ...takes(object({ label: string })), ...answers(200, ref('Contact')) },
        },
        '/emails/{contactId}': {
          ...naming('contactId', integer),
          get: answers(200, { type: 'array', items: ref('Contact') }),
          delete: answers(200, ref('Contact')),
        },
      },
      { Contact: object({ id: integer, label: string }) },
    ),
  )
  const { id } = (await send('POST /emails', { label: 'Home' })).body as { id: number }
  assert.deepEqual((await send(`GET /emails/${id}`)).body, [{ id, label: 'Home' }])
  assert.deepEqual((await send(`DELETE /emails/${id}`)).body, { id, label: 'Home' })
  assert.equal((await send(`GET /emails/${id}`)).status, 404)
})
