import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AGE, CITY, closed, listOf, NAME, refusalOf, text, WHY } from './refusal-of.ts'

const TEXTS = [AGE, 'name must be a string', 'address.city is required']

for (const [name, schema, body] of [
  ['a message', closed({ message: text }), { message: WHY }],
  ['an error', closed({ error: text }), { error: WHY }],
  ['a title beside a detail', closed({ title: text, detail: text }), { title: 'Invalid request', detail: WHY }],
  ['a title alone', closed({ type: text, title: text }), { type: 'about:blank', title: `Invalid request: ${WHY}` }],
  ['a text that says why', closed({ why: text }), { why: WHY }],
  [
    'a text of any name, and not the number of a request',
    closed({ requestId: text, oops: text }, ['oops']),
    { oops: WHY },
  ],
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
  ['a list of texts', closed({ errors: listOf(text) }), { errors: TEXTS }],
  ...['errorMessages', 'full_messages', 'reasons', 'messages', 'hints'].map(
    name => [`a list of texts called ${name}`, closed({ [name]: listOf(text) }), { [name]: TEXTS }] as const,
  ),
  ['a list of texts under a name', closed({ errors: closed({ body: listOf(text) }) }), { errors: { body: TEXTS } }],
  [
    'a list of texts under a name that need not be there, beside others',
    closed({ errors: { type: 'object', properties: { email: listOf(text), base: listOf(text) } } }),
    { errors: { base: TEXTS } },
  ],
  [
    'the whole sentence where no other field names the place',
    closed({
      errorList: listOf(
        closed({ detail: text, source: { type: 'object', properties: { example: text } } }, ['detail']),
      ),
    }),
    { errorList: [AGE, NAME, CITY].map(detail => ({ detail })) },
  ],
  [
    'entries whose codes are for none of this',
    closed({ errors: listOf(closed({ code: { enum: ['expired'] }, message: text })) }),
    { errors: [AGE, NAME, CITY].map(message => ({ code: 'expired', message })) },
  ],
  [
    'a text for each field',
    closed({ fieldErrors: { type: 'object', additionalProperties: text } }),
    { fieldErrors: { age: 'must be an integer', name: 'must be a string', 'address.city': 'is required' } },
  ],
  [
    'texts of an error within the error',
    closed({ error: closed({ errors: closed({ full_messages: listOf(text) }) }) }),
    { error: { errors: { full_messages: TEXTS } } },
  ],
  [
    'texts by field beside those of other fields',
    closed({ age: listOf(text), non_field_errors: listOf(text) }, []),
    { non_field_errors: TEXTS.slice(1), age: ['must be an integer'] },
  ],
  [
    'entries by field, deep within the error',
    closed({
      error: closed({
        errors: closed({ fields: { type: 'object', additionalProperties: listOf(closed({ message: text })) } }),
      }),
    }),
    {
      error: {
        errors: {
          fields: {
            age: [{ message: AGE }],
            name: [{ message: NAME }],
            'address.city': [{ message: CITY }],
          },
        },
      },
    },
  ],
  [
    'a list of texts within an entry',
    closed({ fieldErrors: listOf(closed({ field: text, errors: listOf(text) })) }),
    {
      fieldErrors: [
        { field: 'age', errors: ['must be an integer'] },
        { field: 'name', errors: ['must be a string'] },
        { field: 'address.city', errors: ['is required'] },
      ],
    },
  ],
  [
    'a message, and no invented text beside it',
    closed({ message: text, advice: { ...text, minLength: 9 } }),
    { message: WHY, advice: 'Invalid request' },
  ],
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

test('a refusal without a documented shape is a problem document that lists the mistakes', async () => {
  const { body, headers } = await refusalOf({})
  assert.equal(headers['content-type'], 'application/problem+json')
  assert.deepEqual((body as { errors: unknown }).errors, [
    { in: 'query', path: 'age', rule: 'type', message: 'must be an integer' },
    { in: 'body', path: '/name', rule: 'type', message: 'must be a string' },
    { in: 'body', path: '/address/city', rule: 'required', message: 'is required' },
  ])
})

test('a refusal loses what is not about it, with everything in it', async () => {
  const properties = {
    errors: { type: 'object', properties: { detail: text, source: { type: 'object', properties: { pointer: text } } } },
    meta: { type: 'object', properties: { ignored: listOf(text), req_id: text } },
  }
  const { status, body } = await refusalOf({ schema: { type: 'object', properties } })
  assert.deepEqual([status, body], [400, { errors: { detail: WHY } }])
})

test('a message in an object that the value of an error lacks is written there', async () => {
  const message = { properties: { lang: text, value: text } }
  const { status, body } = await refusalOf({ schema: { properties: { code: text, message, values: listOf(message) } } })
  assert.deepEqual([status, JSON.stringify(body).includes(WHY)], [400, true])
})
