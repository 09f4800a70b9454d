import { test } from 'node:test'
import { checkConfigurations, shape } from '../../support/configurations.ts'

test('docs/tokens.md: every configuration is valid', () => void checkConfigurations('docs/tokens.md', [shape, shape]))
