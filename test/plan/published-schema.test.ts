// The schema for editors and validators, checked by a strict validator with the standard formats only.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'
import { FORMATS } from '../../src/plan/formats.ts'
import { type PublishedSchema, schemaFor } from '../../src/plan/published-schema.ts'
import { gatewaySchema, PATTERNS } from '../reference/gateway-schema.ts'
import { loadPlan } from '../support/load.ts'

/** One validator for all: it compiles the meta-schema, and each definition, once. Its optimiser would double the time. */
const ajv = new Ajv2020({ strict: true, allErrors: true, inlineRefs: false, code: { optimize: false } })
formats.default(ajv)
const compile = (schema: object) => ajv.compile(schema)

const shipped = JSON.parse(readFileSync('config/gateway.schema.json', 'utf8')) as PublishedSchema
ajv.addSchema(shipped, 'shipped')
/** A part of the shipped schema, with references to its definitions. */
const partOf = (shape: PublishedSchema): object =>
  JSON.parse(JSON.stringify(shape).replaceAll('"$ref":"#/', '"$ref":"shipped#/')) as object
const accepts = compile(shipped)

for (const file of ['config/gateway.yaml', 'config/rehearsal.yaml']) {
  test(`a strict validator accepts ${file} with the shipped schema`, () => {
    assert.ok(accepts(parse(readFileSync(file, 'utf8'))), JSON.stringify(accepts.errors))
  })
}

const inBlock = (text: string) => parse(`contract: a.yaml\n${text}`) as unknown

for (const text of [
  'defaults: { latency: 200ms, rateLimit: 100/min, fault: { kind: reset, probability: 5% } }',
  'defaults: { latency: null, fault: [{ kind: close }], rateLimit: { limit: 10/s } }',
  'defaults: { latency: { fixed: "${DELAY:-200ms}" } }',
  'listen: { cors: off, basePath: /v2 }',
  'listen: { cors: { origins: ["https://app.example.com", "*"] } }',
  'operations: { "GET /books": { deprecation: { since: 2025-12-05, brownouts: { starts: 30d before sunset, every: 6h, for: 10m } } } }',
]) {
  test(`the shipped schema accepts ${text}`, () => assert.ok(accepts(inBlock(text)), JSON.stringify(accepts.errors)))
}

for (const text of [
  'operations: { a: { deprecation: { since: yesterday } } }',
  'defaults: { latency: { p95: fast } }',
  'defaults: { latency: 200 }',
  'defaults: { rateLimit: lots }',
  'defaults: { fault: { kind: reset, probability: often } }',
  'limits: { body: 1000 }',
  'limits: { body: 1 megabyte }',
  'listen: { cors: { origins: [app.example.com/] } }',
  'sead: 1',
]) {
  test(`the shipped schema refuses ${text}`, () => assert.equal(accepts(inBlock(text)), false))
}

test('a pattern accepts every text that its format accepts', () => {
  const texts = [
    ...['250ms', '1.5 s', '5m', '2h', '30d', '10/s', '100/min', '1000/15m', '64B/s', '1.5kB/s', '64kB', '2GB', '1MiB'],
    ...['2030-12-05', '2030-12-05T10:00:00Z', '2030-12-05t10:00z', '2030-12-05T10:00:00.5+02:00', '30d before sunset'],
    ...['https://a.example', 'http://[::1]:3000', 'null', '*', '/', '/v2/api', '', 'x', '10', '1 kg', '2030-13-01'],
  ]
  for (const [name, { test: takes, like }] of Object.entries(FORMATS)) {
    const whole = new RegExp(`^(?:${PATTERNS[name as keyof typeof FORMATS]})$`)
    for (const text of [...texts, ...like.split(/, | or /).map(one => one.replaceAll('"', ''))]) {
      if (takes(text)) assert.match(text, whole, name)
    }
    assert.doesNotMatch('x', whole, name)
  }
})

/** Every key of the schema with its path; `items` and alternatives are part of their key. */
function* keysOf(
  schema: PublishedSchema,
  root: PublishedSchema,
  path = '',
  seen: Set<string> = new Set(),
): Generator<readonly [string, PublishedSchema]> {
  const { $ref, properties, additionalProperties, items, anyOf } = schema as Record<string, never>
  if ($ref !== undefined) {
    const name = ($ref as string).slice('#/$defs/'.length)
    if (seen.has(name)) return
    seen.add(name)
    yield* keysOf((root.$defs as Record<string, PublishedSchema>)[name] as PublishedSchema, root, path, seen)
  }
  for (const [name, child] of Object.entries((properties ?? {}) as Record<string, PublishedSchema>)) {
    yield [`${path}.${name}`, child]
    yield* keysOf(child, root, `${path}.${name}`, seen)
  }
  if (typeof additionalProperties === 'object') yield* keysOf(additionalProperties, root, `${path}.*`, seen)
  if (items !== undefined) yield* keysOf(items, root, path, seen)
  for (const one of (anyOf ?? []) as PublishedSchema[]) yield* keysOf(one, root, path, seen)
}

test('every default and every example fits its own schema', () => {
  let checked = 0
  for (const [path, shape] of keysOf(shipped, shipped)) {
    const { default: fallback, examples = [] } = shape as { default?: unknown; examples?: unknown[] }
    if (fallback === undefined && examples.length === 0) continue
    const check = compile(partOf(shape))
    for (const value of [...(fallback === undefined ? [] : [fallback]), ...examples]) {
      checked += 1
      assert.ok(check(value), `${path}: ${JSON.stringify(value)} ${JSON.stringify(check.errors)}`)
    }
  }
  assert.ok(checked > 80, `${checked}`)
})

test('nearly every key without an enum has a default or an example', () => {
  const missing = [...keysOf(shipped, shipped)].filter(([, shape]) => {
    const types = [shape.type].flat().filter(type => type === 'string' || type === 'integer' || type === 'number')
    return types.length > 0 && shape.enum === undefined && shape.default === undefined && shape.examples === undefined
  })
  const keys = missing.map(([path]) => path)
  // A new key may lack one. Most have one, which helps in an editor.
  assert.ok(
    keys.length <= 5,
    `add an example for each to EXAMPLES in test/reference/gateway-schema.ts: ${keys.join(' ')}`,
  )
})

test('the schema of a file names the parts of its contract', async () => {
  const { plan } = loadPlan('config/gateway.yaml', '.', {})
  assert.ok(plan)
  const schema = await schemaFor(plan)
  const check = compile(schema)
  assert.ok(check(parse(readFileSync('config/gateway.yaml', 'utf8'))), JSON.stringify(check.errors))
  const operations = (schema.properties as Record<string, PublishedSchema>).operations as PublishedSchema
  const keys = Object.keys(operations.properties as object)
  for (const name of ['listPets', 'GET /pets', 'createPet', 'getPet', 'listOrders'])
    assert.ok(keys.includes(name), name)
  for (const text of [
    'operations: { listPet: {} }',
    'operations: { listPets: { respond: { list: dogs } } }',
    'operations: { listPets: { respond: { list: pets, limit: max } } }',
    'operations: { listPets: { respond: { list: pets, filter: [colour] } } }',
    'tags: { cats: {} }',
    'consumers: { ann: { apikey: x } }',
    'resources: { pets: { schema: Pet, id: { field: code } } }',
    'resources: { pets: { schema: Pet, defaults: { colour: red } } }',
    'weather: { storm: { consumers: { nobody: { latency: 1s } } } }',
  ]) {
    assert.equal(check(inBlock(text)), false, text)
  }
  for (const text of [
    'operations: { listPets: { respond: { list: pets, limit: limit, filter: [status] } } }',
    'resources: { pets: { schema: Pet, id: { field: id }, defaults: { status: sold } } }',
    'resources: { others: { schema: "#/components/schemas/Pet" } }',
  ]) {
    assert.ok(check(inBlock(text)), text + JSON.stringify(check.errors))
  }
})

test('the schema of a bare document has its operations and no resources', async () => {
  const { plan } = loadPlan('test/golden/inference/library.yaml', '.', {})
  assert.ok(plan)
  const check = compile(await schemaFor(plan))
  assert.ok(check(inBlock('operations: { listAuthors: { latency: 20ms } }')), JSON.stringify(check.errors))
  assert.equal(check(inBlock('operations: { listAuthor: { latency: 20ms } }')), false)
})

test('the shipped schema is up to date', () =>
  assert.deepEqual(shipped, JSON.parse(JSON.stringify(gatewaySchema())), 'run `npm run generate`'))
