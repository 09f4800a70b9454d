import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CoverageFilter } from '../../../src/wings/coverage/coverage.ts'
import { coverageObserver } from '../../../src/wings/coverage/observe.ts'
import { formatCoverage, mergeReports } from '../../../src/wings/coverage/report.ts'
import { steerCoverage } from '../../../src/wings/coverage/steering.ts'
import { inProcess, loadFiles } from '../../support/in-process.ts'

const CONTRACT = `openapi: 3.1.0
info: { title: Kennel, version: "1" }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Base:
      type: object
      required: [name]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string, minLength: 2 }
        alias: { type: string, deprecated: true }
    Cat: { type: object, required: [kind, lives], properties: { kind: { const: cat }, lives: { type: integer } } }
    Dog: { type: object, required: [kind], properties: { kind: { const: dog }, tricks: { type: array, items: { type: string } } } }
    Small: { type: object, properties: { size: { type: integer, maximum: 10 } }, required: [size] }
    Large: { type: object, properties: { size: { type: integer, minimum: 10 } }, required: [size] }
    Tree: { type: object, properties: { label: { type: string }, children: { type: array, items: { $ref: "#/components/schemas/Tree" } } } }
paths:
  /pets:
    post:
      operationId: createPet
      security: [{}, { key: [] }]
      parameters:
        - { name: mode, in: query, schema: { type: string, enum: [fast, slow], default: fast } }
        - { name: X-Old, in: header, deprecated: true, schema: { type: string } }
      requestBody:
        required: true
        content:
          application/json:
            schema:
              allOf:
                - { $ref: "#/components/schemas/Base" }
                - type: object
                  properties:
                    status: { enum: [new, sold] }
                    pet: { oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }] }
                    box: { anyOf: [{ $ref: "#/components/schemas/Small" }, { $ref: "#/components/schemas/Large" }] }
                    tree: { $ref: "#/components/schemas/Tree" }
                    extra: { type: object, additionalProperties: { type: object, properties: { deep: { type: string } } } }
          application/x-www-form-urlencoded:
            schema: { $ref: "#/components/schemas/Base" }
      responses:
        201: { description: Made, content: { application/json: { schema: { type: object } } } }
        4XX: { description: Refused, content: { application/problem+json: { schema: { type: object } } } }
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        200: { description: Fine, content: { application/json: { schema: { type: object } }, text/plain: { schema: { type: string } } } }
        404: { description: None }
`
const GATEWAY = `contract: contract.yaml
consumers: { ann: { key: ann-key }, bob: { key: bob-key } }
operations: { createPet: { respond: { status: 201, body: {} } }, getPet: { respond: { status: 200, body: {} } } }
`

const kennel = (contract = CONTRACT) => {
  const driven = inProcess({ 'gateway.yaml': GATEWAY, 'contract.yaml': contract })
  const { gateway, send } = driven
  const report = (filter?: CoverageFilter) => gateway.observed(coverageObserver).report(filter)
  const of = (operation: string, filter?: CoverageFilter) => {
    const found = report(filter).operations.find(one => one.operation === operation)
    assert.ok(found)
    return found
  }
  const names = (operation: string, seen: boolean, filter?: CoverageFilter) =>
    of(operation, filter).items.flatMap(one => (one.seen === seen ? [`${one.kind} ${one.name}`] : []))
  const create = (body: unknown, headers: Record<string, string> = {}, query = '') =>
    send(`POST /pets${query}`, body, { 'content-type': 'application/json', ...headers })
  return { ...driven, report, of, names, create }
}

test('every part of an operation is listed once, each with its place', () => {
  const { names, of } = kennel()
  assert.deepEqual(names('createPet', false), [
    'operation createPet',
    'status 201',
    'reply type 201 application/json',
    'status 4XX',
    'reply type 4XX application/problem+json',
    'parameter query mode',
    'value query mode=fast',
    'value query mode=slow',
    'parameter header X-Old',
    'request type application/json',
    'request type application/x-www-form-urlencoded',
    'field name',
    'field alias',
    'field status',
    'value status=new',
    'value status=sold',
    'field pet',
    'branch pet<Cat>',
    'field pet<Cat>.kind',
    'field pet<Cat>.lives',
    'branch pet<Dog>',
    'field pet<Dog>.kind',
    'field pet<Dog>.tricks',
    'field box',
    'branch box<Small>',
    'field box<Small>.size',
    'branch box<Large>',
    'field box<Large>.size',
    'field tree',
    'field tree.label',
    'field tree.children',
    'field extra',
    'field extra.*.deep',
    'field (application/x-www-form-urlencoded)name',
    'field (application/x-www-form-urlencoded)alias',
    ...names('createPet', false).filter(one => one.startsWith('rule')),
  ])
  const { items } = of('createPet')
  const lineOf = (name: string) => CONTRACT.split('\n')[(items.find(one => one.name === name)?.line ?? 0) - 1]?.trim()
  assert.match(lineOf('name') ?? '', /^name: \{ type: string, minLength/)
  assert.match(lineOf('query mode') ?? '', /^- \{ name: mode/)
  assert.match(lineOf('status=sold') ?? '', /^status: \{ enum/)
  assert.match(lineOf('201') ?? '', /^201:/)
  assert.equal(lineOf('createPet'), 'post:')
  assert.ok(items.every(({ file }) => file.endsWith('contract.yaml')))
})

test('each request touches its own parts and no others', async () => {
  const { create, send, names, of } = kennel()
  assert.equal((await create({ name: 'Rex' })).status, 201)
  assert.deepEqual(names('createPet', true), [
    'operation createPet',
    'status 201',
    'reply type 201 application/json',
    'request type application/json',
    'field name',
  ])
  // 32 parts are counted: all but the deprecated ones.
  assert.deepEqual([of('createPet').seen, of('createPet').total, of('createPet').percent], [5, 32, 15.6])
  await create({ name: 'Rex', status: 'sold', pet: { kind: 'cat', lives: 9 } }, {}, '?mode=slow')
  await create({ name: 'Rex', box: { size: 10 } })
  await create({ name: 'Rex', tree: { children: [{ children: [{ label: 'x' }] }] }, extra: { any: { deep: 'x' } } })
  assert.deepEqual(
    names('createPet', false).filter(one => !one.startsWith('rule')),
    [
      'status 4XX',
      'reply type 4XX application/problem+json',
      'value query mode=fast',
      'parameter header X-Old',
      'request type application/x-www-form-urlencoded',
      'field alias',
      'value status=new',
      'branch pet<Dog>',
      'field pet<Dog>.kind',
      'field pet<Dog>.tricks',
      'field (application/x-www-form-urlencoded)name',
      'field (application/x-www-form-urlencoded)alias',
    ],
  )
  await create({ name: 'Rex', status: 'new', pet: { kind: 'dog', tricks: [] } }, {}, '?mode=fast')
  await create({ name: 'R' })
  await send('POST /pets', undefined, { 'content-type': 'application/x-www-form-urlencoded' }, Buffer.from('name=Rex'))
  assert.deepEqual([of('createPet').seen, of('createPet').total, of('createPet').percent], [32, 32, 100])
  assert.equal(of('createPet').requests, 7)
  assert.equal(of('getPet').percent, 0)
})

test('a refused request counts the rules that it violates, and no fields', async () => {
  const { create, names, of } = kennel()
  await create({ alias: 'x', pet: { kind: 'cat', lives: 'nine' }, tree: { children: [{ label: 7 }] } })
  assert.deepEqual(names('createPet', true).sort(), [
    'operation createPet',
    'reply type 4XX application/problem+json',
    'rule name required',
    'rule pet oneOf',
    'rule pet<Cat>.lives type',
    'rule tree.label type',
    'status 4XX',
  ])
  await create({ name: 'x' }, {}, '?mode=medium')
  assert.ok(names('createPet', true).includes('rule name minLength'))
  assert.ok(names('createPet', true).includes('rule query mode enum'))
  await create(undefined)
  assert.ok(names('createPet', true).includes('rule the body required'))
  assert.equal(of('createPet').rules.seen, 7)
})

test('the parameter that a request leaves out is not touched by its default', async () => {
  const { create, names } = kennel()
  await create({ name: 'Rex' })
  assert.ok(!names('createPet', true).includes('parameter query mode'))
  await create({ name: 'Rex' }, {}, '?mode=fast')
  assert.ok(names('createPet', true).includes('value query mode=fast'))
})

test('a deprecated input is shown where it was used, and is not in the percentage', async () => {
  const { create, of, report } = kennel()
  const { total } = of('createPet')
  await create({ name: 'Rex', alias: 'R' }, { 'x-old': '1' })
  assert.equal(of('createPet').total, total)
  assert.match(
    formatCoverage(report(), 'text'),
    /Deprecated, but used:\n {2}createPet {2}parameter header X-Old .*\n {2}createPet {2}field alias/,
  )
})

test('world, consumer and operation choose among the requests', async () => {
  const { create, send, of, report } = kennel()
  await create({ name: 'Rex' }, { 'x-key': 'ann-key' })
  await create({ name: 'Rex', status: 'sold' }, { 'x-key': 'bob-key', 'understudy-world': 'ada' })
  await send('GET /pets/1')
  assert.equal(of('createPet', { consumer: 'ann' }).seen, 5)
  assert.equal(of('createPet', { world: 'ada' }).seen, 7)
  assert.equal(of('createPet', { world: 'ada', consumer: 'ann' }).requests, 0)
  assert.equal(of('getPet', { consumer: '' }).requests, 1)
  assert.deepEqual(
    report({ operation: 'getPet' }).operations.map(({ operation }) => operation),
    ['getPet'],
  )
})

test('a filter refuses names that do not exist, and takes those of consumers that are no longer configured', async () => {
  const { create, gateway } = kennel()
  const { coverage } = steerCoverage(gateway)
  await create({ name: 'Rex' }, { 'x-key': 'ann-key' })
  assert.throws(() => coverage({ consumer: 'an' }), { message: 'there is no consumer an; one of: ann, bob' })
  assert.throws(() => coverage({ operation: 'getPets' }), /there is no operation getPets; did you mean "getPet"/)
  assert.throws(() => coverage({ wrld: 'ada' } as never), /there is no filter wrld; did you mean "world"/)
  assert.equal(coverage({ consumer: 'bob' }).seen, 0)
  assert.ok(coverage({ consumer: '' }).total > 0)
  const withoutAnn = GATEWAY.replace('ann: { key: ann-key }, ', '')
  const { plan } = loadFiles({ 'gateway.yaml': withoutAnn, 'contract.yaml': CONTRACT })
  assert.ok(plan)
  gateway.adopt(plan)
  assert.ok(coverage({ consumer: 'ann' }).seen > 0)
})

test('more callers than are told apart count together', async () => {
  const { create, of, report } = kennel()
  for (let i = 0; i < 250; i++) await create({ name: 'Rex' }, { 'understudy-world': `w${i}` })
  assert.equal(of('createPet').requests, 250)
  assert.equal(of('createPet', { world: 'w3' }).requests, 1)
  assert.equal(of('createPet', { world: 'w249' }).requests, 0)
  assert.equal(report().seen, 5)
})

test('the items of a long list take turns', async () => {
  const { create, names } = kennel()
  const children = Array.from({ length: 60 }, (_, i) => (i === 40 ? { label: 'x' } : {}))
  for (let i = 0; i < 3; i++) await create({ name: 'Rex', tree: { children } })
  assert.ok(names('createPet', true).includes('field tree.label'))
})

test('a reset of the coverage forgets everything, a reset of a world nothing', async () => {
  const { create, gateway, report } = kennel()
  await create({ name: 'Rex' })
  gateway.reset()
  assert.equal(report().seen, 5)
  gateway.observed(coverageObserver).reset()
  assert.equal(report().seen, 0)
  await create({ name: 'Rex' })
  assert.equal(report().seen, 5)
})

test('a reload keeps what was touched, by the names of the parts', async () => {
  const { create, gateway, names } = kennel()
  await create({ name: 'Rex', status: 'sold' })
  const touched = names('createPet', true)
  const contract = CONTRACT.replace('alias: { type: string, deprecated: true }', 'age: { type: integer }').replace(
    '[new, sold]',
    '[sold, fresh, new]',
  )
  const { plan } = loadFiles({ 'gateway.yaml': GATEWAY, 'contract.yaml': contract })
  assert.ok(plan)
  gateway.adopt(plan)
  assert.deepEqual(names('createPet', true), touched)
  assert.ok(names('createPet', false).includes('value status=fresh'))
})

test('a reload keeps what was touched apart from a world on another contract', async () => {
  const files = {
    'gateway.yaml': `${GATEWAY}worlds: { named: { next: { contract: ./next.yaml } } }\n`,
    'contract.yaml': CONTRACT,
    'next.yaml': CONTRACT.replace('title: Kennel', 'title: Cattery'),
  }
  const { gateway, send } = inProcess(files)
  const coverageOf = () => gateway.observed(coverageObserver).report({ operation: 'getPet' }).operations[0]
  await send('GET /pets/1')
  await send('GET /pets/one', undefined, { 'understudy-world': 'next' })
  const before = coverageOf()
  const { plan } = loadFiles(files)
  assert.ok(plan)
  gateway.adopt(plan)
  assert.equal(before?.requests, 1)
  assert.deepEqual(coverageOf(), before)
})

test('reports of several runs are merged by operation and part', async () => {
  const [first, second] = [kennel(), kennel()]
  await first.create({ name: 'Rex' })
  await second.create({ name: 'Rex', status: 'new' })
  await second.send('GET /pets/1')
  const merged = mergeReports([first.report(), JSON.parse(formatCoverage(second.report(), 'json'))])
  assert.deepEqual([merged.seen, merged.total, merged.title], [11, first.report().total, 'Kennel'])
  assert.equal(merged.operations.find(({ operation }) => operation === 'createPet')?.requests, 2)
})

test('lcov has a record for each file, and the lines in order', async () => {
  const { create, report } = kennel()
  await create({ name: 'Rex' })
  const lcov = formatCoverage(report(), 'lcov')
  assert.equal(lcov.match(/^SF:/gm)?.length, 1)
  const lines = [...lcov.matchAll(/^DA:(\d+),(\d+)$/gm)].map(
    ([, line, count]) => [Number(line), Number(count)] as const,
  )
  assert.deepEqual(
    lines,
    lines.toSorted(([a], [b]) => a - b),
  )
  const hitOf = (text: string) => lines.find(([line]) => CONTRACT.split('\n')[line - 1]?.includes(text))?.[1]
  assert.equal(hitOf('    post:'), 1)
  assert.equal(hitOf('minLength: 2'), 1)
  assert.equal(hitOf('- { name: mode'), 0)
  assert.match(lcov, /^FNDA:0,getPet$/m)
})

test('a schema with very many fields is followed less deep', () => {
  const wide = (depth: number): object => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`p${i}`, depth === 0 ? { type: 'string' } : wide(depth - 1)]),
    ),
  })
  const contract = JSON.parse(JSON.stringify({ openapi: '3.1.0', info: { title: 'Wide', version: '1' } }))
  contract.paths = {
    '/a': {
      post: {
        operationId: 'a',
        requestBody: { content: { 'application/json': { schema: wide(2) } } },
        responses: { 204: { description: 'Done' } },
      },
    },
  }
  const { gateway } = inProcess({ 'openapi.json': JSON.stringify(contract) })
  const fields =
    gateway
      .observed(coverageObserver)
      .report()
      .operations[0]?.items.filter(({ kind }) => kind === 'field') ?? []
  assert.equal(fields.length, 12 + 144)
})
