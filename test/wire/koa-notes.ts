// A configuration of notes for the tests of Koa applications.

export const PAGE = { type: 'array', items: { $ref: '#/components/schemas/Note' } }
export const json = (schema: object) => ({ content: { 'application/json': { schema } } })
export const NOTE = { $ref: '#/components/schemas/Note' }
export const config = {
  contract: {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    servers: [{ url: '/v1' }],
    paths: {
      '/notes': {
        get: { operationId: 'listNotes', responses: { 200: { description: 'ok', ...json(PAGE) } } },
        post: {
          operationId: 'createNote',
          requestBody: { required: true, ...json(NOTE) },
          responses: {
            201: { description: 'made', headers: { Location: { schema: { type: 'string' } } }, ...json(NOTE) },
          },
        },
      },
      '/notes/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { operationId: 'getNote', responses: { 200: { description: 'ok', ...json(NOTE) } } },
        delete: { operationId: 'deleteNote', responses: { 204: { description: 'gone' } } },
      },
    },
    components: {
      schemas: {
        Note: {
          type: 'object',
          required: ['text'],
          properties: { id: { type: 'integer' }, text: { type: 'string' }, price: { type: 'number' } },
        },
      },
    },
  },
  resources: { notes: { schema: 'Note', seed: [{ id: 1, text: 'x'.repeat(5000) }] } },
  operations: {
    listNotes: { respond: { list: 'notes' } },
    createNote: { respond: { create: 'notes' } },
    getNote: { respond: { read: 'notes' } },
    deleteNote: { respond: { delete: 'notes' } },
  },
}
export const note = (body: string, type = 'application/json') => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
})
