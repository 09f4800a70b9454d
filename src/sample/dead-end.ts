// The errors for values that were not found. A hard schema throws and catches ten thousand of them, so each is created once:
// the stack trace is the expensive part.

/** No value was found for this part in this attempt. */
export const DEAD_END = new Error('no value was found')
/** The limit of attempts is reached. */
export const EXHAUSTED = new Error('no value was found in time')
