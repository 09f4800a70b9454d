// Parts of collections of Postman, a whole one, and a contract for its requests.

export const JSON_TYPE = [{ key: 'Content-Type', value: 'application/json' }]

/** The URL of a request as Postman exports it. */
export const url = (path: string, query: Record<string, string> = {}, variable: Record<string, string> = {}) => {
  const listed = (all: Record<string, string>) => Object.entries(all).map(([key, value]) => ({ key, value }))
  const raw = `{{baseUrl}}/${path}${Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`}`
  return { raw, host: ['{{baseUrl}}'], path: path.split('/'), query: listed(query), variable: listed(variable) }
}
export const request = (method: string, at: object, body?: object) => ({
  method,
  header: body === undefined ? [] : JSON_TYPE,
  url: at,
  ...(body === undefined ? {} : { body: { mode: 'raw', raw: JSON.stringify(body) } }),
})
export const reply = (name: string, code: number, body: unknown, originalRequest: object) => ({
  ...{ name, code, originalRequest, _postman_previewlanguage: 'json', header: JSON_TYPE },
  body: body === undefined ? '' : JSON.stringify(body),
})
export const info = { name: 'Shop', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' }

export const ANN = { id: 1, name: 'Ann', role: 'admin' }
export const BOB = { id: 2, name: 'Bob', role: 'user' }
export const list = request('GET', url('users'))
const one = (id: string) => url('users/:id', {}, { id })
export const shop = {
  info,
  auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}' }] },
  variable: [{ key: 'baseUrl', value: 'https://api.example.com/v1' }],
  item: [
    {
      name: 'Users',
      item: [
        {
          name: 'List users',
          request: list,
          response: [
            reply('All', 200, [ANN, BOB], list),
            reply('By role', 200, [BOB], request('GET', url('users', { role: 'user' }))),
          ],
        },
        {
          name: 'Create user',
          request: request('POST', url('users'), { name: 'Carl', role: 'user' }),
          response: [
            reply(
              'Created',
              201,
              { id: 9, name: 'Carl', role: 'user' },
              request('POST', url('users'), { name: 'Carl', role: 'user' }),
            ),
            reply('Refused', 422, { error: 'a name is missing' }, request('POST', url('users'), { role: 'user' })),
          ],
        },
        {
          name: 'Get user',
          request: request('GET', one('1')),
          response: [
            reply('One', 200, ANN, request('GET', one('1'))),
            reply('None', 404, { error: 'no such user' }, request('GET', one('99'))),
          ],
        },
        {
          name: 'Delete user',
          request: request('DELETE', one('2')),
          response: [reply('Gone', 204, undefined, request('DELETE', one('2')))],
        },
      ],
    },
    {
      name: 'Orders',
      item: [
        { name: 'Order', request: request('POST', url('orders'), { item: 'book', count: 2 }), response: [] },
        { name: 'Get order', request: request('GET', url('orders/{{orderId}}')) },
      ],
    },
    {
      name: 'Log in',
      event: [{ listen: 'test', script: { exec: ['pm.environment.set("token", pm.response.json().token)'] } }],
      request: { ...request('POST', url('login'), { user: 'ann', password: 'x' }), auth: { type: 'noauth' } },
      response: [
        reply('Token', 200, { token: 'abc' }, request('POST', url('login'), { user: 'ann', password: 'x' })),
        reply('Wrong', 401, { error: 'wrong' }, request('POST', url('login'), { user: 'ann', password: 'wrong' })),
      ],
    },
  ],
}
export const auth = { authorization: 'Bearer any' }

export const CONTRACT = `openapi: 3.1.0
info: { title: Shop, version: "1" }
servers: [{ url: /v1 }]
paths:
  /users:
    get:
      operationId: listUsers
      parameters: [{ name: role, in: query, schema: { type: string } }]
      responses:
        "200":
          description: all
          content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/User" } } } }
    post:
      operationId: createUser
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/User" } } } }
      responses:
        "201": { description: one, content: { application/json: { schema: { $ref: "#/components/schemas/User" } } } }
  /users/{userId}:
    get:
      operationId: getUser
      parameters: [{ name: userId, in: path, required: true, schema: { type: integer } }]
      responses:
        "200": { description: one, content: { application/json: { schema: { $ref: "#/components/schemas/User" } } } }
        "404": { description: none }
  /login:
    post:
      operationId: logIn
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses:
        "200": { description: ok, content: { application/json: { schema: { type: object } } } }
        "401": { description: no, content: { application/json: { schema: { type: object } } } }
components:
  schemas:
    User:
      type: object
      required: [name]
      properties: { id: { type: integer, readOnly: true }, name: { type: string }, role: { enum: [user] } }
`
