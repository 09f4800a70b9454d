import fc from 'fast-check'
import { cases } from '../support/cases.ts'
import { runTogether } from './suites.ts'

// The default of fast-check is 100.
fc.configureGlobal({ numRuns: cases(100) })
await runTogether('PROPERTY', 1)
