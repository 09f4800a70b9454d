// The types of the replies of the coverage. Types only.

export type { CoverageReport } from './report.ts'
