import assert from 'node:assert/strict'
import { test } from 'node:test'
import { petStore } from './pet-store.ts'
import { assertRefusal } from './raw.ts'

const { ask } = await petStore()

interface Pet {
  readonly id: number
  readonly status: string
}
const list = async (query: string): Promise<Pet[]> => {
  const { reply } = await ask(`GET /v1/pets${query}`)
  assert.equal(reply.status, 200, reply.body)
  assert.equal(reply.headers['content-type'], 'application/json')
  return JSON.parse(reply.body)
}

const NUMBERS = Array.from({ length: 50 }, (_, i) => i + 1)
const SOLD = NUMBERS.filter(id => id % 5 === 0)
for (const [query, ids] of [
  ['', NUMBERS.slice(0, 20)],
  ['?', NUMBERS.slice(0, 20)],
  ['?limit=1', [1]],
  ['?limit=20', NUMBERS.slice(0, 20)],
  ['?limit=100', NUMBERS],
  ['?limit=007', NUMBERS.slice(0, 7)],
  ['?%6Cimit=2', [1, 2]],
  ['?&&limit=2&&', [1, 2]],
  ['?status=sold', SOLD],
  ['?status=s%6Fld&limit=3', SOLD.slice(0, 3)],
  ['?limit=3&status=sold', SOLD.slice(0, 3)],
  ['?colour=red&limit[]=5&limit=1', [1]],
  ['?%zz=1&limit=1', [1]],
] as const) {
  test(`GET /pets${query} answers ${ids.length} pets in the order of their ids`, async () => {
    assert.deepEqual(
      (await list(query)).map(({ id }) => id),
      ids,
    )
  })
}

test('a filtered list holds only matching records', async () => {
  assert.deepEqual(new Set((await list('?status=pending&limit=100')).map(({ status }) => status)), new Set(['pending']))
})

for (const [query, parameter, why] of [
  ['limit=0', 'limit', 'must be at least 1'],
  ['limit=101', 'limit', 'must be at most 100'],
  ['limit=-1', 'limit', 'must be at least 1'],
  ['limit=99999999999999999999', 'limit', 'must be at most 100'],
  ['limit=1e2', 'limit', 'must be an integer'],
  ['limit=0x10', 'limit', 'must be an integer'],
  ['limit=%205', 'limit', 'must be an integer'],
  ['limit=+5', 'limit', 'must be an integer'],
  ['limit=%2B5', 'limit', 'must be an integer'],
  ['limit=', 'limit', 'must be an integer'],
  ['limit', 'limit', 'must be an integer'],
  ['limit=5.0', 'limit', 'must be an integer'],
  ['limit=%D9%A5', 'limit', 'must be an integer'],
  ['limit=1&limit=1', 'limit', 'must not be repeated'],
  ['limit=1&%6Cimit=2', 'limit', 'must not be repeated'],
  ['limit=%zz', 'limit', 'has a broken percent-encoding'],
  ['status=lost', 'status', 'must be one of "available", "pending", "sold"'],
  ['status=Sold', 'status', 'must be one of "available", "pending", "sold"'],
  ['status=', 'status', 'must be one of "available", "pending", "sold"'],
  ['status=sold&status=sold', 'status', 'must not be repeated'],
  ['status=sold,pending', 'status', 'must be one of "available", "pending", "sold"'],
] as const) {
  test(`GET /pets?${query} is refused: ${parameter} ${why}`, async () => {
    const { reply } = await ask(`GET /v1/pets?${query}`)
    assert.equal(assertRefusal(reply, 400, 'invalid_request'), `query parameter ${parameter} ${why}`)
  })
}

test('one refusal names every mistake in the query', async () => {
  const message = assertRefusal((await ask('GET /v1/pets?limit=x&status=y')).reply, 400)
  assert.match(message, /limit must be an integer; .*status must be one of/)
})

test('HEAD answers like GET without the body', async () => {
  const [get, head] = [await ask('GET /v1/pets?limit=3'), await ask('HEAD /v1/pets?limit=3')]
  assert.equal(head.reply.status, 200)
  assert.equal(head.reply.headers['content-length'], `${Buffer.byteLength(get.reply.body)}`)
})

for (const [name, header] of [
  ['no key', ''],
  ['an unknown key', 'Authorization: Bearer nobody\r\n'],
  ['an expired key', 'Authorization: Bearer retired-key\r\n'],
  ['an empty key', 'Authorization: Bearer\r\n'],
  ['another scheme', 'Authorization: Basic ZGVtbzpkZW1vLWtleQ==\r\n'],
  ['the key without its scheme', 'Authorization: demo-key\r\n'],
  ['a key of two words', 'Authorization: Bearer demo-key x\r\n'],
  ['the key __proto__', 'Authorization: Bearer __proto__\r\n'],
  ['the key constructor', 'Authorization: Bearer constructor\r\n'],
] as const) {
  test(`${name} is answered 401, with a challenge`, async () => {
    const { reply } = await ask('GET /v1/pets', header)
    assertRefusal(reply, 401, 'unauthorized')
    assert.match(reply.headers['www-authenticate'] ?? '', /^Bearer realm="Pet Store Service"/)
    assert.equal(reply.headers['www-authenticate']?.includes('error='), /Bearer \S+\r\n$/.test(header))
  })
}

for (const header of ['Authorization: bearer demo-key\r\n', 'authorization: BEARER   demo-key  \r\n']) {
  test(`${header.trim()} is accepted`, async () => {
    assert.equal((await ask('GET /v1/pets', header)).reply.status, 200)
  })
}
