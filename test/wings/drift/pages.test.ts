import { test } from 'node:test'
import { checkConfigurations, shape } from '../../support/configurations.ts'

test('docs/drift.md: every configuration is valid', () => void checkConfigurations('docs/drift.md', [shape]))
