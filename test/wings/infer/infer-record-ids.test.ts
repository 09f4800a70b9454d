import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { at, infer, inferSimulation, json, list, ok, read, ref } from './infer-document.ts'

suite('inference finds the id of a record', () => {
  const text = { type: 'string' }
  const number = { type: 'integer' }
  const cases: Readonly<Record<string, readonly [parameter: string, id: object, more: object, wanted: string]>> = {
    'a textual id rather than a name': ['customer', text, { name: text }, 'id'],
    'a name if the id is a number and the path has a text': ['customer', number, { name: text }, 'name'],
    'a login rather than a name': ['username', number, { name: text, login: text }, 'login'],
  }
  for (const [title, [parameter, id, more, wanted]] of Object.entries(cases)) {
    test(title, async () => {
      const Customer = {
        type: 'object',
        required: ['id', ...Object.keys(more)],
        properties: { id, ...more },
      }
      const { resources } = await inferSimulation(
        {
          '/customers': { get: list({ type: 'array', items: ref('Customer') }) },
          [`/customers/{${parameter}}`]: at(parameter, { get: read(ref('Customer')) }),
        },
        { Customer },
      )
      assert.equal((resources?.customers as { id?: { field?: string } })?.id?.field, wanted)
    })
  }
})

suite('a resource that fails its trial', () => {
  const thing = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
  const none = { type: 'object', required: ['thing'], properties: { thing: { ...thing, maxProperties: 0 } } }

  test('is left out with the reason', async () => {
    const [reason, ...more] = await infer({
      '/things': { get: list({ type: 'array', items: thing }) },
      '/things/{id}': at('id', { get: read(none) }),
    })
    assert.match(String(reason), /^without resource things: read: /)
    assert.deepEqual(more, [])
  })

  for (const [what, paths, line] of [
    [
      'list',
      { '/things': { get: list({ type: 'array', items: thing, minItems: 99 }) } },
      'must have at least 99 items',
    ],
    ['change', { '/things': { get: list({ type: 'array', items: thing }) } }, 'must have at most 0 properties'],
  ] as const) {
    test(`is kept without a ${what} that does not hold`, async () => {
      const change = { operationId: 'change', requestBody: json(thing), responses: ok(none) }
      const item = { get: read(thing), ...(what === 'change' ? { patch: change } : {}) }
      const lines = await infer({ ...paths, '/things/{id}': at('id', item) })
      assert.ok(lines.includes('read: read "things"'), lines.join('\n'))
      const [left, ...others] = lines.filter(one => one.startsWith('without'))
      assert.match(String(left), new RegExp(`^without ${what}: .*${line}`))
      assert.deepEqual(others, [])
    })
  }

  test('leaves a plan for the document', async () => {
    assert.deepEqual(await infer({ '/health': { get: { operationId: 'health', responses: ok() } } }), [])
  })
})
