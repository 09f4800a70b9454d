// The errors of a state that cannot be used: for ever, or for now.

/** This process cannot use the state, and waiting does not help. The message has the reason and the remedy. */
export class StateRefused extends Error {
  override readonly name: string = 'StateRefused'
}

/** The engine cannot be reached, or cannot write. Calls reject with it at once while it lasts; no queue grows. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}
