// Sets the number of cases of the properties that name none.

import fc from 'fast-check'
import { cases } from './cases.ts'

// The default of fast-check is 100.
fc.configureGlobal({ numRuns: cases(100) })
