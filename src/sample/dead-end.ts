// What is thrown, and caught again, where no value was found: ten thousand times where a schema is hard, so that each is
// made once. What costs is the stack trace.

/** No value was found here, this way. */
export const DEAD_END = new Error('no value was found')
/** None will be: there were enough trials. */
export const EXHAUSTED = new Error('no value was found in time')
