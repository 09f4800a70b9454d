import { test } from 'node:test'
import { checkConfigurations, shape } from '../../support/configurations.ts'

test('docs/overlays.md: every configuration is valid', () => void checkConfigurations('docs/overlays.md', [shape]))
