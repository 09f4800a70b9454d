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
