// Bodies of the largest size that is accepted, each with as many of one thing as it can hold.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { attack } from './table.ts'
import { outcomeOf, withSteps } from './with-steps.ts'

const KIND = 'bodies'
const LENGTH = 1_000_000

const schema = (one: object) => ({ 'application/json': { schema: one } })
const taking = (one: object) => ({
  post: {
    requestBody: { required: true, content: schema(one) },
    responses: { 200: { description: 'ok', content: schema({}) } },
  },
})
const THING = { type: 'object', properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' } } }
const CONTRACT = {
  openapi: '3.1.0',
  info: { title: 'Bodies', version: '1' },
  paths: {
    '/thing': taking(THING),
    '/closed': taking({ ...THING, additionalProperties: false }),
    '/map': taking({ type: 'object', additionalProperties: { type: 'integer' } }),
    '/names': taking({ type: 'object', propertyNames: { pattern: '^[a-z0-9]+$' } }),
    '/list': taking({ type: 'array', items: { ...THING, required: ['name'] } }),
    '/unique': taking({ type: 'array', uniqueItems: true }),
    '/chosen': taking({ type: 'array', items: { enum: Array.from({ length: 20_000 }, (_, i) => `v${i}`) } }),
    '/any': taking({}),
  },
}

/** A text of as many items as a body can hold. */
function full(open: string, item: (i: number) => string, close: string): string {
  const items: string[] = []
  for (let i = 0, length = 10; length < LENGTH; i++) {
    items.push(item(i))
    length += item(i).length + 1
  }
  items.pop()
  return open + items.join() + close
}

const BODIES: readonly (readonly [about: string, path: string, body: string, status: number])[] = [
  ['unknown fields', '/thing', full('{', i => `"nameoffield${i}":1`, '}'), 200],
  ['fields that are not allowed', '/closed', full('{', i => `"nameoffield${i}":1`, '}'), 400],
  ['entries of a map', '/map', full('{', i => `"nameoffield${i}":1`, '}'), 200],
  ['wrong entries of a map', '/map', full('{', i => `"nameoffield${i}":"a"`, '}'), 400],
  ['names that match a pattern', '/names', full('{', i => `"nameoffield${i}":1`, '}'), 200],
  ['items without a required field', '/list', full('[', () => '{}', ']'), 400],
  ['items with a field to remove', '/list', full('[', i => `{"name":"a","id":${i}}`, ']'), 200],
  ['different items', '/unique', full('[', i => `{"a":${i}}`, ']'), 200],
  ['values of a list of 20,000', '/chosen', full('[', i => `"v${19_999 - (i % 1000)}"`, ']'), 200],
  ['decimals', '/any', full('[', () => '1.10', ']'), 200],
  ['decimals with names', '/any', full('{', i => `"nameoffield${i}":1.10`, '}'), 200],
  ['integers beyond a double', '/any', full('[', i => `9007199254740993${i}`, ']'), 200],
  ['more fields than an object may have', '/any', full('{', i => `"k${i}":1`, '}'), 400],
  ['an object without an end', '/thing', full('{', i => `"nameoffield${i}":1`, ''), 400],
]

attack(KIND, 'a megabyte of one thing', () =>
  withSteps(
    folder => {
      writeFileSync(join(folder, 'gateway.yaml'), JSON.stringify({ contract: CONTRACT }))
      return [join(folder, 'gateway.yaml')]
    },
    async (program, _folder, steps) => {
      let longest = 0
      for (const [about, path, body, status] of BODIES) {
        const reply = await fetch(program.url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        })
        assert.equal(reply.status, status, `${about}: ${(await reply.text()).slice(0, 300)}`)
        const taken = await steps()
        outcomeOf(taken, about)
        longest = Math.max(longest, taken.longest)
      }
      return `${BODIES.length} bodies, the longest step took ${longest.toFixed(0)} ms of processor time`
    },
  ),
)
