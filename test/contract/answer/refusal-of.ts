import { stringify } from 'yaml'
import { inProcess } from '../../support/in-process.ts'

/** Sends `POST /people?age=x {"name":5,"address":{}}`, whose 400 has this content, or `GET /people/1`, whose 404 has it. */
export async function refusalOf(content: unknown, line = 'POST /people?age=x', status = '400') {
  const responses = {
    200: { description: 'Fine' },
    [status]: { description: 'Wrong', content: { 'application/json': content } },
  }
  const contract = {
    openapi: '3.1.0',
    info: { title: 'People', version: '1' },
    paths: {
      '/people': {
        post: {
          operationId: 'createPerson',
          parameters: [{ name: 'age', in: 'query', schema: { type: 'integer' } }],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['name'],
                  properties: {
                    name: { type: 'string' },
                    address: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
                  },
                },
              },
            },
          },
          responses,
        },
        get: {
          operationId: 'getPerson',
          parameters: [{ name: 'id', in: 'query', required: true, schema: { type: 'string' } }],
          responses,
        },
      },
    },
  }
  const { send } = inProcess({ 'openapi.yaml': stringify(contract) })
  return line.startsWith('GET') ? send(line) : send(line, { name: 5, address: {} })
}
export const AGE = 'query parameter age must be an integer'
export const NAME = '/name must be a string'
export const CITY = '/address/city is required'
export const WHY = `${AGE}; ${NAME}; ${CITY}`
export const text = { type: 'string' }
export const closed = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
export const listOf = (items: unknown) => ({ type: 'array', items })
