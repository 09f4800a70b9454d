import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { at, infer, inferSimulation, list, ok, read, ref } from './infer-document.ts'

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
  test('is left out with the reason', async () => {
    const thing = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
    const paths = {
      '/things': { get: list({ type: 'array', items: thing, minItems: 99 }) },
      '/things/{id}': at('id', { get: read(thing) }),
    }
    const [reason, ...more] = await infer(paths)
    assert.match(String(reason), /^without resource things: list: .*must have at least 99 items/)
    assert.deepEqual(more, [])
  })

  test('leaves a plan for the document', async () => {
    assert.deepEqual(await infer({ '/health': { get: { operationId: 'health', responses: ok() } } }), [])
  })
})
