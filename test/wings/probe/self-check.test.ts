import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { selfCheck } from '../../../src/wings/probe/self-check.ts'
import { loadFiles } from '../../support/in-process.ts'
import { loadPlan } from '../../support/load.ts'

const contract = readFileSync('test/golden/inference/library.yaml', 'utf8')

const findings = async ({ plan, report }: ReturnType<typeof loadPlan>) => {
  assert.ok(plan)
  const before = report.list.length
  const { requests } = await selfCheck(plan, report)
  assert.ok(requests > plan.operations.length)
  return report.list.slice(before).map(({ code, message }) => `${code}: ${message}`)
}

suite('a self-check', () => {
  test('reports only the operation without documented replies in the shipped configuration', async () => {
    assert.deepEqual(await findings(loadPlan('config/gateway.yaml', '.', {})), [
      'not-simulated: listOrders, a request that keeps to the contract: the contract documents no reply that can be sent',
    ])
  })

  test('reports nothing for a contract alone', async () => {
    assert.deepEqual(await findings(loadPlan('test/golden/inference/library.yaml', '.', {})), [])
  })

  test('reports an undocumented refusal if others are documented', async () => {
    const shipped = readFileSync('config/openapi.yaml', 'utf8')
    const undocumented = shipped.replace(/ {8}"400":\n(?: {10}.*\n)+/, '')
    const loaded = loadFiles({ 'openapi.yaml': undocumented })
    const found = await findings(loaded)
    assert.equal(loaded.report.list.find(({ code }) => code === 'undocumented-refusal')?.hint, 'document 400')
    assert.ok(
      found.includes(
        'undocumented-refusal: listPets, a request whose query parameter limit is "nonsense": was refused with 400, which the contract does not document',
      ),
      found.join('\n'),
    )
  })

  test('sends ids of records where fields are called as they are', async () => {
    const loaded = loadFiles({
      'gateway.yaml': `
contract:
  openapi: 3.0.3
  info: { title: Shop, version: '1' }
  paths:
    /payments:
      post:
        operationId: createPayment
        requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Payment' } } } }
        responses: { '201': { description: Paid. }, '400': { description: Invalid. }, '409': { description: Not possible. } }
  components:
    schemas:
      Order: { type: object, required: [id], properties: { id: { type: integer, readOnly: true } } }
      Payment:
        type: object
        required: [id, orderId]
        properties: { id: { type: integer, readOnly: true }, orderId: { type: integer } }
resources: { orders: { schema: Order, seed: [{ id: 907 }] }, payments: { schema: Payment } }
operations:
  createPayment:
    respond: { create: payments }
    rules: [{ when: request.body.orderId != 907, respond: { status: 409 } }]
`,
    })
    assert.deepEqual(await findings(loaded), [])
  })

  test('reports a reply without a required header', async () => {
    const boats = `
openapi: 3.0.3
info: { title: Harbour, version: '1' }
paths:
  /boats:
    get:
      operationId: listBoats
      parameters: [{ name: limit, in: query, schema: { type: integer } }]
      responses: { '200': { description: All., headers: { X-Trace: { required: true, schema: { type: string } } }, content: { application/json: { schema: { type: array } } } } }
`
    const of = (respond: string) =>
      findings(
        loadFiles({
          'gateway.yaml': `contract: ./harbour.yaml\noperations: { listBoats: { respond: ${respond} } }`,
          'harbour.yaml': boats,
        }),
      )
    assert.deepEqual(await of('{ status: 200 }'), [])
    assert.deepEqual(await of('{ status: 200, body: [] }'), [
      'missing-header: listBoats, a request that keeps to the contract: answered 200 without the header X-Trace, which is required',
    ])
  })

  test('warns of a success of an operation without a documented success', async () => {
    const open = `
openapi: 3.0.3
info: { title: Harbour, version: '1' }
paths:
  /boats:
    post:
      operationId: addBoat
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '405': { description: Not so. } }
`
    const configuration = `
contract: ./harbour.yaml
resources: { boats: { schema: '#/components/schemas/Boat' } }
operations: { addBoat: { respond: { create: boats } } }
`
    const boat = 'components: { schemas: { Boat: { type: object, properties: { id: { type: integer } } } } }'
    const files = { 'gateway.yaml': configuration, 'harbour.yaml': `${open}${boat}\n` }
    assert.deepEqual(
      (await findings(loadFiles(files))).filter(one => one.startsWith('undocumented-status')),
      [
        'undocumented-status: addBoat, a request that keeps to the contract: was answered 201, because the contract documents no success',
      ],
    )
  })

  test('warns of a valid request that is refused because no success is documented', async () => {
    const closed = `
openapi: 3.0.3
info: { title: Harbour, version: '1' }
paths:
  /boats:
    delete:
      operationId: sinkBoats
      parameters: [{ name: deep, in: query, schema: { type: integer } }]
      responses: { '400': { description: Not so. } }
`
    const warning =
      'no-success: sinkBoats, a request that keeps to the contract: was answered 400, because the contract documents no success'
    assert.deepEqual(await findings(loadFiles({ 'openapi.yaml': closed })), [warning])
    const configured = 'contract: ./openapi.yaml\noperations: { sinkBoats: { respond: { status: 400 } } }\n'
    assert.deepEqual(await findings(loadFiles({ 'gateway.yaml': configured, 'openapi.yaml': closed })), [])
  })

  test('reports an operation for which no valid request is found', async () => {
    const code = '{ name: code, in: query, required: true, schema: { type: string, minLength: 5, maxLength: 2 } }'
    const last = '        - { name: q, in: query, schema: { type: string } }\n'
    const closed = contract.replace(last, `${last}        - ${code}\n`)
    const found = await findings(loadFiles({ 'openapi.yaml': closed }))
    assert.deepEqual(found, [
      'not-checked: listAuthors was not called: no value was found for the query parameter code',
    ])
  })

  test('reports an invalid request that is accepted', async () => {
    const configuration = 'contract: ./library.yaml\noperations: { listBooksOfAuthor: { validate: null } }\n'
    const found = await findings(loadFiles({ 'gateway.yaml': configuration, 'library.yaml': contract }))
    assert.deepEqual(found, [
      'taken: listBooksOfAuthor, a request whose query parameter limit is "nonsense": was answered 200 instead of being refused',
    ])
  })

  test('reports a reply that violates its schema', async () => {
    const configuration = `
contract: ./library.yaml
resources: { shelves: { schema: Shelf, id: { field: name, assign: client }, seed: [{ name: A }] } }
operations: { getBook: { respond: { read: shelves } } }
`
    const found = await findings(loadFiles({ 'gateway.yaml': configuration, 'library.yaml': contract }))
    assert.deepEqual(found, [
      'invalid-body: getBook, a request that keeps to the contract: answered 200 with a body that breaks its schema: /isbn is required',
    ])
  })

  test('reports an operation that never succeeds, but not an occasional fault', async () => {
    const document = contract.replace("/Book' } } } } }", "/Book' } } } }, '404': { description: None. } }")
    const tried = async (often: string) => {
      const fault = `{ kind: status, status: 404${often} }`
      const configuration = `contract: ./library.yaml\noperations: { getBook: { fault: ${fault} } }\n`
      const found = await findings(loadFiles({ 'gateway.yaml': configuration, 'library.yaml': document }))
      return found.map(one => one.split(' (')[0])
    }
    const never = 'never-succeeds: getBook, a request that keeps to the contract: was answered 404'
    assert.deepEqual(await tried(''), [never])
    assert.deepEqual(await tried(', every: 2'), [])
  })

  test('does not take a configured fault for a failure', async () => {
    const faults = '{ kind: status, status: 503, every: 2 }'
    const configuration = `contract: ./library.yaml\noperations: { listBooksOfAuthor: { fault: ${faults} } }\n`
    assert.deepEqual(await findings(loadFiles({ 'gateway.yaml': configuration, 'library.yaml': contract })), [])
  })

  test('sends bodies that refer to records that exist', async () => {
    const configuration = `
contract: ./library.yaml
resources:
  authors: { schema: Author, seed: [{ id: 7, name: A }] }
  loans: { schema: Loan, references: { authorId: authors }, seed: [{ id: 1, authorId: 7 }] }
operations: { addLoan: { respond: { create: loans } } }
`
    const loan = `
  /loans:
    post:
      operationId: addLoan
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } } }
      responses: { '201': { description: Added. }, '400': { description: No. } }
components:
  schemas:
    Loan: { type: object, required: [authorId], properties: { id: { type: integer }, authorId: { type: integer } } }`
    const document = contract.replace('\ncomponents:\n  schemas:', loan)
    assert.deepEqual(await findings(loadFiles({ 'gateway.yaml': configuration, 'library.yaml': document })), [])
  })

  test('deletes a record that no other record refers to, and accepts the conflict if there is none', async () => {
    const documented = `
  /authors/{id}:
    delete:
      operationId: dropAuthor
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '204': { description: Gone. }, '404': { description: No. }, '409': { description: In use. } }
components:
  schemas:
    Loan: { type: object, required: [authorId], properties: { id: { type: integer }, authorId: { type: integer } } }`
    for (const more of [', { id: 8, name: B }', '']) {
      const configuration = `
contract: ./library.yaml
resources:
  authors: { schema: Author, seed: [{ id: 7, name: A }${more}] }
  loans: { schema: Loan, references: { authorId: authors }, seed: [{ id: 1, authorId: 7 }] }
operations: { dropAuthor: { respond: { delete: authors } } }
`
      const document = contract.replace('\ncomponents:\n  schemas:', documented)
      assert.deepEqual(await findings(loadFiles({ 'gateway.yaml': configuration, 'library.yaml': document })), [])
    }
  })

  test('sends lines of JSON, and lists in the path in every style', async () => {
    const document = `
openapi: 3.2.0
info: { title: Harbour, version: '1' }
paths:
  /logs:
    post:
      operationId: addLogs
      parameters: [{ name: dry, in: query, schema: { type: boolean } }]
      requestBody: { required: true, content: { application/jsonl: { itemSchema: { type: object, required: [at], properties: { at: { type: integer } } } } } }
      responses: { '200': { description: Fine. }, '400': { description: No. } }
${['simple', 'label', 'matrix']
  .flatMap(style =>
    [true, false].map(
      explode => `
  /${style}${explode}/{depths}/{place}:
    get:
      operationId: ${style}${explode}
      parameters:
        - { name: depths, in: path, required: true, style: ${style}, explode: ${explode}, schema: { type: array, minItems: 2, items: { type: integer } } }
        - { name: place, in: path, required: true, style: ${style}, explode: ${explode}, schema: { type: object, required: [x, y], properties: { x: { type: integer }, y: { type: integer } } } }
      responses: { '200': { description: Fine. }, '400': { description: No. } }`,
    ),
  )
  .join('')}
`
    assert.deepEqual(await findings(loadFiles({ 'openapi.yaml': document })), [])
  })
})
