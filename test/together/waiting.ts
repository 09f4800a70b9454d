import { runTogether } from './suites.ts'

await runTogether('WAITING', 4)
