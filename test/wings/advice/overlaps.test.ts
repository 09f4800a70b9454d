// Alternatives of `oneOf` that include each other, which is reported only where it is certain.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadFiles } from '../../support/in-process.ts'

const text = { type: 'string' }
const thing = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

/** Returns the warnings about a schema with these alternatives. */
async function overlapsOf(oneOf: readonly object[], openapi = '3.0.3', more: object = {}): Promise<readonly string[]> {
  const document = {
    openapi,
    info: { title: 'A', version: '1' },
    paths: {},
    components: { schemas: { Whole: { oneOf, ...more } } },
  }
  const { report } = await loadFiles({ 'api.json': JSON.stringify(document) })
  return report.list.filter(({ code }) => code === 'overlapping-one-of').map(({ message }) => message)
}

suite('an alternative whose values fit another one is reported', () => {
  const cases: Readonly<Record<string, readonly object[]>> = {
    'with more required properties': [
      thing({ a: text, b: text }, { required: ['a'] }),
      thing({ a: text }, { required: ['a', 'b'] }),
    ],
    'with other optional properties': [thing({ a: text }), thing({ b: text })],
    'with a narrower type of a property': [thing({ a: { type: 'number' } }), thing({ a: { type: 'integer' } })],
    'with fewer values': [
      { type: 'string', enum: ['a', 'b'] },
      { type: 'string', enum: ['a'] },
    ],
    'of any type': [thing({ a: text }), { properties: { a: text } }],
    'which may be null': [{ type: 'string' }, { type: 'string', nullable: true }],
    'which is the same': [thing({ a: text }, { required: ['a'] }), thing({ a: text }, { required: ['a'] })],
    'through allOf': [
      thing({ a: text }, { required: ['a'] }),
      { allOf: [thing({ a: text }, { required: ['a'] }), thing({ b: text })] },
    ],
    'which is closed, as a part of it': [
      thing({ a: text }, { required: ['a'] }),
      thing({ a: text }, { required: ['a'], additionalProperties: false }),
    ],
  }
  for (const [title, oneOf] of Object.entries(cases)) {
    test(title, async () => assert.equal((await overlapsOf(oneOf)).length, 1))
  }
})

suite('alternatives that may exclude each other are not reported', () => {
  const mark = (name: string) => thing({ a: { ...text, [name]: true } }, { required: ['a'] })
  const cases: Readonly<Record<string, readonly object[]>> = {
    'each with a required property of its own': [
      thing({ a: text }, { required: ['a'] }),
      thing({ b: text }, { required: ['b'] }),
    ],
    'of another type': [thing({ a: text }), { type: 'string' }],
    'without a type': [thing({ a: text }, { required: ['a'] }), { required: ['a', 'b'], properties: { a: text } }],
    'with another value of a constant': [thing({ a: { enum: ['x'] } }), thing({ a: { enum: ['y'] } })],
    'closed, without the property of the other': [
      thing({ a: text }, { additionalProperties: false }),
      thing({ b: text }, { additionalProperties: false }),
    ],
    'with limits': [
      { type: 'string', maxLength: 3 },
      { type: 'string', minLength: 4 },
    ],
    'with null': [{ type: 'string' }, { type: 'string', nullable: true, maxLength: 3 }],
    'with properties of any name': [thing({ a: text }), thing({}, { additionalProperties: { type: 'integer' } })],
    'whose property only one side sends': [mark('none'), mark('readOnly')],
    'that accept nothing': [thing({ a: text }, { required: ['a'] }), { not: {} }],
  }
  for (const [title, oneOf] of Object.entries(cases)) {
    test(title, async () => assert.deepEqual(await overlapsOf(oneOf), []))
  }

  test('told apart by a discriminator', async () => {
    const both = [thing({ a: text }), thing({ a: text })]
    assert.deepEqual(await overlapsOf(both, '3.0.3', { discriminator: { propertyName: 'a' } }), [])
  })

  test('with a property that has no value', async () => {
    assert.deepEqual(
      await overlapsOf([thing({ a: text }), thing({ a: false as unknown as object }, { required: ['a'] })], '3.1.0'),
      [],
    )
  })
})
