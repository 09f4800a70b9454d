// The types of the replies of the drift. Types only.

export type { LiveDriftReport } from './live-drift.ts'
