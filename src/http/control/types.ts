// The types of the control plane's replies, for its clients in this repository. Types only: importing it runs nothing.

export type { CoverageReport } from '../../gateway/coverage/report.ts'
export type { Caller, DeprecationReport } from '../../gateway/deprecations.ts'
export type { RecordedBody, RecordedRequest } from '../../gateway/journal/entry.ts'
export type { LiveDriftReport } from '../../gateway/live-drift.ts'
export type { FormParameter, FormReplyContent, OperationForm } from '../../gateway/reference.ts'
export type { Sending, SendResult } from '../../gateway/send.ts'
export type { Measure } from '../../gateway/traffic.ts'
export type { CalendarEvent, EventKind, WorldCalendar } from '../../gateway/world-calendar.ts'
export type { Diagnostic, Place, Severity } from '../../kernel/diagnostic.ts'
export type { DescribedOperation, DescribedPlan, DescribedResource, DescribedRule } from '../../plan/describe.ts'
export type { AnswerOrder, WeatherFile } from '../../plan/simulation-file.ts'
export type { ClockState, ClockWords } from '../../world/clock.ts'
