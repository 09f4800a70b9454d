import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { inProcess } from '../support/in-process.ts'

/** Sends `POST /people?age=x {"name":5,"address":{}}`, whose 400 has this content, or `GET /people/1`, whose 404 has it. */
async function refusalOf(content: unknown, line = 'POST /people?age=x', status = '400') {
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

const AGE = 'query parameter age must be an integer'
const NAME = '/name must be a string'
const CITY = '/address/city is required'
const WHY = `${AGE}; ${NAME}; ${CITY}`

const text = { type: 'string' }
const closed = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const listOf = (items: unknown) => ({ type: 'array', items })

for (const [name, schema, body] of [
  ['a message', closed({ message: text }), { message: WHY }],
  ['an error', closed({ error: text }), { error: WHY }],
  ['a title beside a detail', closed({ title: text, detail: text }), { title: 'Invalid request', detail: WHY }],
  ['a title alone', closed({ type: text, title: text }), { type: 'about:blank', title: `Invalid request: ${WHY}` }],
  ['a status that is a text', closed({ message: text, status: text }), { message: WHY, status: '400' }],
  [
    'a status beside its number',
    closed({ code: { type: 'integer' }, message: text, status: text }),
    { code: 400, message: WHY, status: 'invalid_request' },
  ],
  ['a type that is no URI', closed({ type: text, message: text }), { type: 'invalid_request', message: WHY }],
  [
    'a code and a status',
    closed({ code: text, status: { type: 'integer' }, message: text }),
    { code: 'invalid_request', status: 400, message: WHY },
  ],
  [
    'a code that the status chooses',
    closed({ code: { enum: ['created', 'forbidden', 'bad_request'] }, message: text }),
    { code: 'bad_request', message: WHY },
  ],
  [
    'a code in capitals',
    closed({ code: { enum: ['FORBIDDEN', 'VALIDATION_ERROR'] }, message: text }),
    { code: 'VALIDATION_ERROR', message: WHY },
  ],
  [
    'a code for any mistake of the client, where the status has none',
    closed({ type: { enum: ['api_error', 'card_error', 'bad_request_error'] }, message: text }),
    { type: 'bad_request_error', message: WHY },
  ],
  [
    'a code that need not be there, and is for none of this',
    closed({ code: { enum: ['created', 'forbidden'] }, message: text }, ['message']),
    { message: WHY },
  ],
  [
    'a list of fields and messages',
    closed({ errors: listOf(closed({ field: text, message: text })) }),
    {
      errors: [
        { field: 'age', message: 'must be an integer' },
        { field: 'name', message: 'must be a string' },
        { field: 'address.city', message: 'is required' },
      ],
    },
  ],
  [
    'a list that need not be there',
    closed({ message: text, errors: listOf(closed({ field: text, message: text })) }, ['message']),
    {
      message: WHY,
      errors: [
        { field: 'age', message: 'must be an integer' },
        { field: 'name', message: 'must be a string' },
        { field: 'address.city', message: 'is required' },
      ],
    },
  ],
  [
    'a list of pointers and codes',
    closed({ details: listOf(closed({ pointer: text, code: text })) }),
    {
      details: [
        { pointer: 'age', code: 'type' },
        { pointer: '/name', code: 'type' },
        { pointer: '/address/city', code: 'required' },
      ],
    },
  ],
  ['a list of texts', closed({ errors: listOf(text) }), { errors: [AGE, NAME, CITY] }],
  ['a list for one only', closed({ errors: { ...listOf(text), maxItems: 1 } }), { errors: [AGE] }],
  [
    'a list within the error',
    closed({ error: closed({ message: text, fields: listOf(closed({ name: text, reason: text })) }) }),
    {
      error: {
        message: WHY,
        fields: [
          { name: 'age', reason: 'must be an integer' },
          { name: 'name', reason: 'must be a string' },
          { name: 'address.city', reason: 'is required' },
        ],
      },
    },
  ],
  [
    'a list with more than is known',
    closed({ errors: listOf(closed({ field: text, message: text, value: text, id: text }, ['field', 'message'])) }),
    {
      errors: [
        { field: 'age', message: 'must be an integer' },
        { field: 'name', message: 'must be a string' },
        { field: 'address.city', message: 'is required' },
      ],
    },
  ],
  [
    'steps to the field',
    closed({ detail: listOf(closed({ loc: listOf({ type: ['string', 'integer'] }), msg: text, type: text })) }),
    {
      detail: [
        { loc: ['query', 'age'], msg: 'must be an integer', type: 'type' },
        { loc: ['body', 'name'], msg: 'must be a string', type: 'type' },
        { loc: ['body', 'address', 'city'], msg: 'is required', type: 'required' },
      ],
    },
  ],
  [
    'sources as JSON:API has them',
    closed({
      errors: listOf(
        closed({
          status: text,
          title: text,
          detail: text,
          source: { type: 'object', properties: { pointer: text, parameter: text } },
        }),
      ),
    }),
    {
      errors: [
        { status: '400', title: 'Invalid request', detail: 'must be an integer', source: { parameter: 'age' } },
        { status: '400', title: 'Invalid request', detail: 'must be a string', source: { pointer: '/name' } },
        { status: '400', title: 'Invalid request', detail: 'is required', source: { pointer: '/address/city' } },
      ],
    },
  ],
  [
    'errors by field',
    closed({ errors: { type: 'object', additionalProperties: listOf(text) } }),
    { errors: { age: ['must be an integer'], name: ['must be a string'], 'address.city': ['is required'] } },
  ],
  [
    "a code per entry, of GitHub's",
    closed({ errors: listOf(closed({ field: text, code: { enum: ['missing_field', 'invalid'] } })) }),
    {
      errors: [
        { field: 'age', code: 'invalid' },
        { field: 'name', code: 'invalid' },
        { field: 'address.city', code: 'missing_field' },
      ],
    },
  ],
] as const) {
  test(`a refusal fills ${name}`, async () => {
    const refused = await refusalOf({ schema })
    assert.equal(refused.status, 400)
    assert.deepEqual(refused.body, body)
    assert.equal(refused.headers['understudy-problem'], undefined)
  })
}

test('a refusal whose shape has no field for the reason has it in a header', async () => {
  for (const schema of [
    closed({ code: { type: 'integer' } }),
    closed({ message: { ...text, maxLength: 20 } }),
    closed({ kind: { const: 'error' } }),
    closed({ errors: listOf(closed({ when: { type: 'string', format: 'date-time' }, field: text })) }),
  ]) {
    const { headers, body } = await refusalOf({ schema })
    assert.equal(headers['understudy-problem'], WHY, JSON.stringify(body))
  }
})

test('a refusal replaces only the texts for people of an example', async () => {
  const example = { name: 'UNPROCESSABLE_ENTITY', code: 'E17', message: 'The age is missing', hint: 'see docs' }
  const schema = { type: 'object', properties: { name: text, code: text, message: text, hint: text } }
  const { body } = await refusalOf({ schema, example })
  assert.deepEqual(body, { ...example, message: WHY })
})

test('an example of several statuses gets the code and message of this status', async () => {
  const example = { code: 'NOT_FOUND', status: 404, message: 'No such person' }
  const schema = closed({ code: { enum: ['NOT_FOUND', 'BAD_REQUEST'] }, status: { type: 'integer' }, message: text })
  const { body } = await refusalOf({ schema, example }, 'POST /people?age=x', 'default')
  assert.deepEqual(body, { code: 'BAD_REQUEST', status: 400, message: WHY })
})

test('an error that is an enum gets the nearest of its codes, and the reason is in a header', async () => {
  const error = { enum: ['channel_not_found', 'not_authed', 'invalid_form_data'] }
  const { body, headers } = await refusalOf({ schema: closed({ ok: { type: 'boolean' }, error }) })
  assert.deepEqual(body, { ok: false, error: 'invalid_form_data' })
  assert.equal(headers['understudy-problem'], WHY)
})

test('the type of a problem document is a URI, and that of another problem is not kept', async () => {
  const example = { type: 'https://example.com/errors/conflict', title: 'Conflict', detail: 'Taken', status: 409 }
  const schema = closed({ type: text, title: text, detail: text, status: { type: 'integer' } })
  const { body } = await refusalOf({ schema, example }, 'POST /people?age=x', 'default')
  assert.deepEqual(body, { type: 'about:blank', title: 'Invalid request', detail: WHY, status: 400 })
})

test('the list of errors in an example is replaced by the mistakes of this request', async () => {
  const example = { message: 'Wrong', errors: [{ field: 'email', message: 'is taken' }] }
  const entry = closed({ field: text, message: text }, ['message'])
  const { body } = await refusalOf({ schema: closed({ message: text, errors: listOf(entry) }), example }, 'GET /people')
  assert.deepEqual(body, {
    message: 'query parameter id is required',
    errors: [{ field: 'id', message: 'is required' }],
  })
})

test('the texts for people of an example without a schema are replaced', async () => {
  const { body } = await refusalOf({ example: { error: 'bad', message: 'Wrong' } }, 'GET /people')
  assert.deepEqual(body, { error: 'bad', message: 'query parameter id is required' })
})

test('a refusal without a documented shape is a problem document that lists the mistakes', async () => {
  const { body, headers } = await refusalOf({})
  assert.equal(headers['content-type'], 'application/problem+json')
  assert.deepEqual((body as { errors: unknown }).errors, [
    { in: 'query', path: 'age', rule: 'type', message: 'must be an integer' },
    { in: 'body', path: '/name', rule: 'type', message: 'must be a string' },
    { in: 'body', path: '/address/city', rule: 'required', message: 'is required' },
  ])
})
