import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Schema, Schemas } from '../../src/kernel/schema/schema.ts'

test('a schema with an integer beyond the safe range is compiled', () => {
  const schemas = new Schemas()
  schemas.add('a', { type: 'integer', examples: [12345678901234567890n] } as unknown as Schema)
  assert.equal(schemas.compileKey('a')(5), undefined)
})
