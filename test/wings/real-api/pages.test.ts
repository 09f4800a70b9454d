import { test } from 'node:test'
import { checkConfigurations, shape } from '../../support/configurations.ts'

test('docs/forwarding.md: every configuration is valid', () =>
  void checkConfigurations('docs/forwarding.md', [shape, shape]))

test('docs/sandbox-over-staging.md: every configuration is valid', () =>
  void checkConfigurations('docs/sandbox-over-staging.md', [shape]))
