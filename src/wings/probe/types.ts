// The types of the replies about one request, which the page of the console has too. Types only.

export type { RecordedRequest, Sending, SendResult } from '../../http/control/types.ts'
