import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PathTable } from '../../src/contract/paths.ts'
import { inProcess, loadFiles } from '../support/in-process.ts'

const operation = (parameters: string, path = '/x') =>
  `openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  ${path}:
    get: { parameters: ${parameters}, responses: { 204: { description: Fine } } }
`
const array = '{ type: array, items: { type: integer } }'
const object = '{ type: object, required: [r], properties: { r: { type: integer }, g: { type: integer } } }'
const named = '{ type: object, properties: { r: { type: integer } } }'

const STYLES: readonly [string, string, string, number][] = [
  ['query', `schema: ${array}`, '/x?p=1&p=2', 204],
  ['query', `schema: ${array}`, '/x?p=1&p=b', 400],
  ['query', `explode: false, schema: ${array}`, '/x?p=1,2', 204],
  ['query', `style: spaceDelimited, schema: ${array}`, '/x?p=1%202', 204],
  ['query', `style: pipeDelimited, schema: ${array}`, '/x?p=1|2', 204],
  ['query', `style: pipeDelimited, schema: ${array}`, '/x?p=1|b', 400],
  ['query', `schema: ${object}`, '/x?r=1&g=2', 204],
  ['query', `schema: ${object}`, '/x?r=red', 400],
  ['query', `explode: false, schema: ${object}`, '/x?p=r,1,g,2', 204],
  ['query', `style: deepObject, schema: ${object}`, '/x?p[r]=1&p[g]=2', 204],
  ['query', `style: deepObject, schema: ${object}`, '/x?p[g]=2', 400],
  ['query', `content: { application/json: { schema: ${object} } }`, '/x?p=%7B%22r%22:1%7D', 204],
  ['query', `content: { application/json: { schema: ${object} } }`, '/x?p=%7B', 400],
  ['query', 'allowEmptyValue: true, schema: { type: integer }', '/x?p=', 204],
  ['query', 'schema: { type: integer }', '/x?p=', 400],
  ['query', 'schema: { anyOf: [{ type: integer }, { enum: [all] }] }', '/x?p=all', 204],
  ['query', 'schema: { anyOf: [{ type: integer }, { enum: [all] }] }', '/x?p=some', 400],
  ['path', `schema: ${array}`, '/x/1,2', 204],
  ['path', `style: label, schema: ${array}`, '/x/.1,2', 204],
  ['path', `style: label, schema: ${array}`, '/x/1,2', 400],
  ['path', `style: matrix, explode: true, schema: ${array}`, '/x/;p=1;p=2', 204],
  ['path', `style: matrix, schema: ${object}`, '/x/;p=r,1,g,2', 204],
  ['path', `style: matrix, explode: true, schema: ${named}`, '/x/;r=1;g=2', 204],
  ['path', `style: matrix, explode: true, schema: ${named}`, '/x/;p=r,1,g,2', 400],
  ['path', `style: label, explode: true, schema: ${named}`, '/x/.r=1.g=2', 204],
  ['path', `style: label, explode: true, schema: ${named}`, '/x/.r,1,g,2', 400],
  ['path', `explode: true, schema: ${object}`, '/x/r=1,g=2', 204],
  ['path', `explode: true, schema: ${named}`, '/x/r,1,g,2', 400],
]

for (const [place, how, target, status] of STYLES) {
  test(`a parameter in ${place}, { ${how} }: ${target} is ${status}`, async () => {
    const parameters = `[{ name: p, in: ${place}, required: ${place === 'path'}, ${how} }]`
    const api = inProcess({ 'openapi.yaml': operation(parameters, place === 'path' ? '/x/{p}' : '/x') })
    assert.equal((await api.send(`GET ${target}`)).status, status)
  })
}

const ROUTES = ['/a/{x}.{format}', '/a/{x}', '/a/{x}.json', '/a/lit', '/{a}...{b}', '/x:verb', "/U('{id}')", '/s/*']
const FOUND: readonly [string, string, string][] = [
  ['/a/1.xml', '/a/{x}.{format}', '1 xml'],
  ['/a/1.json', '/a/{x}.json', '1'],
  ['/a/lit', '/a/lit', ''],
  ['/a/q', '/a/{x}', 'q'],
  ['/1...2', '/{a}...{b}', '1 2'],
  ['/x:verb', '/x:verb', ''],
  ["/U('7')", "/U('{id}')", '7'],
  ['/s/*', '/s/*', ''],
]
const table = new PathTable<string>()
for (const route of ROUTES) table.add('GET', route, route)
for (const [path, route, segments] of FOUND) {
  test(`${path} is found at ${route}`, () => {
    const found = table.find('GET', path)
    assert.deepEqual([found?.target, found?.segments.join(' ')], [route, segments])
  })
}

test('a union is validated by the branch that its discriminator names', async () => {
  const api = inProcess({
    'openapi.yaml': `
openapi: 3.0.0
info: { title: T, version: "1" }
paths:
  /x:
    post:
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Shape" } } } }
      responses: { 204: { description: Fine } }
components:
  schemas:
    Shape:
      oneOf: [{ $ref: "#/components/schemas/Circle" }, { $ref: "#/components/schemas/Square" }]
      discriminator: { propertyName: kind, mapping: { round: "#/components/schemas/Circle" } }
    Common: { type: object, required: [kind], properties: { kind: { type: string } } }
    Circle: { allOf: [{ $ref: "#/components/schemas/Common" }, { $ref: "#/components/schemas/Shape" }, { required: [radius] }] }
    Square: { allOf: [{ $ref: "#/components/schemas/Common" }, { properties: { side: { type: integer } } }] }
`,
  })
  const status = async (body: unknown) => (await api.send('POST /x', body)).status
  assert.equal(await status({ kind: 'round', radius: 1 }), 204)
  assert.equal(await status({ kind: 'round' }), 400)
  assert.equal(await status({ kind: 'Square' }), 204)
  assert.equal(await status({ kind: 'Square', side: 'long' }), 400)
  assert.equal(await status({ kind: 'Triangle' }), 400)
})

test('a consumer needs the scopes that an operation requires', async () => {
  const api = inProcess({
    'gateway.yaml': `
contract:
  openapi: 3.1.0
  info: { title: T, version: "1" }
  components: { securitySchemes: { login: { type: oauth2, flows: {} } } }
  paths:
    /x: { get: { security: [{ login: [read] }], responses: { 204: { description: Fine } } } }
consumers: { ann: { login: ann-token, scopes: [read] }, bob: { login: bob-token } }
`,
  })
  const ask = (token: string) => api.send('GET /x', undefined, { authorization: `Bearer ${token}` })
  assert.equal((await ask('ann-token')).status, 204)
  assert.equal((await ask('bob-token')).status, 403)
  assert.equal((await ask('nobody')).status, 401)
})

test('a flawed document is served, and unsupported parts are reported and left out', () => {
  const { plan, report } = loadFiles({
    'openapi.yaml': `
openapi: 3.0
paths:
  things:
    get: { operationId: same, responses: { 200: {} } }
    post: { operationId: same, parameters: [{ $ref: "#/nowhere" }], responses: { 200: { description: "" } } }
  /things/{id}:
    get: { operationId: same, responses: { 200: { description: "" } } }
`,
  })
  assert.deepEqual(
    plan?.operations.map(({ operation }) => operation.id),
    ['same', 'GET /things/{id}'],
  )
  const codes = new Set(report.list.map(({ code, severity }) => `${severity} ${code}`))
  for (const code of ['odd-version', 'missing-info', 'missing-description', 'left-out', 'duplicate-operation-id']) {
    assert.ok(codes.has(`warning ${code}`), code)
  }
})

for (const [responses, version, warnings] of [
  ['', '3.1.0', []],
  ['', '3.0.3', ['the operation has no responses']],
  ['responses: {}', '3.1.0', ['"responses" is empty']],
] as const) {
  test(`an operation of OpenAPI ${version} with ${responses || 'no responses'} answers 200 without a body`, async () => {
    const files = {
      'openapi.yaml': `openapi: ${version}\ninfo: { title: T, version: "1" }\npaths: { /x: { post: { operationId: x, ${responses} } } }\n`,
    }
    const { status, body } = await inProcess(files).send('POST /x')
    assert.deepEqual([status, body], [200, ''])
    assert.deepEqual(
      loadFiles(files).report.list.map(({ message }) => message),
      warnings,
    )
  })
}

test('an example may have an $id', async () => {
  const metadata = (name: string) => `{ type: object, example: { $id: "https://example.com/a", name: ${name} } }`
  const api = inProcess({
    'openapi.yaml': `
openapi: 3.0.3
info: { title: T, version: "1" }
paths:
  /x:
    post:
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Both" } } } }
      responses: { 204: { description: Fine } }
components:
  schemas:
    Both: { type: object, properties: { one: { $ref: "#/components/schemas/One" }, two: { $ref: "#/components/schemas/Two" } } }
    One: ${metadata('One')}
    Two: ${metadata('Two')}
`,
  })
  assert.equal((await api.send('POST /x', { one: {}, two: {} })).status, 204)
  assert.equal((await api.send('POST /x', { one: {}, two: 2 })).status, 400)
})

test('one warning names all formats that are unknown', () => {
  const { report } = loadFiles({
    'openapi.yaml': operation(
      '[{ name: a, in: query, schema: { type: string, format: mac-48 } }, { name: b, in: query, schema: { type: string, format: orcid } }]',
    ),
  })
  assert.deepEqual(
    report.list.map(({ message }) => message),
    ['unknown formats "mac-48", "orcid"; values are not checked against them'],
  )
})
