// Writes large OpenAPI documents in the style of real ones, with a given number of operations over shared schemas that refer to
// each other. For measurements and for tests that bound the cost of a document.

import { stringify } from 'yaml'

export interface LargeOptions {
  readonly operations: number
  /** The approximate bytes of JSON of an operation, including schemas. */
  readonly weight?: number
}

type Tree = Record<string, unknown>

/** An OpenAPI 3.0 document with `operations` operations, five to a resource. */
export function largeDocument({ operations, weight = 4000 }: LargeOptions): Tree {
  const resources = Math.ceil(operations / 5)
  const properties = Math.max(4, Math.floor((weight * 5 - 2600) / 190))
  const paths: Tree = {}
  const schemas: Tree = { Error: errorSchema }
  let left = operations
  for (let i = 0; i < resources; i++) {
    const name = `Resource${i}`
    schemas[name] = resourceSchema(i, properties, resources)
    const all: [string, string, Tree][] = [
      [`/resource-${i}`, 'get', list(name)],
      [`/resource-${i}`, 'post', write(name, 'create')],
      [`/resource-${i}/{id}`, 'get', read(name)],
      [`/resource-${i}/{id}`, 'put', write(name, 'replace')],
      [`/resource-${i}/{id}`, 'delete', remove(name)],
    ]
    for (const [path, method, operation] of all.slice(0, left)) {
      const item = (paths[path] ?? (path.endsWith('}') ? { parameters: [idParameter] } : {})) as Tree
      paths[path] = item
      item[method] = operation
    }
    left -= 5
  }
  return {
    openapi: '3.0.3',
    info: { title: 'A large API', version: '2024-06-01', description: 'Generated, to be measured with.' },
    servers: [{ url: 'https://api.example.com/v1' }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
      responses: { Failure: { description: 'It failed.', content: json(ref('Error')) } },
      schemas,
    },
  }
}

export const largeYaml = (options: LargeOptions): string =>
  stringify(largeDocument(options), { aliasDuplicateObjects: false })

const ref = (name: string): Tree => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: unknown): Tree => ({ 'application/json': { schema } })
const failure = { $ref: '#/components/responses/Failure' }
const idParameter = { name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 64 } }

const errorSchema = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    details: { type: 'array', items: { type: 'string' } },
  },
}

const list = (name: string): Tree => ({
  operationId: `list${name}`,
  summary: `Lists every ${name} the caller may see, newest first.`,
  tags: [name],
  parameters: [
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
    { name: 'expand', in: 'query', style: 'form', explode: true, schema: { type: 'array', items: { type: 'string' } } },
  ],
  responses: {
    200: {
      description: 'A page.',
      content: json({ type: 'object', required: ['data'], properties: { data: { type: 'array', items: ref(name) } } }),
    },
    default: failure,
  },
})

const write = (name: string, verb: string): Tree => ({
  operationId: `${verb}${name}`,
  tags: [name],
  requestBody: { required: true, content: json(ref(name)) },
  responses: { 200: { description: 'As it is now.', content: json(ref(name)) }, default: failure },
})

const read = (name: string): Tree => ({
  operationId: `get${name}`,
  tags: [name],
  responses: { 200: { description: 'The one.', content: json(ref(name)) }, 404: failure, default: failure },
})

const remove = (name: string): Tree => ({
  operationId: `delete${name}`,
  tags: [name],
  responses: { 204: { description: 'Gone.' }, default: failure },
})

function resourceSchema(seed: number, count: number, resources: number): Tree {
  const properties: Tree = { id: { type: 'string', readOnly: true } }
  for (let i = 0; i < count; i++) {
    const description = `The ${ORDINALS[i % ORDINALS.length]} thing that is known of it: "quoted", with a colon: here.`
    const kinds: Tree[] = [
      { type: 'string', maxLength: 5000, description },
      { type: 'integer', minimum: 0, description, nullable: true },
      { type: 'string', enum: ['active', 'inactive', 'pending'], description },
      { type: 'array', items: { type: 'string' }, description },
      { type: 'string', format: 'date-time', description },
      { type: 'object', additionalProperties: { type: 'string' }, description },
    ]
    properties[`field_${i}`] = kinds[(seed + i) % kinds.length] as Tree
  }
  properties.parent = { allOf: [ref(`Resource${(seed * 7 + 1) % resources}`)], nullable: true }
  properties.owner = { anyOf: [{ type: 'string', maxLength: 50 }, ref(`Resource${(seed * 13 + 5) % resources}`)] }
  return { type: 'object', required: ['id', 'field_0'], properties }
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh']
