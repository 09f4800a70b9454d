import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auth, CONTRACT, info, reply, request, shop, url } from '../infer/collections.ts'
import { importOf, lost } from './imports.ts'

const withAuth = (type: string, settings: Record<string, string>) => ({
  type,
  [type]: Object.entries(settings).map(([key, value]) => ({ key, value })),
})

test('variables of an environment and folders with credentials are filled in', async () => {
  const environment = {
    name: 'staging',
    _postman_variable_scope: 'environment',
    values: [
      { key: 'baseUrl', value: 'https://{{host}}/api', enabled: true },
      { key: 'host', value: 'staging.example.com', enabled: true },
      { key: 'plan', value: 'free', enabled: true },
      { key: 'plan', value: 'paid', enabled: false },
    ],
  }
  const key = [
    { key: 'key', value: 'X-Api-Key' },
    { key: 'value', value: '{{apiKey}}' },
  ]
  const collection = {
    info,
    item: [
      {
        name: 'Plans',
        auth: { type: 'apikey', apikey: key },
        item: [{ name: 'Plan', request: 'plain', response: [] }],
      },
      {
        name: 'Plans',
        auth: { type: 'apikey', apikey: key },
        item: [{ name: 'Show', request: { url: '{{baseUrl}}/plans/{{plan}}?lang={{lang}}' }, response: [] }],
      },
      { name: 'Signed', request: { url: 'https://x.example.com/signed', auth: { type: 'awsv4' } } },
    ],
  }
  const imported = await importOf({ 'pm/a.json': collection, 'pm/b.json': environment }, 'pm')
  assert.deepEqual(
    lost(imported).map(text => text.replace(/^\d+:\d+ /, '')),
    ['credentials of the kind "awsv4" are not asked for'],
  )
  assert.match(await imported.send('GET /api/plans/free'), /^401/)
  assert.match(await imported.send('GET /api/plans/free', undefined, { 'x-api-key': 'any' }), /^200/)
  assert.match(await imported.send('GET /signed'), /^200/)
})

test('credentials become consumers whose keys are environment variables', async () => {
  const read = request('GET', url('reports'))
  const item = (name: string, more: object, own = {}) => ({
    name,
    request: { ...read, url: url(name), ...more },
    ...own,
  })
  const collection = {
    info,
    auth: withAuth('bearer', { token: '{{token}}' }),
    item: [
      item('mine', {}),
      { name: 'Admins', auth: withAuth('bearer', { token: '{{adminToken}}' }), item: [item('audit', {})] },
      item('basic', { auth: withAuth('basic', { username: 'ann', password: 'open-sesame' }) }),
      item('key', { auth: withAuth('apikey', { key: 'X-Api-Key', value: 'key-of-ann' }) }),
      item('sent', { auth: { type: 'noauth' }, header: [{ key: 'X-Auth-Token', value: 'abc-of-ann' }] }),
      item('open', { auth: { type: 'noauth' } }),
      item(
        'either',
        {},
        { response: [reply('Open', 200, { a: 1 }, { ...read, url: url('either'), auth: { type: 'noauth' } })] },
      ),
      item('signed', { auth: { type: 'hawk' } }),
    ],
  }
  const imported = await importOf({ 'shop.json': collection })
  const { result, send } = imported
  const column = JSON.stringify(collection).indexOf('{"type":"hawk"') + 1
  assert.deepEqual(lost(imported), [`1:${column} credentials of the kind "hawk" are not asked for`])
  const gateway = String(result?.files.get('gateway.yaml'))
  for (const part of [
    'bearer: "${TOKEN}"',
    'basic: "${BASIC_USERNAME}:${BASIC_PASSWORD}"',
    'client-2: { bearer: "${ADMIN_TOKEN}" }',
  ])
    assert.ok(gateway.includes(part), gateway)
  assert.doesNotMatch([...(result?.files.values() ?? [])].join('\n'), /of-ann|open-sesame/)
  assert.deepEqual(result?.variables, [
    ...['TOKEN', 'ADMIN_TOKEN', 'BASIC_USERNAME', 'BASIC_PASSWORD', 'X_API_KEY', 'X_AUTH_TOKEN'],
  ])
  const passed = {
    'mine any': { authorization: 'Bearer any' },
    'audit of-admin': { authorization: 'Bearer of-admin' },
    'basic any': { authorization: `Basic ${btoa('ann:any')}` },
    'key any': { 'x-api-key': '12345' },
    'sent any': { 'x-auth-token': 'any' },
    'either any': { authorization: 'Bearer any' },
  }
  for (const [what, headers] of Object.entries(passed)) {
    const [path = ''] = what.split(' ')
    assert.match(await send(`GET /${path}`, undefined, headers), /^200/, what)
    assert.match(await send(`GET /${path}`), path === 'either' ? /^200/ : /^401/, what)
  }
  assert.match(await send('GET /mine', undefined, { authorization: 'Bearer other' }), /^401/)
  for (const path of ['open', 'signed']) assert.match(await send(`GET /${path}`), /^200/)
})

test('a contract that is there gives the security schemes their names', async () => {
  const scheme = 'components:\n  securitySchemes: { login: { type: http, scheme: bearer } }\n'
  const files = {
    'shop.json': shop,
    'api.yaml': CONTRACT.replace('components:\n', `security: [{ login: [] }]\n${scheme}`),
  }
  const { result, send } = await importOf(files, 'shop.json', { contract: 'api.yaml' })
  assert.match(String(result?.files.get('gateway.yaml')), /client: \{ login: "\$\{TOKEN\}" \}/)
  assert.match(await send('GET /v1/users/2', undefined, auth), /^200/)
  assert.match(await send('GET /v1/users/2'), /^401/)
})

test('credentials in bodies and parameters are not written', async () => {
  const fields = { user: 'ann', password: 'open-sesame' }
  const login = request('POST', url('login', { api_key: 'key-of-ann' }), fields)
  const item = {
    name: 'Log in',
    request: login,
    response: [reply('In', 200, { token: 'eyJ.ann', user: 'ann' }, login)],
  }
  const { result } = await importOf({ 'shop.json': { ...shop, item: [item] } })
  const written = [...(result?.files.values() ?? [])].join('\n')
  assert.doesNotMatch(written, /open-sesame|key-of-ann|eyJ\.ann/)
  assert.match(written, /user: ann/)
  assert.equal(result?.tried.equal, 1)
})
