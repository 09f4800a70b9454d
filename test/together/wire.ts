import { runTogether } from './suites.ts'

await runTogether('WIRE', 1)
