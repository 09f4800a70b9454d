import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess } from '../../support/in-process.ts'
import {
  answers,
  documentOf,
  integer,
  naming,
  object,
  ref,
  several,
  string,
  takes,
} from '../../support/small-document.ts'

type Fields = Readonly<Record<string, unknown>>

test('records of which no reply says anything are named by the required field in the parameter', async () => {
  const Deployment = object({ name: string, size: string }, { required: ['name'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/deployments': { get: answers(200), post: { ...takes(ref('Deployment')), ...answers(200) } },
        '/deployments/{deploymentName}': { ...naming('deploymentName'), get: answers(200), delete: answers(200) },
      },
      { Deployment },
    ),
  )
  assert.equal((await send('POST /deployments', { name: 'blue' })).status, 200)
  assert.equal((await send('GET /deployments/blue')).status, 200)
  assert.equal((await send('DELETE /deployments/blue')).status, 200)
  assert.equal((await send('GET /deployments/blue')).status, 404)
})

test('the last word of a parameter names the field of the id', async () => {
  const Role = object({ _id: string, key: string, name: string }, { required: ['_id', 'key', 'name'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/roles': {
          post: {
            ...takes(object({ key: string, name: string }, { required: ['key'] })),
            ...answers(201, ref('Role')),
          },
        },
        '/roles/{customRoleKey}': { ...naming('customRoleKey'), get: answers(200, ref('Role')) },
      },
      { Role },
    ),
  )
  assert.equal((await send('POST /roles', { key: 'auditor', name: 'Auditor' })).status, 201)
  assert.equal(((await send('GET /roles/auditor')).body as Fields).name, 'Auditor')
})

test('an object beside an id does not wrap the record', async () => {
  const Tag = object(
    { sha: string, tag: string, object: object({ sha: string, type: string }, { required: ['sha', 'type'] }) },
    { required: ['sha', 'tag', 'object'] },
  )
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/tags': {
          post: {
            ...takes(object({ tag: string, object: string }, { required: ['tag'] })),
            ...answers(201, ref('Tag')),
          },
        },
        '/tags/{tag_sha}': { ...naming('tag_sha'), get: answers(200, ref('Tag')) },
      },
      { Tag },
    ),
  )
  const { sha } = (await send('POST /tags', { tag: 'v1' })).body as Fields
  assert.equal(((await send(`GET /tags/${sha}`)).body as Fields).tag, 'v1')
})

test('a path that only tells whether something exists has no records', async () => {
  const Issue = object({ id: string, title: string }, { required: ['id'] })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/issues/{id}/assignees': {
          ...naming('id'),
          post: { ...takes(object({ names: { type: 'array', items: string } })), ...answers(201, ref('Issue')) },
        },
        '/issues/{id}/assignees/{name}': {
          parameters: [...naming('id').parameters, ...naming('name').parameters],
          get: answers(204),
        },
      },
      { Issue },
    ),
  )
  assert.equal((await send('POST /issues/a/assignees', { names: ['ada'] })).status, 201)
  assert.equal((await send('GET /issues/a/assignees/ada')).status, 204)
})

test('a path that lists the records of an owner is not the path of a record', async () => {
  const Repository = object({ slug: string, full_name: string, private: { type: 'boolean' } }, { required: ['slug'] })
  const Page = object({ values: { type: 'array', items: ref('Repository') }, size: { type: 'integer' } })
  const item = [...naming('workspace').parameters, ...naming('slug').parameters]
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/repositories': { get: answers(200, ref('Page')) },
        '/repositories/{workspace}': { ...naming('workspace'), get: answers(200, ref('Page')) },
        '/repositories/{workspace}/{slug}': {
          parameters: item,
          get: answers(200, ref('Repository')),
          put: { ...takes(ref('Repository')), ...answers(200, ref('Repository')) },
          post: { ...takes(object({ private: { type: 'boolean' } })), ...answers(200, ref('Repository')) },
          delete: answers(204),
        },
      },
      { Page, Repository },
    ),
  )
  assert.equal((await send('POST /repositories/ada/engine', { private: true })).status, 200)
  assert.equal(((await send('GET /repositories/ada/engine')).body as Fields).private, true)
  const slugs = async (path: string) => ((await send(path)).body as { values: Fields[] }).values.map(({ slug }) => slug)
  assert.ok((await slugs('GET /repositories/ada')).includes('engine'))
  assert.ok((await slugs('GET /repositories')).includes('engine'))
  assert.ok(!(await slugs('GET /repositories/grace')).includes('engine'))
  assert.equal((await send('DELETE /repositories/ada/engine')).status, 204)
  assert.equal((await send('GET /repositories/ada/engine')).status, 404)
})

for (const [why, parameter, item] of [
  ['it can be deleted', 'serviceId', { delete: answers(204) }],
  ['its parameter is the id of the collection', 'storageId', {}],
] as const) {
  test(`an item that is answered like a page of its list is the path of a record if ${why}`, async () => {
    const Provider = object({ [parameter]: { ...string, readOnly: true }, url: string })
    const Page = object({ providers: { type: 'array', items: ref('Provider') } })
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/storage': {
            get: answers(200, ref('Page')),
            post: { ...takes(ref('Provider')), ...answers(201, ref('Page')) },
          },
          [`/storage/{${parameter}}`]: { ...naming(parameter), get: answers(200, ref('Page')), ...item },
        },
        { Page, Provider },
      ),
    )
    const made = (await send('POST /storage', { url: 'here' })).body as { providers: Fields[] }
    const path = `/storage/${made.providers[0]?.[parameter]}`
    assert.equal(made.providers[0]?.url, 'here')
    assert.deepEqual((await send(`GET ${path}`)).body, made)
    if (!('delete' in item)) return
    assert.equal((await send(`DELETE ${path}`)).status, 204)
    assert.equal((await send(`GET ${path}`)).status, 404)
  })
}

test('a collection may be at the root of an API', async () => {
  const App = object({ app_id: { ...string, readOnly: true }, name: string })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/': {
          get: answers(200, object({ apps: { type: 'array', items: ref('App') } })),
          post: { ...takes(ref('App')), ...answers(201, ref('App')) },
        },
        '/{app_id}': { ...naming('app_id'), get: answers(200, ref('App')), delete: answers(204) },
      },
      { App },
    ),
  )
  const made = (await send('POST /', { name: 'One' })).body as Fields
  assert.deepEqual((await send(`GET /${made.app_id}`)).body, made)
  const { apps } = (await send('GET /')).body as { apps: Fields[] }
  assert.ok(apps.some(one => one.app_id === made.app_id))
  assert.equal((await send(`DELETE /${made.app_id}`)).status, 204)
  assert.equal((await send(`GET /${made.app_id}`)).status, 404)
})

test('a collection below its owner alone is called as the parameter of its items', async () => {
  const Card = object({ id: string, title: string }, { required: ['id', 'title'] })
  const own = naming('appId').parameters
  const { send } = await inferredInProcess(
    documentOf({
      '/{appId}': {
        parameters: own,
        get: answers(200, several(Card)),
        post: { ...takes(object({ title: string })), ...answers(201, Card) },
      },
      '/{appId}/{cardId}': { parameters: [...own, ...naming('cardId').parameters], get: answers(200, Card) },
    }),
  )
  const made = (await send('POST /1', { title: 'Boats' })).body as Fields
  assert.deepEqual((await send(`GET /1/${made.id}`)).body, made)
  assert.equal((await send(`GET /2/${made.id}`)).status, 404)
})

test('a record at the path of its collection does not list its parts', async () => {
  const Report = object({
    report_number: integer,
    file: string,
    result: object({ colors: several(object({ hex: string })) }),
  })
  const { send } = await inferredInProcess(
    documentOf(
      {
        '/reports': {
          get: answers(200, ref('Report')),
          post: { ...takes(object({ file: string })), ...answers(201, ref('Report')) },
        },
        '/reports/{report_number}': { ...naming('report_number'), get: answers(200, ref('Report')) },
      },
      { Report },
    ),
  )
  const { report_number: number } = (await send('POST /reports', { file: 'a.png' })).body as Fields
  assert.equal(((await send(`GET /reports/${number}`)).body as Fields).file, 'a.png')
})
