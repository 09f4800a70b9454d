// Checks the control plane against its OpenAPI document.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { type Check, type Schema, Schemas } from '../../src/kernel/schema/schema.ts'
import { ask } from './ask.ts'
import { SAMPLES } from './control-samples.ts'

interface Described {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, DescribedResponse>>
  }
}
interface DescribedOperation {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: readonly DescribedParameter[]
  readonly requestBody?: { readonly description?: string }
  readonly responses: Readonly<Record<string, DescribedResponse & { readonly $ref?: string }>>
}
interface DescribedParameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
}
interface DescribedResponse {
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

describe('the control plane follows its OpenAPI document', () => {
  let gateway: RunningGateway
  let document: Described
  let operations: { path: string; method: string; operation: DescribedOperation }[]
  before(async () => {
    gateway = await startGateway({ config: 'config/gateway.yaml' })
    document = (await ask(`${gateway.control}/openapi.json`)).body as Described
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
  })
  after(() => gateway.close())
  test('the body of an order for an answer has its keys, for typed clients', () => {
    const { AnswerOrder } = document.components.schemas as Readonly<Record<string, { readonly properties: object }>>
    const giving = operations.find(({ operation }) => operation.operationId === 'giveAnswer')
    assert.match(JSON.stringify(giving?.operation.requestBody), /"\$ref":"#\/components\/schemas\/AnswerOrder"/)
    const keys = ['operation', 'when', 'respond', 'latency', 'fault', 'times']
    assert.deepEqual(
      keys.filter(key => !(key in (AnswerOrder?.properties ?? {}))),
      [],
    )
  })
  // A first request, so that the lists have an entry.
  beforeEach(async () => {
    for (const path of ['/pets?limit=1', '/pets/1', '/pets/x', '/nowhere']) {
      await ask(gateway.url + path, { headers: { authorization: 'Bearer demo-key', 'understudy-explain': '1' } })
    }
  })

  test('the document is OpenAPI 3.1 with unique operation ids', () => {
    assert.equal(document.openapi, '3.1.0')
    const names = operations.map(({ operation }) => operation.operationId)
    assert.equal(new Set(names).size, names.length)
    assert.deepEqual(
      names.filter(name => SAMPLES[name] === undefined),
      [],
      'add a call of each new operation to SAMPLES in control-samples.ts',
    )
  })

  test('a path has exactly its documented methods', async () => {
    for (const path of Object.keys(document.paths)) {
      const { headers } = await ask(gateway.control + path.replace(/\{[^{}]+\}/g, 'x'), { method: 'OPTIONS' })
      const allowed = String(headers.allow)
        .split(', ')
        .filter(method => method !== 'HEAD')
      const documented = operations.filter(one => one.path === path).map(({ method }) => method)
      assert.deepEqual(allowed.sort(), documented.sort(), path)
    }
  })

  test('every expression of a path is a documented parameter', () => {
    for (const { path, operation } of operations) {
      const declared = (operation.parameters ?? []).filter(one => one.in === 'path' && one.required)
      const expressions = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name)
      assert.deepEqual(declared.map(({ name }) => name).sort(), expressions.sort(), path)
    }
  })

  test('every operation, parameter, body and reply is described by a sentence', () => {
    const missing = operations.flatMap(({ path, method, operation }) => {
      const { summary, parameters = [], requestBody, responses } = operation
      const texts = [
        ['summary', summary],
        ...parameters.map(one => [one.name, one.description]),
        ...(requestBody === undefined ? [] : [['body', requestBody.description]]),
        ...Object.entries(responses).map(([status, reply]) => [status, resolve(document, reply).description]),
      ]
      return texts.flatMap(([part, text]) => (/^\S.*\.$/s.test(text ?? '') ? [] : [`${method} ${path}: ${part}`]))
    })
    assert.deepEqual(missing, [], 'write a sentence with a full stop into the declaration of the route')
  })

  test('every schema compiles', () => {
    for (const { operation } of operations) {
      for (const { content = {} } of Object.values(operation.responses)) {
        for (const { schema } of Object.values(content)) checkOf(schema, document)
      }
    }
  })

  for (const [name, samples] of Object.entries(SAMPLES)) {
    test(`${name} answers as documented`, async () => {
      const documented = operations.find(({ operation }) => operation.operationId === name)
      // The operation of a wing that was taken out.
      if (documented === undefined) return
      for (const { path, status, ...options } of samples) {
        const reply = await ask(gateway.control + path, options)
        const what = `${options.method ?? 'GET'} ${path}: ${reply.text.slice(0, 300)}`
        assert.equal(options.method ?? 'GET', documented.method)
        assert.equal(reply.status, status, what)
        const written = documented.operation.responses[reply.status]
        assert.ok(written, `${what}: ${reply.status} is not documented`)
        const { content } = resolve(document, written)
        if (content === undefined) {
          assert.equal(reply.text, '', what)
          continue
        }
        const type = String(reply.headers['content-type']).split(';')[0] as string
        assert.ok(content[type], `${what}: ${type} is not documented`)
        const value = type.endsWith('json') ? reply.body : reply.text
        const check = checkOf(content[type].schema, document)
        assert.deepEqual(check(value) ?? [], [], what)
      }
    })
  }
})

/** Compiles each schema once, with those that it refers to. */
const checks = new Map<Schema, Check>()
function checkOf(schema: Schema, { components }: Described): Check {
  const known = checks.get(schema)
  if (known !== undefined) return known
  const whole = JSON.stringify({ allOf: [schema], $defs: components.schemas })
  const check = new Schemas().compile(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')))
  checks.set(schema, check)
  return check
}

const nameOf = ({ $ref }: { readonly $ref: string }): string => $ref.slice($ref.lastIndexOf('/') + 1)
const resolve = (document: Described, response: DescribedResponse & { readonly $ref?: string }): DescribedResponse =>
  response.$ref === undefined
    ? response
    : (document.components.responses[nameOf({ $ref: response.$ref })] as DescribedResponse)
