import { runTogether } from './suites.ts'

await runTogether('PROPERTY', 1)
