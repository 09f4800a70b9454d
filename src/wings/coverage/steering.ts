// The coverage, as a test reads it: by method calls, without HTTP.

import type { Gateway } from '../../gateway/gateway.ts'
import type { CoverageFilter } from './coverage.ts'
import { coverageObserver } from './observe.ts'
import type { CoverageReport } from './report.ts'
import { saveReport } from './saved.ts'

export interface CoverageSteering {
  /** The parts of the contract that requests have touched; of some requests with a filter. Throws for unknown names. */
  coverage(filter?: CoverageFilter): CoverageReport
  /** Adds the report, as JSON, to those that other processes have saved in this file. Call it once, at the end. */
  saveCoverage(file: string): void
  /** Forgets what requests have touched. */
  resetCoverage(): void
}

export const steerCoverage = (gateway: Gateway): CoverageSteering => ({
  coverage(filter = {}) {
    const coverage = gateway.observed(coverageObserver)
    coverage.checkFilter(filter)
    return coverage.report(filter)
  },
  saveCoverage: file => saveReport(gateway.observed(coverageObserver).report(), file),
  resetCoverage: () => gateway.observed(coverageObserver).reset(),
})
