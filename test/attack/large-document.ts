// A large OpenAPI document whose state can be inferred: many collections, and one with far more fields than usual.

/** Half a MB: 30 collections, and one of 1,000 fields, 1,500 parameters and 40 actions. */
export function largeDocument(): string {
  const schemas: Record<string, object> = {}
  const paths: Record<string, object> = {}
  const addCollection = (name: string, fieldCount: number, parameterCount: number) => {
    const fields = fieldsOf(name, fieldCount)
    const required = Object.keys(fields).filter((_, i) => i % 2 === 1)
    schemas[name] = {
      type: 'object',
      required: ['id', ...required],
      properties: { id: { type: 'integer', readOnly: true }, ...fields },
    }
    const record = json({ $ref: `#/components/schemas/${name}` })
    const body = { requestBody: { required: true, ...record } }
    const ok = { 200: { description: 'ok', ...record } }
    const parameters = Array.from({ length: parameterCount }, (_, i) => ({
      name: `${name}-${i}`,
      in: 'query',
      schema: { type: 'string' },
    }))
    const list = json({ type: 'array', items: { $ref: `#/components/schemas/${name}` } })
    paths[`/${name}s`] = {
      get: { operationId: `list${name}`, parameters, responses: { 200: { description: 'ok', ...list } } },
      post: { operationId: `add${name}`, ...body, responses: { 201: { description: 'made', ...record } } },
    }
    paths[`/${name}s/{id}`] = {
      parameters: [ID],
      get: { operationId: `get${name}`, responses: ok },
      put: { operationId: `replace${name}`, ...body, responses: ok },
      patch: { operationId: `update${name}`, ...body, responses: ok },
      delete: { operationId: `delete${name}`, responses: { 204: { description: 'gone' } } },
    }
    return { body, ok }
  }
  for (let i = 0; i < 30; i++) addCollection(`thing${i}x`, 60, 10)
  const { body, ok } = addCollection('wide', 1000, 1500)
  for (let i = 0; i < 40; i++) {
    paths[`/wides/{id}/action${i}`] = { parameters: [ID], post: { operationId: `act${i}`, ...body, responses: ok } }
  }
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Large', version: '1' },
    paths,
    components: { schemas },
  })
}

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }

const json = (schema: object) => ({ content: { 'application/json': { schema } } })

function fieldsOf(name: string, count: number): Record<string, object> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}s`, fieldOf(i)]))
}

function fieldOf(i: number): object {
  if (i % 4 === 1) return { type: 'array', items: { enum: ['x', 'y', `z${i}`] } }
  if (i % 4 > 1) return { type: 'string', minLength: 1, description: 'A field of some kind.' }
  const properties = {
    a: { type: 'string', maxLength: 20, pattern: '^[a-z]+$' },
    b: { type: 'integer', minimum: 1, maximum: 1000 + i },
  }
  return { type: 'object', required: ['a'], properties }
}
