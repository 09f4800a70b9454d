import { test } from 'node:test'
import { checkConfigurations, shape } from '../../support/configurations.ts'

test('docs/changing-a-contract.md: every configuration is valid', () =>
  void checkConfigurations('docs/changing-a-contract.md', [shape]))
