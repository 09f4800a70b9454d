import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startGateway } from '../../src/index.ts'
import { ask } from './ask.ts'

/** Serves documents as they are, one gateway for each test. */
async function serve(files: Readonly<Record<string, string>>): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  const gateway = await startGateway({ config: join(home, Object.keys(files)[0] as string) })
  after(() => gateway.close())
  return new URL(gateway.url).origin
}
const HEAD = 'openapi: 3.0.3\ninfo: { title: T, version: "1" }\n'
const json = (body: unknown, type = 'application/json') => ({
  method: 'POST',
  headers: { 'content-type': type },
  body: JSON.stringify(body),
})

test('an operation referenced in another file is served', async () => {
  const url = await serve({
    'openapi.yaml': `${HEAD}paths: { /x: { get: { $ref: 'getx.yaml' } } }`,
    'getx.yaml': `operationId: getx
responses: {'200': {description: ok, content: {application/json: {schema: {type: object, required: [id], properties: {id: {type: integer}}}}}}}`,
  })
  const { status, body } = await ask(`${url}/x`)
  assert.equal(status, 200)
  assert.equal(typeof (body as { id: number }).id, 'number')
})

test('two equal path templates are told apart by their parameters', async () => {
  const get = (id: string, schema: string) =>
    `{get: {operationId: by${id}, parameters: [{in: path, name: ${id}, required: true, schema: ${schema}}], responses: {'200': {description: ok, content: {application/json: {schema: {type: object, required: [${id}], properties: {${id}: ${schema}}}}}}}}}`
  const url = await serve({
    'openapi.yaml': `${HEAD}paths:
  /o/{Id}: ${get('Id', '{type: string, format: uuid}')}
  /o/{Number}: ${get('Number', '{type: string}')}`,
  })
  const id = '4b0e3b9c-7f0e-4d0b-9a1c-0d5b4f3e2a11'
  assert.deepEqual((await ask(`${url}/o/${id}`)).body, { Id: id })
  assert.deepEqual((await ask(`${url}/o/A-17`)).body, { Number: 'A-17' })
})

test('a request is validated by its exact media type', async () => {
  const url = await serve({
    'openapi.yaml': `${HEAD}paths:
  /input:
    post:
      requestBody:
        required: true
        content:
          application/json: {schema: {type: array, items: {type: object}}}
          application/json;simple: {schema: {type: object}}
      responses: {'200': {description: ok}}`,
  })
  assert.equal((await ask(`${url}/input`, json([{}]))).status, 200)
  assert.equal((await ask(`${url}/input`, json({}))).status, 400)
  assert.equal((await ask(`${url}/input`, json({}, 'application/json;simple'))).status, 200)
  assert.equal((await ask(`${url}/input`, json([{}], 'application/json;simple'))).status, 400)
})

test('an error code is chosen by the status, and a constant code is kept', async () => {
  const url = await serve({
    'openapi.yaml': `${HEAD}paths:
  /u:
    post:
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}}
      responses:
        '201': {description: ok}
        '400': {description: bad, content: {application/json: {schema: {type: object, properties: {code: {type: string, enum: [created, accepted, bad_request, unauthorized, forbidden, not_found, conflict]}, message: {type: string}}}}}}
  /err:
    get:
      parameters: [{in: query, name: age, required: true, schema: {type: number}}]
      responses:
        '200': {description: ok}
        '422': {description: bad, content: {application/json: {schema: {type: object, properties: {name: {type: string}, message: {type: string}, hint: {type: string}}}, example: {name: UNPROCESSABLE_ENTITY, message: "The age is missing", hint: "see docs"}}}}`,
  })
  const coded = await ask(`${url}/u`, json({}))
  assert.deepEqual([coded.status, coded.body], [400, { code: 'bad_request', message: '/name is required' }])
  const named = await ask(`${url}/err?age=x`)
  assert.equal(named.status, 422)
  assert.deepEqual(named.body, {
    name: 'UNPROCESSABLE_ENTITY',
    message: 'query parameter age must be a number',
    hint: 'see docs',
  })
})

test('a refusal whose shape has no text field has its reason in a header', async () => {
  const url = await serve({
    'openapi.yaml': `${HEAD}paths:
  /x:
    get:
      parameters: [{in: query, name: é, required: true, schema: {type: number}}]
      responses: { '200': {description: ok}, '400': {description: bad, content: {application/json: {schema: {type: object, required: [code], properties: {code: {type: integer}}, additionalProperties: false}}}} }`,
  })
  const { body, headers } = await ask(`${url}/x`)
  assert.deepEqual(body, { code: 400 })
  assert.equal(headers['understudy-problem'], 'query parameter ? is required')
})

test('the errors of a gateway file may list the broken rules', async () => {
  const url = await serve({
    'gateway.yaml':
      'contract: ./openapi.yaml\nerrors: { body: { why: "${problem.errors}", text: "${problem.code}: ${problem.errors}" } }',
    'openapi.yaml': `${HEAD}paths: { /x: { get: { parameters: [{in: query, name: age, schema: {type: number}}], responses: { '200': {description: ok} } } } }`,
  })
  const errors = [{ in: 'query', path: 'age', rule: 'type', message: 'must be a number' }]
  assert.deepEqual((await ask(`${url}/x?age=x`)).body, {
    why: errors,
    text: `invalid_request: ${JSON.stringify(errors)}`,
  })
  assert.deepEqual((await ask(`${url}/y`)).body, { why: [], text: 'not_found: []' })
})

test('a reply echoes the id and the fields over the example, and has hints in a header', async () => {
  const thing =
    'schema: {type: object, properties: {id: {type: string}, name: {type: string}}}, example: {id: one, name: John}'
  const url = await serve({
    'openapi.yaml': `${HEAD}servers: [{ url: /v1 }]
paths:
  /b/{id}:
    parameters: [{in: path, name: id, required: true, schema: {type: string}}, {in: query, name: verbose, schema: {type: boolean}}]
    get: {responses: {'200': {description: ok, content: {application/json: {${thing}}}}}}
  /b:
    post:
      requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {'201': {description: ok, content: {application/json: {${thing}}}}}`,
  })
  const told = await ask(`${url}/v1/b/two?verbos=true`)
  assert.deepEqual(told.body, { id: 'two', name: 'John' })
  assert.equal(
    told.headers['understudy-warning'],
    'the contract has no query parameter "verbos"; did you mean "verbose"?',
  )
  const misspelt = await ask(`${url}/v1/b/two`, { headers: { 'understudy-tim': '2030-01-01' } })
  assert.equal(misspelt.status, 400)
  assert.match(misspelt.text, /unknown header understudy-tim; did you mean/)
  assert.deepEqual((await ask(`${url}/v1/b`, json({ name: 'Ada' }))).body, { id: 'one', name: 'Ada' })
  const lost = await ask(`${url}/b`, json({ name: 'Ada' }))
  assert.equal(lost.status, 404)
  assert.match(lost.text, /the API is served below \/v1: did you mean POST \/v1\/b\?/)
})

test('a client that accepts anything gets JSON where the operation has it, generated and as an example', async () => {
  const types = (json: string) =>
    `{get: {responses: {'200': {description: ok, content: {application/xml: {schema: {type: string}, example: <a/>}, application/problem+json: {schema: {type: string}}, application/json: ${json}}}}}}`
  const url = await serve({
    'openapi.yaml': `${HEAD}paths:
  /made: ${types('{schema: {type: string}}')}
  /example: ${types('{example: a}')}`,
  })
  for (const path of ['/made', '/example']) {
    for (const accept of [undefined, '*/*', 'application/*', 'text/html, */*;q=0.8']) {
      const { headers } = await ask(`${url}${path}`, { headers: accept === undefined ? {} : { accept } })
      assert.equal(headers['content-type'], 'application/json', `${path} ${accept}`)
    }
    const { headers } = await ask(`${url}${path}`, { headers: { accept: 'application/xml, */*' } })
    assert.equal(headers['content-type'], 'application/xml')
  }
})

test('a sign-up, a log-in and a profile are answered with what was sent', async () => {
  const object = (properties: string, required = '[]') =>
    `{type: object, required: ${required}, properties: {${properties}}}`
  const user = object(
    'email: {type: string}, token: {type: string}, username: {type: string}',
    '[email, token, username]',
  )
  const post = (reply: string) =>
    `{post: {requestBody: {required: true, content: {application/json: {schema: {type: object}}}}, responses: {'200': {description: ok, content: {application/json: {schema: ${reply}}}}}}}`
  const url = await serve({
    'openapi.yaml': `${HEAD}paths:
  /users: ${post(object(`user: ${user}`, '[user]'))}
  /profiles: ${post(object('nickname: {type: string}, rank: {type: integer}'))}`,
  })
  const ada = { username: 'ada', email: 'a@b.de' }
  const { body } = await ask(`${url}/users`, json({ user: { ...ada, password: 'x' } }))
  const { token, ...rest } = (body as { user: { token: unknown } }).user
  assert.deepEqual([typeof token, rest], ['string', ada])
  const profile = await ask(`${url}/profiles`, json({ profile: { nickname: 'ada' } }))
  assert.equal((profile.body as { nickname: unknown }).nickname, 'ada')
})

test('a placeholder of other templates in an answer is a warning in the reply, and is sent as it is', async () => {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  const content = '{application/json: {schema: {type: object, properties: {name: {type: string}}}}}'
  writeFileSync(
    join(home, 'openapi.yaml'),
    `${HEAD}paths: {/x: {get: {operationId: getX, responses: {'200': {description: ok, content: ${content}}}}}}`,
  )
  const gateway = await startGateway({ config: join(home, 'openapi.yaml') })
  after(() => gateway.close())
  const order = {
    operation: 'getX',
    when: 'ordinal > 0',
    respond: { status: 200, body: { name: '{{consumer}}' } },
  }
  const { status, body } = await ask(`${gateway.control}/answers`, json(order))
  const { diagnostics } = body as { diagnostics: { code: string; hint: string }[] }
  assert.equal(status, 201)
  assert.deepEqual(
    diagnostics.map(({ code, hint }) => [code, hint]),
    [['unfilled-template', 'write ${consumer}']],
  )
  assert.deepEqual((await ask(`${gateway.url}/x`)).body, { name: '{{consumer}}' })
})
