// The types of the replies about deprecations. Types only.

export type { Caller, DeprecationReport } from './report.ts'
