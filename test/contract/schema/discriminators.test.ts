// Unions with a discriminator: the branch that validates a request, and the branch of the reply.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVERYTHING } from '../../support/cases.ts'
import { inProcess } from '../../support/in-process.ts'

type Schemas = Readonly<Record<string, unknown>>

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' }
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', required, properties })

/** A gateway for a document whose one operation takes and answers the schema `Alert`; `GET /all` lists them. */
function alerts(schemas: Schemas, openapi = '3.0.3') {
  const content = (schema: unknown) => ({ 'application/json': { schema } })
  const answer = (schema: unknown) => ({ 200: { description: 'Fine', content: content(schema) } })
  const document = {
    openapi,
    info: { title: 'Alerts', version: '1' },
    paths: {
      '/alerts': {
        get: { operationId: 'one', responses: answer(ref('Alert')) },
        post: {
          operationId: 'send',
          requestBody: { required: true, content: content(ref('Alert')) },
          responses: answer(ref('Alert')),
        },
      },
      '/wrapped': {
        post: {
          operationId: 'wrap',
          requestBody: { required: true, content: content(ref('Alert')) },
          responses: answer(object({ data: ref('Alert') }, ['data'])),
        },
      },
      '/all': { get: { operationId: 'all', responses: answer({ type: 'array', items: ref('Alert') }) } },
    },
    components: { schemas },
  }
  return inProcess({ 'alerts.json': JSON.stringify(document) })
}

const mapping = { chat: '#/components/schemas/Chat', call: 'Call' }
const union = (keyword: string, discriminator: object = { mapping }) => ({
  [keyword]: [ref('Chat'), ref('Call')],
  discriminator: { propertyName: 'via', ...discriminator },
})
const kinds = { type: 'string', enum: ['chat', 'call'] }
const base = (via: object) => object({ via, title: text }, ['via', 'title'])
const extended = {
  Chat: { allOf: [ref('Base'), object({ room: text })] },
  Call: { allOf: [ref('Base'), object({ number: text }, ['number'])] },
}
const flat = (chat: object, call: object) => ({
  Chat: object({ via: chat, title: text, room: text }, ['via', 'title']),
  Call: object({ via: call, title: text, number: text }, ['via', 'title', 'number']),
})

const VARIANTS: Readonly<Record<string, Schemas>> = {
  'the base lists all names': { Alert: union('oneOf'), Base: base(kinds), ...extended },
  'the base takes any text': { Alert: union('oneOf'), Base: base(text), ...extended },
  'anyOf instead of oneOf': { Alert: union('anyOf'), Base: base(kinds), ...extended },
  'branches without a base, any text': { Alert: union('oneOf'), ...flat(text, text) },
  'each branch says its name': {
    Alert: union('oneOf', {}),
    ...flat({ ...text, enum: ['chat'] }, { ...text, enum: ['call'] }),
  },
  'children by allOf of a parent': {
    Alert: { ...base(kinds), discriminator: { propertyName: 'via', mapping } },
    Chat: { allOf: [ref('Alert'), object({ room: text })] },
    Call: { allOf: [ref('Alert'), object({ number: text }, ['number'])] },
  },
}

for (const [name, schemas] of Object.entries(VARIANTS)) {
  for (const openapi of ['3.0.3', '3.1.0']) {
    test(`${name} (${openapi}): a request is validated by the branch that it names, and the reply has that branch`, async () => {
      const { send } = alerts(schemas, openapi)
      const chat = { via: 'chat', title: 'Up', room: 'ops' }
      const call = { via: 'call', title: 'Down', number: '112' }
      for (const body of [chat, call]) {
        const { status, body: answer } = await send('POST /alerts', body)
        assert.equal(status, 200, JSON.stringify(answer))
        assert.deepEqual(answer, body)
        assert.deepEqual((await send('POST /wrapped', body)).body, { data: body })
      }
      const missing = await send('POST /alerts', { via: 'call', title: 'Down' })
      assert.equal(missing.status, 400)
      assert.equal((missing.body as { detail: string }).detail, '/number is required')
      const mistyped = await send('POST /alerts', { ...call, number: 112 })
      assert.equal((mistyped.body as { detail: string }).detail, '/number must be a string')
    })
  }
}

test('a value that several branches declare does not choose a branch', async () => {
  const { send } = alerts({ Alert: union('oneOf', {}), Base: base(kinds), ...extended })
  assert.equal((await send('POST /alerts', { via: 'chat', title: 'Up', room: 'ops' })).status, 200)
  assert.equal((await send('POST /alerts', { via: 'call', title: 'Up', number: '1' })).status, 200)
  assert.equal((await send('POST /alerts', { via: 'mail', title: 'Up' })).status, 400)
})

test('a name of the mapping chooses its target before other branches', async () => {
  const { send } = alerts({
    Alert: union('oneOf', { mapping: { chat: 'Chat' } }),
    ...flat({ type: 'string' }, { ...text, enum: ['chat', 'call'] }),
  })
  assert.equal((await send('POST /alerts', { via: 'chat', title: 'Up' })).status, 200)
  assert.equal((await send('POST /alerts', { via: 'call', title: 'Up' })).status, 400)
})

test('a child schema used directly has the name of that child only', async () => {
  const { send } = alerts({
    Alert: ref('Call'),
    Parent: { ...base(kinds), discriminator: { propertyName: 'via', mapping } },
    Chat: { allOf: [ref('Parent'), object({ room: text })] },
    Call: { allOf: [ref('Parent'), object({ number: text }, ['number'])] },
    Toll: { allOf: [ref('Call'), object({ price: { type: 'integer' } }, ['price'])] },
  })
  for (let i = 0; i < 4; i++) assert.equal(((await send('GET /alerts')).body as { via: string }).via, 'call')
  assert.equal((await send('POST /alerts', { via: 'call', title: 'Up', number: '1' })).status, 200)
  assert.equal((await send('POST /alerts', { via: 'chat', title: 'Up', number: '1' })).status, 400)
})

test('a grandchild is a child', async () => {
  const { send } = alerts({
    Alert: { ...base(text), discriminator: { propertyName: 'via' } },
    Call: { allOf: [ref('Alert'), object({ number: text }, ['number'])] },
    Toll: { allOf: [ref('Call'), object({ price: { type: 'integer' } }, ['price'])] },
  })
  const toll = { via: 'Toll', title: 'Up', number: '1', price: 3 }
  assert.deepEqual((await send('POST /alerts', toll)).body, toll)
  assert.equal((await send('POST /alerts', { via: 'Toll', title: 'Up', number: '1' })).status, 400)
})

test('defaultMapping chooses the branch of a value without a name (OpenAPI 3.2)', async () => {
  const { send } = alerts({ Alert: union('oneOf', { mapping, defaultMapping: 'Call' }), ...flat(text, text) }, '3.2.0')
  assert.equal((await send('POST /alerts', { via: 'mail', title: 'Up', number: '1' })).status, 200)
  assert.equal((await send('POST /alerts', { via: 'mail', title: 'Up' })).status, 400)
  assert.equal((await send('POST /alerts', { via: 'chat', title: 'Up' })).status, 200)
})

for (const count of [3, 8, 20, ...(EVERYTHING ? [200] : [])]) {
  test(`a parent with ${count} children answers with the child that the value names`, async () => {
    const names = Array.from({ length: count }, (_, index) => `Kind${index}`)
    const { send } = alerts({
      Alert: {
        ...base({ type: 'string', enum: names }),
        discriminator: { propertyName: 'via', mapping: Object.fromEntries(names.map(name => [name, name])) },
      },
      ...Object.fromEntries(
        names.map(name => [name, { allOf: [ref('Alert'), object({ [`of${name}`]: text }, [`of${name}`])] }]),
      ),
    })
    for (const path of ['/alerts', '/alerts?__dynamic=true', '/alerts?__dynamic=true', '/all', '/all?__dynamic=true']) {
      const { body, headers } = await send(`GET ${path}`)
      assert.equal(headers['understudy-warning'], undefined)
      const found = [body].flat() as Record<string, unknown>[]
      assert.ok(found.length > 0)
      for (const one of found) {
        assert.ok(names.includes(String(one.via)), JSON.stringify(one))
        assert.equal(typeof one[`of${one.via}`], 'string', JSON.stringify(one))
      }
    }
    const sent = { via: names.at(-1), title: 'Up', [`of${names.at(-1)}`]: 'x' }
    assert.deepEqual((await send('POST /alerts', sent)).body, sent)
  })
}

test('a union without a discriminator answers with the branch whose fields were sent', async () => {
  const { send } = alerts({
    Alert: {
      oneOf: [object({ room: text, urgent: { type: 'boolean' } }, ['room']), object({ number: text }, ['number'])],
    },
  })
  assert.deepEqual((await send('POST /alerts', { number: '112' })).body, { number: '112' })
  assert.equal(((await send('POST /alerts', { room: 'ops' })).body as { room: string }).room, 'ops')
})
