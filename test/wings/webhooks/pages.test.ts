import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { checkConfigurations, petStore, type Way } from '../../support/configurations.ts'

const Hook = {
  type: 'object',
  required: ['id', 'url'],
  properties: { id: { type: 'integer' }, url: { type: 'string' } },
}

const withHook = readFileSync(String(petStore.contract), 'utf8').replace(
  /^ {2}schemas:$/m,
  `$&\n    Hook: ${JSON.stringify(Hook)}`,
)

/** With a resource of subscriptions. */
const withHooks: Way = shown => ({
  ...petStore,
  ...shown,
  contract: parse(withHook) as object,
  resources: { ...(petStore.resources as object), hooks: { schema: 'Hook' } },
})

test('docs/webhooks.md: every configuration loads as shown', () => {
  assert.deepEqual(checkConfigurations('docs/webhooks.md', [withHooks]), [''])
})
