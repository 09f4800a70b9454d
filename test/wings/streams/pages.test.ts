import { test } from 'node:test'
import { checkConfigurations, shape } from '../../support/configurations.ts'

test('docs/streams.md: every configuration is valid', () =>
  void checkConfigurations('docs/streams.md', [shape, shape, shape]))
