import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

const operation = (id: string, security: string) =>
  `    /${id}: { get: { operationId: ${id}, security: ${security}, responses: { 200: { description: Fine } } } }`

const { clock, send } = inProcess({
  'gateway.yaml': `
contract:
  openapi: 3.1.0
  info: { title: 'A "quoted" title', version: "1" }
  components:
    securitySchemes:
      bearer: { type: http, scheme: Bearer }
      basic: { type: http, scheme: basic }
      header: { type: apiKey, in: header, name: X-Key }
      query: { type: apiKey, in: query, name: key }
      cookie: { type: apiKey, in: cookie, name: session }
  paths:
${operation('bearer', '[{ bearer: [] }]')}
${operation('basic', '[{ basic: [] }]')}
${operation('header', '[{ header: [] }]')}
${operation('query', '[{ query: [] }]')}
${operation('cookie', '[{ cookie: [] }]')}
${operation('either', '[{ bearer: [] }, { header: [] }]')}
${operation('both', '[{ bearer: [], header: [] }]')}
${operation('anybody', '[{}, { bearer: [] }]')}
${operation('public', '[]')}
consumers:
  ann: { bearer: ann-b, basic: "ann:päss:word", header: ann-h, query: "ann q/+", cookie: ann-c }
  bob: { bearer: bob-b, header: bob-h, expires: 2026-07-01 }
defaults: { validate: null }
operations:
${['bearer', 'basic', 'header', 'query', 'cookie', 'either', 'both', 'anybody', 'public'].map(id => `  ${id}: { respond: { status: 200 } }`).join('\n')}
`,
})

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

for (const [line, headers, status] of [
  ['GET /bearer', { authorization: 'Bearer ann-b' }, 200],
  ['GET /bearer', { authorization: 'bEaReR   ann-b ' }, 200],
  ['GET /bearer', { authorization: 'Bearer ann-h' }, 401],
  ['GET /bearer', { authorization: 'Bearer ANN-B' }, 401],
  ['GET /bearer', { authorization: 'Bearer __proto__' }, 401],
  ['GET /bearer', { authorization: 'Bearer constructor' }, 401],
  ['GET /bearer', { authorization: 'Bearer' }, 401],
  ['GET /bearer', { 'x-key': 'ann-h' }, 401],
  ['GET /basic', { authorization: basic('ann:päss:word') }, 200],
  ['GET /basic', { authorization: basic('ann:päss:word').replace('Basic', 'BASIC') }, 200],
  ['GET /basic', { authorization: basic('ann:') }, 401],
  ['GET /basic', { authorization: 'Basic !!!' }, 401],
  ['GET /header', { 'x-key': 'ann-h' }, 200],
  ['GET /header', { 'x-key': 'ann-b' }, 401],
  ['GET /header', { 'x-key': '' }, 401],
  ['GET /query?key=ann%20q%2F%2B', {}, 200],
  ['GET /query?key=ann+q/%2B', {}, 200],
  ['GET /query?key=', {}, 401],
  ['GET /query?key=%zz', {}, 401],
  ['GET /query?Key=ann%20q%2F%2B', {}, 401],
  ['GET /cookie', { cookie: 'a=b; session=ann-c; c=d' }, 200],
  ['GET /cookie', { cookie: 'xsession=ann-c' }, 401],
  ['GET /either', { authorization: 'Bearer ann-b' }, 200],
  ['GET /either', { 'x-key': 'ann-h' }, 200],
  ['GET /either', { authorization: 'Bearer nobody', 'x-key': 'ann-h' }, 200],
  ['GET /either', {}, 401],
  ['GET /both', { authorization: 'Bearer ann-b', 'x-key': 'ann-h' }, 200],
  ['GET /both', { authorization: 'Bearer ann-b' }, 401],
  ['GET /both', { authorization: 'Bearer ann-b', 'x-key': 'bob-h' }, 401],
  ['GET /anybody', {}, 200],
  ['GET /public', { authorization: 'Bearer nobody' }, 200],
] as const) {
  test(`${line} with ${JSON.stringify(headers)} answers ${status}`, async () => {
    assert.equal((await send(line, undefined, headers)).status, status)
  })
}

for (const [line, headers, challenge] of [
  ['GET /bearer', {}, 'Bearer realm="A \\"quoted\\" title"'],
  ['GET /bearer', { authorization: 'Bearer x' }, 'Bearer realm="A \\"quoted\\" title", error="invalid_token"'],
  ['GET /basic', {}, 'Basic realm="A \\"quoted\\" title", charset="UTF-8"'],
  ['GET /header', {}, 'ApiKey realm="A \\"quoted\\" title", in="header", name="x-key"'],
  ['GET /query', {}, 'ApiKey realm="A \\"quoted\\" title", in="query", name="key"'],
  ['GET /cookie', {}, 'ApiKey realm="A \\"quoted\\" title", in="cookie", name="session"'],
  [
    'GET /either',
    {},
    'Bearer realm="A \\"quoted\\" title", ApiKey realm="A \\"quoted\\" title", in="header", name="x-key"',
  ],
] as const) {
  test(`${line} with ${JSON.stringify(headers)} has the WWW-Authenticate ${challenge}`, async () => {
    assert.equal((await send(line, undefined, headers)).headers['www-authenticate'], challenge)
  })
}

test('a credential expires on its date, by the clock of the world', async () => {
  const headers = { authorization: 'Bearer bob-b' }
  clock.time = Date.parse('2026-06-30T23:59:59.999Z')
  assert.equal((await send('GET /bearer', undefined, headers)).status, 200)
  clock.time = Date.parse('2026-07-01T00:00:00Z')
  const { status, body } = await send('GET /bearer', undefined, headers)
  assert.equal(status, 401)
  assert.match((body as { detail: string }).detail, /expired/)
})
