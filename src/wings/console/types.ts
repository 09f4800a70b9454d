// The types of the replies that only the page asks for. Types only.

export type * from '../../console/model/replies.ts'
