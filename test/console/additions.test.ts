import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tagOfOperation, withAdditions } from '../../src/console/reference/additions.ts'

test('the additions of the gateway follow the description of an operation', () => {
  const additions = {
    operation: 'listBooks',
    phase: 'deprecated',
    next: { what: 'gone', at: '2030-12-05T00:00:00.000Z' },
    behaviours: ['errors', 'respond: list books'],
  }
  const document = { paths: { '/books': { summary: 'x', get: { description: 'Lists.', 'x-understudy': additions } } } }
  const { paths } = withAdditions(document) as { paths: Record<string, Record<string, { description: string }>> }
  assert.equal(
    paths['/books']?.get?.description,
    'Lists.\n\n**In this stand-in**\n\n- phase: **deprecated**\n- next: gone on 5 Dec 2030\n- `errors`\n- `respond`: list books',
  )
  assert.equal(paths['/books']?.summary, 'x')
  const added = { operationId: 'listBooks', summary: 'deprecated' }
  assert.deepEqual({ ...paths['/books']?.get, ...added }, paths['/books']?.get)
  assert.equal(tagOfOperation(withAdditions(document), 'listBooks'), 'default')
  assert.equal(tagOfOperation(withAdditions(document), 'nothing'), undefined)
})
