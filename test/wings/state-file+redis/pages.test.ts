import { test } from 'node:test'
import { beside, checkConfigurations, petStore } from '../../support/configurations.ts'

test('docs/lasting-state.md: every configuration loads as shown', () => {
  const ways = [beside(petStore), beside(petStore), beside(petStore)]
  checkConfigurations('docs/lasting-state.md', ways)
})
