import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, inferSimulation, json, ok, ref } from './infer-document.ts'

const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required })
const text = { type: 'string' }
const integer = { type: 'integer' }
const listed = (schema: object) => ({ responses: ok({ type: 'array', items: schema }) })
const created = (request: object, reply: object) => ({
  requestBody: { required: true, ...json(request) },
  responses: ok(reply, 201),
})

type Records = readonly Record<string, unknown>[]

const seedsOf = async (paths: object, schemas: object, resource: string): Promise<Records> => {
  const { plan, without } = await inferSimulation(paths, schemas)
  assert.deepEqual([...without], [])
  return plan.simulation.resources.get(resource)?.seeds ?? []
}

test('seeds below an account belong to existing accounts, though any account is accepted', async () => {
  const schemas = { Account: object({ sid: text }, ['sid']), Call: object({ sid: text, account_sid: text }, ['sid']) }
  const kinds = Array.from({ length: 21 }, (_, i) => `k${i}`)
  const paths = {
    '/accounts': { get: listed(ref('Account')) },
    '/accounts/{account_sid}': at('account_sid', { get: { responses: ok(ref('Account')) } }),
    '/accounts/{account_sid}/calls': at('account_sid', { get: listed(ref('Call')) }),
    ...Object.fromEntries(
      kinds.map(kind => [`/accounts/{account_sid}/${kind}`, at('account_sid', { get: { responses: ok() } })]),
    ),
  }
  const accounts = await seedsOf(paths, schemas, 'accounts')
  const calls = await seedsOf(paths, schemas, 'calls')
  assert.ok(calls.length > 0)
  assert.deepEqual(
    calls.map(call => call.account_sid),
    accounts.slice(0, calls.length).map(account => account.sid),
  )
})

test('seeds have ids that the paths below them accept', async () => {
  const schemas = { Board: object({ id: text }, ['id']), Gadget: object({ id: integer }, ['id']) }
  const paths = {
    '/boards': { get: listed(ref('Board')), post: created(object({ title: text }), ref('Board')) },
    '/boards/{id}': at('id', { get: { responses: ok(ref('Board')) } }),
    '/boards/{boardId}/gadgets': at('boardId', { get: listed(ref('Gadget')) }, integer),
  }
  const boards = await seedsOf(paths, schemas, 'boards')
  assert.ok(boards.length > 0)
  assert.ok(boards.every(board => /^\d+$/.test(String(board.id))))
})

test('a chain of schemas that is longer than the stack does not end the inference', async () => {
  const links = Array.from({ length: 3000 }, (_, i) => [
    `S${i}`,
    object({ thing_id: integer, ...(i < 2999 ? { next: ref(`S${i + 1}`) } : {}) }),
  ])
  const Thing = object({ id: integer, name: text, parent_thing_id: integer, deep: ref('S0') }, ['id', 'deep'])
  const paths = {
    '/things': { get: listed(ref('Thing')), post: created(object({ name: text }), ref('Thing')) },
    '/things/{id}': at('id', { get: { responses: ok(ref('Thing')) } }, integer),
  }
  const things = await seedsOf(paths, { Thing, ...Object.fromEntries(links) }, 'things')
  assert.ok(things.length > 1)
  assert.ok(things.every(({ deep }) => things.some(({ id }) => id === (deep as { thing_id?: unknown }).thing_id)))
})
