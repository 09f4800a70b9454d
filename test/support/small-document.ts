// The parts of small OpenAPI documents, for tests with many of them.

export const string = { type: 'string' }
export const integer = { type: 'integer' }
export const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
export const several = (schema: object) => ({ type: 'array', items: schema })
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const json = (schema: object) => ({ content: { 'application/json': { schema } } })
export const answers = (status: number, schema?: object) => ({
  responses: { [status]: { description: 'ok', ...(schema === undefined ? {} : json(schema)) } },
})
export const takes = (schema: object) => ({ requestBody: { required: true, ...json(schema) } })
export const naming = (name: string, schema: object = string) => ({
  parameters: [{ in: 'path', name, required: true, schema }],
})
export const documentOf = (paths: object, schemas: object = {}) => ({
  openapi: '3.0.3',
  info: { title: 'Shapes', version: '1' },
  paths,
  components: { schemas },
})
