import { runTogether } from './suites.ts'

await runTogether('UNIT', 1)
